"""A processor's numbers, read from its YAML and nowhere else: caches, throughputs and overheads of one core."""

from __future__ import annotations

from dataclasses import dataclass

import yaml

from tunepass.diagnostics import Source
from tunepass.hwmodels.device_reader import DeviceReader, shipped_text

DEFAULT = "generic-x86-64"


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Blocks of `block_byte` are kept in `size_byte`; one that is missing comes from what is behind it in `miss_ns`
    where blocks follow one another, in `scattered_ns` where they do not."""

    name: str
    size_byte: int
    block_byte: int
    miss_ns: float
    scattered_ns: float
    shared: bool = False
    ways: int = 0  # 0: any block may lie anywhere

    @property
    def sets(self) -> int:
        return self.size_byte // (self.block_byte * self.ways) if self.ways else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """Nanoseconds. An `operation` is an addition or a multiplication, of scalars or of a whole vector; `issue` is any
    instruction's share of the front end; `chain` is an addition that waits for the one before, `forward` one more that
    waits for it through memory; `enter` is a loop that is begun and left; `fork` a team of threads."""

    operation_ns: float
    load_ns: float
    store_ns: float
    issue_ns: float
    division_ns: float
    call_ns: float
    chain_ns: float
    forward_ns: float
    enter_ns: float
    fork_ns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """`levels` from the core outwards; the last one's misses go to memory. `pages` stands for all its TLBs."""

    name: str
    description: str
    source: str
    cores: int
    vector_byte: int
    registers: int
    core: Core
    levels: tuple[Level, ...]
    pages: Level


def load(name: str = DEFAULT) -> Cpu:
    """A device that ships with tunepass."""
    return read(shipped_text("tunepass.hwmodels.cpu", f"devices/{name}.yaml"), f"{name}.yaml")


def read(text: str, name: str) -> Cpu:
    """The device in `text`. Raises ModelError, with the place, for what is missing or is no positive number."""
    return _Reader(Source(name, text), "`tunepass characterize --device host` writes a whole one").cpu()


class _Reader(DeviceReader):
    most = 1e15

    def cpu(self) -> Cpu:
        return self.decoded(Cpu, self.top("a processor"), "a processor", {"levels": self.levels})

    def levels(self, node: yaml.Node) -> tuple[Level, ...]:
        levels = tuple(self.decoded(Level, item, "a level") for item in self.items(node, "levels"))
        if not levels:
            raise self.fail("a processor has at least one level", node)
        return levels
