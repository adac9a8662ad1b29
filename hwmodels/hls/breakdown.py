"""Breakdown of the cycles and the resources of one configuration: loop by loop, array by array.

A pipelined loop is told with its initiation interval and its depth. Loops around it with nothing else in them run
through its pipeline as one, so their cycles are its own; loops inside it are unrolled. What any other loop has in it
takes turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr.numpy_eval import Columns
from tunepass.hwmodels.base import Costs, EstimatePart, Slice
from tunepass.hwmodels.fpga.breakdown import Number, Tree, forest, numbers
from tunepass.hwmodels.hls.area import RESOURCES

OF_LOOPS: tuple[str, ...] = ("trip", "copies")
OF_PARTS = ("units", "banks")


def cycles(costs: Costs, columns: Columns) -> tuple[Slice, ...]:
    """`cycles` in all, `each` (of one execution), `times` (executions); of a loop its `trip` and its `copies`, of a
    pipeline `II` and `depth`."""
    number = numbers(columns)
    return tuple(_root(part, below, number) for part, below in forest(costs.timing))


def _root(part: EstimatePart, below: Tree, number: Number) -> Slice:
    assert part.times is not None
    each, times = number(part.values["cycles"]), number(part.times)
    inside = tuple(_loop(inner, deeper, times, number) for inner, deeper in below)
    return _slice(part, each * times, each, times, {}, inside)


def _loop(part: EstimatePart, below: Tree, times: float, number: Number) -> Slice:
    """A transfer, or a loop that is executed `times`."""
    values = {name: number(e) for name, e in part.values.items()}
    each = values["cycles"]
    known = {name: values[name] for name in OF_LOOPS if name in values}
    if values.get("unrolled"):
        return _slice(part, each * times, each, times, known, _unrolled(below, number))
    if values.get("pipelined"):
        return _pipeline(part, below, each * times, values, number)
    turns = number(part.times) if part.times is not None else 1.0
    inside = tuple(_loop(inner, deeper, times * turns, number) for inner, deeper in below)
    return _slice(part, each * times, each, times, known, inside)


def _pipeline(part: EstimatePart, below: Tree, whole: float, piped: dict[str, float], number: Number) -> Slice:
    """A loop of a nest that goes through one pipeline, whose numbers are `piped`: they are told where it is."""
    values = {name: number(e) for name, e in part.values.items()}
    known = {"trip": values["trip"], "copies": values["copies"]}
    times = whole / piped["cycles"] if piped["cycles"] else 0.0
    if values["leaf"]:
        known |= {"II": piped["II"], "depth": piped["depth"]}
        return _slice(part, whole, piped["cycles"], times, known, _unrolled(below, number))
    inside = tuple(_pipeline(inner, deeper, whole, piped, number) for inner, deeper in below)
    return _slice(part, whole, piped["cycles"], times, known, inside)


def _unrolled(below: Tree, number: Number) -> tuple[Slice, ...]:
    slices = []
    for part, deeper in below:
        known = {"trip": number(part.values["trip"]), "copies": number(part.values["copies"]), "unrolled": 1.0}
        slices.append(_slice(part, 0.0, 0.0, 0.0, known, _unrolled(deeper, number)))
    return tuple(slices)


def _slice(
    part: EstimatePart, whole: float, each: float, times: float, known: dict[str, float], inside: Sequence[Slice]
) -> Slice:
    self_cycles = max(0.0, whole - sum(inner.values["cycles"] for inner in inside))  # tasks may run at once
    return Slice(
        part.label,
        part.span,
        {"cycles": whole, "each": each, "times": times, **known},
        {"cycles": self_cycles},
        tuple(inside),
    )


def area(costs: Costs, columns: Columns) -> tuple[Slice, ...]:
    """Resources before sums are rounded; of operators how many there are, of arrays their banks."""
    number = numbers(columns)
    return tuple(_part(part, below, number) for part, below in forest(costs.areas))


def _part(part: EstimatePart, below: Tree, number: Number) -> Slice:
    values = {name: number(part.values[name]) for name in (*RESOURCES, *OF_PARTS) if name in part.values}
    inside = tuple(_part(inner, deeper, number) for inner, deeper in below)
    self_values = {name: values[name] - sum(inner.values[name] for inner in inside) for name in RESOURCES}
    return Slice(part.label, part.span, {"times": 1.0, **values}, self_values, inside)
