"""A GPU's numbers, read from YAML and nowhere else: what its architecture sets, and what its board adds.

`devices/NAME.yaml` names an architecture of `architectures.yaml`: an NVIDIA compute capability ("8.0") or an AMD target
("gfx90a"). AMD's words are translated: a wave is a warp, a work-group a block, local memory shared memory, vector
registers registers, and a multiprocessor (SM) is a compute unit, or on gfx10 and gfx11 a pair of them that share
their local memory (a work-group processor), as HIP counts them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, get_args

import yaml

from tunepass.diagnostics import Source, spelling_hint
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.device_reader import DeviceReader, shipped_names, shipped_text
from tunepass.hwmodels.plugin_devices import plugin_device

Vendor = Literal["nvidia", "amd"]
HINT = "the files of tunepass/hwmodels/gpu/devices are whole ones"
MAKERS = r"(nvidia|geforce|gtx|rtx|tesla|quadro|amd|radeon|instinct|pro|hip|gpu|graphics)+"
DETAILS = r"sxm\d*|pcie|hbm\d*e?|\d+gb|gpu"  # of a driver's name: what a device of another name differs in, if it does


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiprocessorLimits:
    """Resources that a multiprocessor allocates to blocks, and their units, from which occupancy is counted."""

    warp: int  # threads
    threads_per_block: int
    warps_per_sm: int
    blocks_per_sm: int
    lone_warp_blocks_per_sm: int  # blocks of a single warp, which take no barrier on AMD
    registers_per_sm: int  # of 32 bits, over all threads
    registers_per_block: int
    registers_per_thread: int
    register_unit: int  # registers a warp is given at once
    register_partitions: int  # equal parts of the SM, each with its registers
    shared_per_sm_byte: int
    shared_per_block_byte: int  # what a kernel may ask for, the reserved bytes aside
    static_shared_byte: int  # what arrays of the source may take, the rest is asked for at the launch
    shared_unit_byte: int
    shared_reserved_byte: int = field(metadata={"least": 0})  # of each block


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """Results of an SM a clock: threads of that many instructions of the kind finish."""

    fp32: int
    fp64: int
    integer: int
    special: int  # reciprocals, roots, exponentials, sines
    load: int  # addresses of loads and stores
    schedulers: int  # instructions of warps begun
    shared_byte: int  # bytes of shared memory
    l1_byte: int  # bytes of the first-level cache
    l2_byte: int  # bytes that an SM takes from the second-level cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """Clocks from an instruction to one that needs its result."""

    fp32: int
    fp64: int
    special: int
    shared: int
    l1: int
    l2: int
    dram: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """Constants of all GPUs of a compute capability or an AMD target. `l1_byte` is the first-level cache of an SM, and
    `l1_has_shared` says that shared memory is cut out of it. A `sector` is the least that memory moves, a `line` the
    least that a cache names."""

    name: str
    vendor: Vendor
    source: str
    limits: MultiprocessorLimits
    lanes: Lanes
    latencies: Latencies
    l1_byte: int
    l1_has_shared: bool
    sector_byte: int
    line_byte: int
    banks: int  # of shared memory, four bytes wide


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A board: how many SMs, at what clock, and the memory behind them. `clock_hz` is what the SMs run at under load
    (the boost clock); `l2_byte_per_clock` what all SMs together take from the second-level cache."""

    name: str
    description: str
    source: str
    architecture: Architecture
    sms: int
    clock_hz: float
    l2_byte: int
    l2_byte_per_clock: int
    dram_byte: int
    dram_byte_per_s: float
    launch_ns: float  # of an empty kernel, as events on the device time it

    @property
    def limits(self) -> MultiprocessorLimits:
        return self.architecture.limits

    @property
    def vendor(self) -> Vendor:
        return self.architecture.vendor

    @property
    def target(self) -> str:
        """Name for compilers: `sm_80`, `gfx90a`."""
        name = self.architecture.name
        return f"sm_{name.replace('.', '')}" if self.vendor == "nvidia" else name


def names() -> tuple[str, ...]:
    """The devices that ship with tunepass, in the order of their names."""
    return shipped_names("tunepass.hwmodels.gpu")


def load(name: str) -> Gpu:
    """A device that ships with tunepass, by its name as people (`a100`, `RTX 2080 Ti`) or drivers
    (`NVIDIA A100-SXM4-40GB`) write it."""
    known = resolve(name)
    if known is None and (plugin := plugin_device(name, "gpu")):
        return replace(read(plugin.text, plugin.name), name=name)
    if known is None:
        hint = spelling_hint(
            name.lower(), names(), "write the numbers of yours as a YAML file beside theirs", quote=repr
        )
        raise ModelError(f"no GPU {name!r}; known: {', '.join(names())}", hint=hint)
    return _load(known)


def resolve(name: str) -> str | None:
    """The known device meant by `name`: all its words are there, and besides them only what changes no number here."""
    words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    while words and re.fullmatch(MAKERS, words[0]):
        words = words[1:]
    if not words:
        return None
    words[0] = re.sub(f"^{MAKERS}", "", words[0])
    for device in names():
        if "".join(words) == device.replace("-", ""):
            return device
    matching = [device for device in names() if set(device.split("-")) <= set(words)]
    known = max(matching, key=lambda device: len(device.split("-")), default=None)
    other = set(words) - set((known or "").split("-"))
    return known if all(re.fullmatch(DETAILS, word) for word in other) else None


@cache
def _load(name: str) -> Gpu:
    return read(_shipped(f"devices/{name}.yaml"), f"{name}.yaml")


def _shipped(path: str) -> str:
    return shipped_text("tunepass.hwmodels.gpu", path)


@cache
def architectures() -> Mapping[str, Architecture]:
    """By name, in the order of the file."""
    return read_architectures(_shipped("architectures.yaml"), "architectures.yaml")


def read_architectures(text: str, name: str) -> dict[str, Architecture]:
    reader = _Reader(Source(name, text), HINT)
    return {key: reader.architecture(key, node) for key, node in reader.mapping(reader.top("a file"), "a file").items()}


def read(text: str, name: str) -> Gpu:
    """The device in `text`. Raises ModelError, with the place, for what is missing or is no positive number."""
    return _Reader(Source(name, text), HINT).gpu()


class _Reader(DeviceReader):
    def gpu(self) -> Gpu:
        return self.decoded(Gpu, self.top("a GPU"), "a GPU", {"architecture": self.named})

    def named(self, node: yaml.Node) -> Architecture:
        name, known = self.text(node), architectures()
        if name not in known:
            raise self.fail(f"no architecture `{name}`", node, f"known: {', '.join(known)}")
        return known[name]

    def architecture(self, name: str, node: yaml.Node) -> Architecture:
        return self.decoded(Architecture, node, "an architecture", {"vendor": self.vendor}, {"name": name})

    def vendor(self, node: yaml.Node) -> Vendor:
        vendor = self.text(node)
        if vendor not in get_args(Vendor):
            raise self.fail("a vendor is nvidia or amd", node)
        return "nvidia" if vendor == "nvidia" else "amd"

    def integer(self, node: yaml.Node, least: float = 1.0) -> int:
        text, least = self.text(node), max(0, math.ceil(least))
        if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) < least:
            raise self.fail(f"this is an integer, {least} or more", node)
        return int(text)
