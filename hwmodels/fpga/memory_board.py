"""Board of a device: DRAM, the tile-load net that was fitted to measurements, and energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tunepass.hwmodels.device_reader import plain_record
from tunepass.hwmodels.fpga.curves import Curve, curve


@dataclass(frozen=True, slots=True, kw_only=True)
class Dram:
    """`byte_per_s` is a channel's peak. A channel opens a row every `row_s` at most (tFAW / 4), and moves whole bursts.
    `command_cycles` start a transfer, `row_cycles` each row of it; rows shorter than `shortest_words` cost as much.
    """

    channels: int
    byte_per_s: float
    burst_byte: int
    row_s: float
    command_cycles: int
    row_cycles: int
    shortest_words: int
    source: str

    def byte_per_cycle(self, clock_hz: float) -> float:
        """Bytes that all channels together move in a cycle of the design."""
        return self.channels * self.byte_per_s / clock_hz

    @property
    def row_byte(self) -> float:
        """Bytes that a channel could have moved while it opened a row."""
        return self.row_s * self.byte_per_s


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedBox:
    """The largest of each input that was fitted; beyond, an estimate is an extrapolation."""

    readers: int
    rows: int
    columns: int
    par: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TileLoad:
    """The tile-load net: one hidden layer of sigmoids; see dram.py. Rows: bias, then one weight an input.

    `row` holds what was fitted of loads of one row, `tile` of loads of several.
    """

    hidden: tuple[tuple[float, ...], ...]
    output: tuple[float, ...]
    row: FittedBox
    tile: FittedBox
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """What is drawn: `operations` by width, in pJ; by a bit read or written on the chip, by a byte of DRAM; by the
    device when it is idle, and by each LUT of the design."""

    operations: Mapping[str, Curve]
    access_pj_per_bit: float
    dram_pj_per_byte: float
    idle_w: float
    lut_w: float
    source: str


def energy_of(section: Mapping[str, Any]) -> Energy:
    operations = {name: curve(amount) for name, amount in section["operations_pj"].items()}
    return plain_record(Energy, section, operations=operations)


def tile_load_of(section: Mapping[str, Any], source: str) -> TileLoad:
    return TileLoad(
        hidden=tuple(tuple(float(w) for w in row) for row in section["hidden"]),
        output=tuple(float(w) for w in section["output"]),
        row=plain_record(FittedBox, section["row"]),
        tile=plain_record(FittedBox, section["tile"]),
        source=source,
    )
