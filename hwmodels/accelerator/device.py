"""A process for accelerators, read from its YAML and nowhere else: units of 32 bits, a register's bit, SRAM by size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import yaml

from tunepass.diagnostics import Source, spelling_hint
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.device_reader import DeviceReader, shipped_names, shipped_text
from tunepass.hwmodels.plugin_devices import plugin_device

PACKAGE = "tunepass.hwmodels.accelerator"
UNIT_BITS = 32  # of the units that a file describes
BYTE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ArithmeticUnit:
    """One unit of 32 bits."""

    source: str
    energy_pj: float
    leakage_mw: float
    area_um2: float
    delay_ns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterBit:
    """One bit; `energy_pj` of a read or a write."""

    source: str
    energy_pj: float
    leakage_mw: float
    area_um2: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sram:
    """`read_pj`: rows (bytes of a bank, energy for each word of `words_byte`), sizes ascending. A bank has at least
    `least_words`."""

    source: str
    least_words: int
    leakage_mw_per_kib: float
    words_byte: tuple[float, ...]
    read_pj: tuple[tuple[float, tuple[float, ...]], ...]

    def read_energies(self, bits: int) -> list[tuple[float, float]]:
        """(bytes of a bank, pJ of a read of so many bits): a straight line between widths; below the narrowest word
        several numbers share one, and a read costs its part."""
        return [(size, _between(self.words_byte, row, bits / BYTE)) for size, row in self.read_pj]


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One clock, for which all numbers hold."""

    name: str
    description: str
    source: str
    clock_ns: float
    multiplier: ArithmeticUnit
    adder: ArithmeticUnit
    logic: ArithmeticUnit
    shifter: ArithmeticUnit
    register: RegisterBit
    sram: Sram

    @property
    def multiply_add_cycles(self) -> int:
        """One where both delays fit a clock (Aladdin chains them); else each takes its own cycles, pipelined."""
        if self.multiplier.delay_ns + self.adder.delay_ns <= self.clock_ns:
            return 1
        return math.ceil(self.multiplier.delay_ns / self.clock_ns) + 1


def names() -> tuple[str, ...]:
    return shipped_names(PACKAGE)


@cache
def load(name: str) -> Process:
    """ModelError, with a near name, for an unknown device."""
    if name in names():
        return read(Source(f"{name}.yaml", shipped_text(PACKAGE, f"devices/{name}.yaml")))
    if plugin := plugin_device(name, "accelerator"):
        return replace(read(plugin), name=name)
    hint = spelling_hint(name, names(), quote=repr)
    raise ModelError(f"no device {name!r} for accelerators; known: {', '.join(names())}", hint=hint)


def read(source: Source) -> Process:
    """The device in a file. ModelError, with the place, for what is missing or no positive number."""
    return _Reader(source, "the files of tunepass/hwmodels/accelerator/devices are whole ones").process()


class _Reader(DeviceReader):
    def process(self) -> Process:
        top = self.top("a device")
        process = self.decoded(Process, top, "a device", {"sram": self.sram})
        if process.adder.delay_ns > process.clock_ns:
            raise self.fail("an addition has to fit the clock: a sum takes one product a cycle", top)
        return process

    def sram(self, node: yaml.Node) -> Sram:
        sram = self.decoded(Sram, node, "`sram`", {"words_byte": self.numbers, "read_pj": self.rows})
        if any(len(row) != len(sram.words_byte) for _, row in sram.read_pj):
            raise self.fail("a row of `read_pj` has one number for each of `words_byte`", node)
        return sram

    def numbers(self, node: yaml.Node) -> tuple[float, ...]:
        numbers = tuple(self.number(item) for item in self.items(node, "this"))
        if not numbers:
            raise self.fail("this list is empty", node)
        return numbers

    def rows(self, node: yaml.Node) -> tuple[tuple[float, tuple[float, ...]], ...]:
        entries = self.mapping(node, "`read_pj`")
        assert isinstance(node, yaml.MappingNode)
        sizes = [self.number(key) for key, _ in node.value]
        rows = tuple(zip(sizes, (self.numbers(row) for row in entries.values())))
        if len(rows) < 2 or sizes != sorted(sizes):
            raise self.fail("`read_pj` has two sizes or more, the smallest first", node)
        return rows


def _between(xs: Sequence[float], ys: Sequence[float], x: float) -> float:
    """On the straight lines through the points, the last one prolonged; in proportion below the first."""
    if x <= xs[0] or len(xs) == 1:
        return ys[0] * x / xs[0]
    i = next((i for i, right in enumerate(xs) if x <= right), len(xs) - 1)
    return ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / (xs[i] - xs[i - 1])
