"""An FPGA's numbers, read from its YAML and nowhere else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import yaml

from tunepass.diagnostics import Source, spelling_hint
from tunepass.files import encoded
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.device_reader import plain_record, shipped_names
from tunepass.hwmodels.device_reader import shipped_text as packaged_text
from tunepass.hwmodels.fpga import device_file
from tunepass.hwmodels.fpga.curves import Curve, Depth, Ways, Yaml, curve, sized
from tunepass.hwmodels.fpga.memory_board import Dram, Energy, TileLoad, energy_of, tile_load_of
from tunepass.hwmodels.plugin_devices import plugin_device


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockMemory:
    """On-chip block RAM: a block is `port_bit` wide, and deeper the narrower its words are.

    `shapes`: where a tool's own choice of shape is known, its (width in bits, words, blocks) for each; then
    `row_blocks_per_bit` is what it reckons a multiplexer behind several rows of blocks costs, in blocks.
    """

    port_bit: int
    words_of_width: tuple[tuple[int, int], ...]  # (largest width in bits, words a block holds), ascending
    delay_line_register_bit: int
    source: str
    shapes: tuple[tuple[int, int, int], ...] = ()
    row_blocks_per_bit: float = 0.0

    def words(self, width_bit: int) -> int:
        """Words of `width_bit` that one block holds."""
        return next((words for width, words in self.words_of_width if width_bit <= width), self.words_of_width[-1][1])


def priced(shapes: tuple[tuple[int, int, int], ...]) -> tuple[float, ...]:
    """What each shape costs a tool, in blocks: the share of a block's bits that it can use."""
    most = max(width * words / blocks for width, words, blocks in shapes)
    return tuple(width * words / most for width, words, _ in shapes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """sum of a L / (L + b) over `saturating`, plus `per_block` for each block of RAM; L counts LUTs."""

    saturating: tuple[tuple[float, float], ...]
    per_block: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Coefficients of the place-and-route correction; see placement.py."""

    routing_luts: Correction
    unavailable_alms: Correction
    fanout_per_reg: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fpga:
    """One device. Latencies in cycles and areas in device resources, by the width in bits (curves.py).

    `lut_inputs`: a function of more inputs takes several LUTs. Without a `placement`, nothing is added after synthesis.
    `templates`: what counters, multiplexers, queues and buffers take, by ways or depth, where that was characterised.
    `digest` is of the user's file that describes it; empty for one that ships.
    """

    name: str
    family: str
    description: str
    clock_hz: float
    startup_cycles: int
    capacity: Mapping[str, int]
    latency: Mapping[str, Curve]
    latency_in_reduce: Mapping[str, Curve]
    retimed: frozenset[str]
    area: Mapping[str, Mapping[str, Curve]]
    structures: Mapping[str, Mapping[str, Curve]]
    memory: BlockMemory
    body_stretch: float
    placement: Placement | None
    tile_load: TileLoad
    dram: Dram
    energy: Energy
    lut_inputs: int = 6
    templates: Mapping[str, Mapping[str, Ways | Depth]] = field(default_factory=dict)
    digest: str = ""


def names() -> list[str]:
    """The devices that ship with tunepass."""
    return list(shipped_names("tunepass.hwmodels"))


def load(name: str) -> Fpga:
    """The device `name`, for example `stratix-v`, or the one that a YAML file at that path describes."""
    if device_file.is_file(name) or name in names() or not (plugin := plugin_device(name, "fpga")):
        return _load(name, text_of(name), name)
    return _load(name, plugin.text, plugin.name)


@lru_cache(maxsize=16)
def _load(name: str, text: str, place: str) -> Fpga:
    """`place` is what messages call the text."""
    if name in names():
        return read(text, name)
    device_file.check(Source(place, text), {shipped: shipped_text(shipped) for shipped in names()})
    device = read(text, place)
    if device_file.is_file(name):
        return replace(device, digest=hashlib.sha256(encoded(text)).hexdigest())
    return replace(device, name=name)


def text_of(name: str) -> str:
    """The YAML of a device that ships with tunepass, or that a file holds."""
    return device_file.text_of_file(name) if device_file.is_file(name) else shipped_text(name)


def shipped_text(name: str) -> str:
    if name not in names():
        known = spelling_hint(name, names(), f"devices: {', '.join(names())}", quote=str)
        raise ModelError(f"unknown device {name!r}", hint=f"{known}; a file of your own ends in .yaml")
    return packaged_text("tunepass.hwmodels", f"devices/{name}.yaml")


def read(text: str, name: str) -> Fpga:
    """A device from YAML text; raises ModelError naming the key that is missing or wrong.

    A device that is `like` another has its numbers, but for those it states: key by key in latency, area,
    structures, dram and energy, as a whole elsewhere.
    """
    try:
        return _device(_merged(text, name))
    except KeyError as error:
        raise ModelError(f"device {name}: {error.args[0]!r} is missing", hint=device_file.HINT) from None
    except (TypeError, ValueError, AttributeError, yaml.YAMLError) as error:
        raise ModelError(f"device {name} cannot be read: {error}") from None


_BY_KEY = ("latency", "area", "structures", "dram", "energy", "fitted")


def _merged(text: str, name: str, depth: int = 0) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(text)
    if "like" not in data:
        return data
    if depth > 3:
        raise ModelError(f"device {name}: `like` goes in a circle")
    base = _merged(shipped_text(str(data["like"])), str(data["like"]), depth + 1)
    merged = {**base, **data}
    for key in _BY_KEY:
        merged[key] = {**base.get(key, {}), **(data.get(key) or {})}
    return merged


def _device(data: dict[str, Any]) -> Fpga:
    latency = {k: v for k, v in data["latency"].items() if k != "source"}
    fitted = data["fitted"]
    return Fpga(
        name=data["name"],
        family=data["family"],
        description=data["description"],
        clock_hz=float(data["clock_hz"]),
        startup_cycles=int(data["startup_cycles"]),
        capacity={k: int(v) for k, v in data["capacity"].items() if k != "source"},
        latency={k: curve(v["cycles"]) for k, v in latency.items()},
        latency_in_reduce={k: curve(v.get("reduce", v["cycles"])) for k, v in latency.items()},
        retimed=frozenset(data["retimed"]),
        area={k: _table(data["area"], v) for k, v in data["area"].items() if k != "source"},
        structures={k: _table(data["structures"], v) for k, v in data["structures"].items() if k != "source"},
        memory=_memory({"row_blocks_per_bit": data.get("row_blocks_per_bit", 0.0), **data["memory"]}),
        body_stretch=float(fitted["body_stretch"]),
        placement=_placement(fitted),
        tile_load=tile_load_of(fitted["tile_load"], fitted["source"]),
        dram=plain_record(Dram, data["dram"]),
        energy=energy_of(data["energy"]),
        lut_inputs=int(data.get("lut_inputs", 6)),
        templates={
            k: {resource: sized(amount) for resource, amount in v.items()}
            for k, v in data.get("templates", {}).items()
            if k != "source"
        },
    )


def _placement(fitted: Mapping[str, Any]) -> Placement | None:
    placement = fitted["placement"]
    if not placement:
        return None
    corrections = {name: _correction(placement[name]) for name in ("routing_luts", "unavailable_alms")}
    return plain_record(Placement, {**placement, "source": fitted["source"]}, **corrections)


def _table(every: Mapping[str, Any], value: str | Mapping[str, Yaml]) -> dict[str, Curve]:
    """What one entry takes; the name of another entry stands for what that takes."""
    if isinstance(value, str):
        return _table({k: v for k, v in every.items() if v != value}, every[value])
    return {resource: curve(amount) for resource, amount in value.items()}


def _correction(value: Mapping[str, Any]) -> Correction:
    pairs = tuple((float(a), float(b)) for a, b in value["saturating"])
    return Correction(saturating=pairs, per_block=float(value["per_block"]))


def _memory(value: Mapping[str, Any]) -> BlockMemory:
    return plain_record(
        BlockMemory,
        value,
        words_of_width=tuple((int(width), int(words)) for width, words in value["words_of_width"]),
        shapes=tuple((int(w), int(d), int(n)) for w, d, n in value.get("shapes", ())),
    )
