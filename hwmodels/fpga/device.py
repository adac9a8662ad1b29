"""An FPGA's numbers, read from its YAML and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import yaml

from tunepass.diagnostics import nearest
from tunepass.hwmodels.base import ModelError

Polynomial = tuple[float, ...]  # coefficients, the constant first


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockMemory:
    """On-chip block RAM: a block is `port_bit` wide, and deeper the narrower its words are."""

    port_bit: int
    words_of_width: tuple[tuple[int, int], ...]  # (largest width in bits, words a block holds), ascending
    delay_line_register_bit: int
    source: str

    def words(self, width_bit: int) -> int:
        """Words of `width_bit` that one block holds."""
        return next((words for width, words in self.words_of_width if width_bit <= width), self.words_of_width[-1][1])


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
class TileLoad:
    """The tile-load correction: one hidden layer of sigmoids; see dram.py. Rows: bias, then one weight an input."""

    hidden: tuple[tuple[float, ...], ...]
    output: tuple[float, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fpga:
    """One device. Latencies in cycles and areas in device resources, as polynomials in the width in bits."""

    name: str
    family: str
    description: str
    clock_hz: float
    startup_cycles: int
    capacity: Mapping[str, int]
    latency: Mapping[str, Polynomial]
    latency_in_reduce: Mapping[str, Polynomial]
    retimed: frozenset[str]
    area: Mapping[str, Mapping[str, Polynomial]]
    structures: Mapping[str, Mapping[str, Polynomial]]
    memory: BlockMemory
    body_stretch: float
    placement: Placement
    tile_load: TileLoad


def names() -> list[str]:
    """The devices that ship with tunepass."""
    folder = resources.files("tunepass.hwmodels").joinpath("devices")
    return sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))


@lru_cache(maxsize=8)
def load(name: str) -> Fpga:
    """The device `name`, for example `stratix-v`."""
    if name not in names():
        close = nearest(name, names())
        raise ModelError(
            f"unknown device {name!r}", hint=f"did you mean {close}?" if close else f"devices: {', '.join(names())}"
        )
    text = resources.files("tunepass.hwmodels").joinpath("devices", f"{name}.yaml").read_text(encoding="utf-8")
    return read(text, name)


def read(text: str, name: str) -> Fpga:
    """A device from YAML text; raises ModelError naming the key that is missing or wrong."""
    try:
        data = yaml.safe_load(text)
        latency = {k: v for k, v in data["latency"].items() if k != "source"}
        fitted = data["fitted"]
        return Fpga(
            name=data["name"],
            family=data["family"],
            description=data["description"],
            clock_hz=float(data["clock_hz"]),
            startup_cycles=int(data["startup_cycles"]),
            capacity={k: int(v) for k, v in data["capacity"].items() if k != "source"},
            latency={k: _polynomial(v["cycles"]) for k, v in latency.items()},
            latency_in_reduce={k: _polynomial(v.get("reduce", v["cycles"])) for k, v in latency.items()},
            retimed=frozenset(data["retimed"]),
            area={k: _table(v) for k, v in data["area"].items() if k != "source"},
            structures={k: _table(v) for k, v in data["structures"].items() if k != "source"},
            memory=_memory(data["memory"]),
            body_stretch=float(fitted["body_stretch"]),
            placement=Placement(
                routing_luts=_correction(fitted["placement"]["routing_luts"]),
                unavailable_alms=_correction(fitted["placement"]["unavailable_alms"]),
                fanout_per_reg=float(fitted["placement"]["fanout_per_reg"]),
                source=fitted["source"],
            ),
            tile_load=TileLoad(
                hidden=tuple(tuple(float(w) for w in row) for row in fitted["tile_load"]["hidden"]),
                output=tuple(float(w) for w in fitted["tile_load"]["output"]),
                source=fitted["source"],
            ),
        )
    except KeyError as error:
        raise ModelError(f"device {name}: {error.args[0]!r} is missing") from None
    except (TypeError, ValueError, yaml.YAMLError) as error:
        raise ModelError(f"device {name} cannot be read: {error}") from None


def _polynomial(value: float | list[float]) -> Polynomial:
    return tuple(float(v) for v in value) if isinstance(value, list) else (float(value),)


def _table(value: Mapping[str, float | list[float]]) -> dict[str, Polynomial]:
    return {resource: _polynomial(amount) for resource, amount in value.items()}


def _correction(value: Mapping[str, object]) -> Correction:
    pairs = value["saturating"]
    assert isinstance(pairs, list)
    return Correction(
        saturating=tuple((float(a), float(b)) for a, b in pairs), per_block=float(str(value["per_block"]))
    )


def _memory(value: Mapping[str, object]) -> BlockMemory:
    widths = value["words_of_width"]
    assert isinstance(widths, list)
    return BlockMemory(
        port_bit=int(str(value["port_bit"])),
        words_of_width=tuple((int(width), int(words)) for width, words in widths),
        delay_line_register_bit=int(str(value["delay_line_register_bit"])),
        source=str(value["source"]),
    )


def evaluate(polynomial: Polynomial, x: float) -> float:
    return sum(coefficient * x**power for power, coefficient in enumerate(polynomial))
