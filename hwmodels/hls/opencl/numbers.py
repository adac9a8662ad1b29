"""Numbers of an OpenCL compiler on one board, read from numbers.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from tunepass.hwmodels.base import ModelError

DEFAULT = "de5-14.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """MHz: idle - slope * u ** power, where u is the share of ALMs, or `ram` times that of RAM blocks."""

    idle: float
    slope: float
    power: float
    ram: float
    least: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """`alms` and `brams`: amounts by what is counted; see area.py. Cycles are of the kernel's clock."""

    name: str
    source: str
    device: str
    load_cycles: float
    store_cycles: float
    global_cycles: float
    latency: Mapping[str, float]
    line_byte: int
    line_ns: float
    scattered_ns: float
    request_ns: float
    walked_ns: float
    dispatch_ns: float
    start_ns: float
    start_cycles: float
    guarded: float
    capacity: Mapping[str, int]
    clock_mhz: Clock
    alms: Mapping[str, float]
    brams: Mapping[str, float]

    def cycles(self, operation: str) -> float:
        return self.latency.get(operation, self.latency["other"])


@cache
def board(name: str = DEFAULT) -> Board:
    """ModelError for a board that is not in numbers.yaml."""
    text = resources.files("tunepass.hwmodels.hls.opencl").joinpath("numbers.yaml").read_text(encoding="utf-8")
    boards: Mapping[str, Mapping[str, Any]] = yaml.safe_load(text)
    if name not in boards:
        raise ModelError(f"no numbers for the board {name!r}", hint=f"known: {', '.join(boards)}")
    return read(name, boards[name])


def read(name: str, table: Mapping[str, Any]) -> Board:
    """The numbers under one name of numbers.yaml."""
    fields = {key: value for key, value in table.items() if key != "clock_mhz"}
    return Board(name=name, clock_mhz=Clock(**table["clock_mhz"]), **fields)
