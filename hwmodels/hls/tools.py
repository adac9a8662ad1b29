"""Numbers of a tool for high-level synthesis, for operations, loops and transfers, read from tools.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from tunepass.diagnostics import spelling_hint
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.hls.operators import OperatorCost, kind_of, operator, stages
from tunepass.ir.hardware import Element
from tunepass.ir.hls import HlsDialect, HlsOperation

FREE = ("load", "store", "constant")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfers:
    """How global memory is reached. `request_cycles`: until a burst's first word; `scattered_cycles`: an element that
    no burst brings; a beat is `port_bit` wide."""

    port_bit: int
    wide_bit: float  # arrays that are larger come an element at a time;
    tiles_widen: bool  # what is copied by tiles does not
    request_cycles: float
    scattered_cycles: float
    scattered_lane_cycles: float  # more of them for each processing element that competes


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaTerms:
    """LUTs and registers besides the operators'; see area.py."""

    luts: Mapping[str, float]
    ffs: Mapping[str, float]
    brams: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsTool:
    """One version of a tool. `loop_cycles`: to enter a loop and to leave it; `load_cycles`: of on-chip memory.
    `carry_cycles`: from one iteration to the next, besides a recurrence's operators. `reorders_reductions`: a reduction
    that a pragma names into an array's elements, and that is not unrolled, starts an iteration a cycle.
    `cuts_remainders`: banks that copies do not divide keep transfers narrow. `interleaved_tile`: the widest tile of an
    outer loop whose sums take turns in a loop inside that has no copies.
    `holds_elements`: what all copies of a body add to stays in registers, and not only what a body without copies does.
    `splits_mixed`: an array that two loops index in the same dimension is still partitioned there."""

    name: str
    source: str
    clock_hz: float  # that the numbers are for
    operators: Mapping[str, OperatorCost]
    load_cycles: float
    store_cycles: float
    loop_cycles: float
    start_cycles: float
    memory_ports: int
    splits_mixed: bool
    carry_cycles: float
    reorders_reductions: bool
    holds_elements: bool
    cuts_remainders: bool
    interleaved_tile: int
    transfers: Transfers
    area: AreaTerms

    def operator(self, operation: HlsOperation, inputs: Sequence[Element] = ()) -> OperatorCost:
        """Operator for an operation on values of these types."""
        return self.of_kind(kind_of(operation, inputs))

    def at(self, clock_hz: float) -> HlsTool:
        """Made for another clock than the table: an operator is cut into as many stages as cycles fit its delay, and
        DRAM takes as long as before. Assumed, as the records have one clock."""
        ratio = clock_hz / self.clock_hz
        if ratio == 1:
            return self
        operators = {kind: replace(o, cycles=stages(o.cycles, ratio)) for kind, o in self.operators.items()}
        scaled = {
            name: getattr(self.transfers, name) * ratio
            for name in ("request_cycles", "scattered_cycles", "scattered_lane_cycles")
        }
        transfers = replace(self.transfers, **scaled)
        return replace(self, operators=operators, transfers=transfers, clock_hz=clock_hz)

    def of_kind(self, kind: str) -> OperatorCost:
        return operator(self.operators, kind)


def default_tool(dialect: HlsDialect) -> str:
    """Vitis HLS has the operators of the Merlin that runs on it."""
    return {"merlin": "merlin-2020.2", "vitis": "merlin-2020.2", "intel": "intel"}[dialect]


@cache
def tool(name: str) -> HlsTool:
    """ModelError for a tool that is not in tools.yaml."""
    tools = yaml.safe_load(resources.files("tunepass.hwmodels.hls").joinpath("tools.yaml").read_text(encoding="utf-8"))
    if name not in tools:
        raise ModelError(
            f"no numbers for the tool {name!r}",
            hint=spelling_hint(name, tools, f"known: {', '.join(tools)}", quote=str),
        )
    return read(name, tools[name])


def read(name: str, table: Mapping[str, Any]) -> HlsTool:
    """The numbers under one name of tools.yaml."""
    operators = {kind: OperatorCost(**amounts) for kind, amounts in table["operators"].items()}
    fields = {key: value for key, value in table.items() if key not in ("operators", "transfers", "area")}
    return HlsTool(
        name=name,
        operators=operators,
        transfers=Transfers(**table["transfers"]),
        area=AreaTerms(**table["area"]),
        **fields,
    )
