"""A GPU's numbers, read from YAML and nowhere else: what its architecture sets, and what its board adds.

`devices/NAME.yaml` names an architecture of `architectures.yaml`: an NVIDIA compute capability ("8.0") or an AMD target
("gfx90a"). AMD's words are translated: a wave is a warp, a work-group a block, local memory shared memory, vector
registers registers, and a multiprocessor (SM) is a compute unit, or on gfx10 and gfx11 a pair of them that share
their local memory (a work-group processor), as HIP counts them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import resources
from typing import Literal, TypeVar, get_args

import yaml

from tunepass.diagnostics import Source, spelling_hint
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.plugin_devices import plugin_device
from tunepass.yaml_nodes import Composer, NodeReader

Vendor = Literal["nvidia", "amd"]
SIZE_LIMIT, DEPTH_LIMIT = 1 << 16, 8  # characters; levels
MAKERS = r"(nvidia|geforce|gtx|rtx|tesla|quadro|amd|radeon|instinct|pro|hip|gpu|graphics)+"
DETAILS = r"sxm\d*|pcie|hbm\d*e?|\d+gb|gpu"  # of a driver's name: what a device of another name differs in, if it does


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
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
    shared_reserved_byte: int  # of each block


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
    limits: Limits
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
    def limits(self) -> Limits:
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
    folder = resources.files("tunepass.hwmodels.gpu").joinpath("devices")
    return tuple(sorted(path.name.removesuffix(".yaml") for path in folder.iterdir() if path.name.endswith(".yaml")))


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
    return resources.files("tunepass.hwmodels.gpu").joinpath(path).read_text(encoding="utf-8")


@cache
def architectures() -> Mapping[str, Architecture]:
    """By name, in the order of the file."""
    return read_architectures(_shipped("architectures.yaml"), "architectures.yaml")


def read_architectures(text: str, name: str) -> dict[str, Architecture]:
    reader = _Reader(Source(name, text))
    return {key: reader.architecture(key, node) for key, node in reader.mapping(reader.top("a file"), "a file").items()}


def read(text: str, name: str) -> Gpu:
    """The device in `text`. Raises ModelError, with the place, for what is missing or is no positive number."""
    return _Reader(Source(name, text)).gpu()


R = TypeVar("R", Limits, Lanes, Latencies)


class _Reader(NodeReader[ModelError]):
    def __init__(self, source: Source):
        super().__init__(source, ModelError, "the files of tunepass/hwmodels/gpu/devices are whole ones")

    def top(self, subject: str) -> yaml.Node:
        node = Composer(subject, ModelError, SIZE_LIMIT, DEPTH_LIMIT, self.hint).compose(self.source)
        if node is None:
            raise ModelError(f"{self.source.name} is empty", hint=self.hint)
        return node

    def gpu(self) -> Gpu:
        whole = ("sms", "l2_byte", "l2_byte_per_clock", "dram_byte")
        real = ("clock_hz", "dram_byte_per_s", "launch_ns")
        keys = ("name", "description", "source", "architecture", *whole, *real)
        top = self.record(self.top("a GPU"), "a GPU", keys, keys)
        return Gpu(
            name=self.text(top["name"]),
            description=self.text(top["description"]),
            source=self.text(top["source"]),
            architecture=self.named(top["architecture"]),
            sms=self.integer(top["sms"]),
            l2_byte=self.integer(top["l2_byte"]),
            l2_byte_per_clock=self.integer(top["l2_byte_per_clock"]),
            dram_byte=self.integer(top["dram_byte"]),
            clock_hz=self.number(top["clock_hz"]),
            dram_byte_per_s=self.number(top["dram_byte_per_s"]),
            launch_ns=self.number(top["launch_ns"]),
        )

    def named(self, node: yaml.Node) -> Architecture:
        name, known = self.text(node), architectures()
        if name not in known:
            raise self.fail(f"no architecture `{name}`", node, f"known: {', '.join(known)}")
        return known[name]

    def architecture(self, name: str, node: yaml.Node) -> Architecture:
        groups = ("limits", "lanes", "latencies")
        keys = ("vendor", "source", *groups, "l1_byte", "l1_has_shared", "sector_byte", "line_byte", "banks")
        top = self.record(node, "an architecture", keys, keys)
        vendor = self.text(top["vendor"])
        if vendor not in get_args(Vendor):
            raise self.fail("a vendor is nvidia or amd", top["vendor"])
        return Architecture(
            name=name,
            vendor="nvidia" if vendor == "nvidia" else "amd",
            source=self.text(top["source"]),
            limits=self.group(top["limits"], Limits),
            lanes=self.group(top["lanes"], Lanes),
            latencies=self.group(top["latencies"], Latencies),
            l1_byte=self.integer(top["l1_byte"]),
            l1_has_shared=self.text(top["l1_has_shared"]) == "true",
            sector_byte=self.integer(top["sector_byte"]),
            line_byte=self.integer(top["line_byte"]),
            banks=self.integer(top["banks"]),
        )

    def group(self, node: yaml.Node, kind: type[R]) -> R:
        keys = [field.name for field in fields(kind)]
        entries = self.record(node, kind.__name__.lower(), keys, keys)
        return kind(
            **{key: self.integer(entries[key], least=0 if key == "shared_reserved_byte" else 1) for key in keys}
        )

    def text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail("this is one text", node)
        return str(node.value)

    def integer(self, node: yaml.Node, least: int = 1) -> int:
        text = self.text(node)
        if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) < least:
            raise self.fail(f"this is an integer, {least} or more", node)
        return int(text)

    def number(self, node: yaml.Node) -> float:
        try:
            value = float(self.text(node))
        except ValueError:
            value = -1.0
        if not 0 < value < 1e18:
            raise self.fail("this is a positive number", node)
        return value
