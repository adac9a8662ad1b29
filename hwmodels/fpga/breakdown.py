"""Breakdown of the cycles and the resources of one configuration, part by part.

Cycles are those of the critical path, so that the parts of a controller and its own overhead add up to it: N turns of
stages c_i take N sum c_i one after the other, and sum c_i + (N - 1) max c_i as a pipeline, whose slowest stage gets the
(N - 1) max c_i. Of stages that start together the slowest gets everything, the others are hidden behind it.

Resources are the design's own, before routing; an instance in a loop of P lanes counts P times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tunepass.expr import algebra, numpy_eval
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import Columns
from tunepass.hwmodels.base import Costs, EstimatePart, Slice
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.placement import logic_alms, logic_luts

Number = Callable[[Expr], float]


def cycles(costs: Costs, columns: Columns) -> tuple[Slice, ...]:
    """`cycles` on the critical path, `each` (of one execution) and `times` (executions), for one configuration."""
    number = numbers(columns)
    return tuple(
        _timed(part, below, 1.0, number(part.values["cycles"]), number) for part, below in forest(costs.timing)
    )


def resources(costs: Costs, device: Fpga, columns: Columns) -> tuple[Slice, ...]:
    """`alms`, `luts`, `ffs`, `dsps`, `brams` and `times` (instances), for one configuration; what place and route adds
    to the whole, and rounding, comes last."""
    number = numbers(columns)
    parts = [_placed(part, below, 1.0, number, device) for part, below in forest(costs.areas)]
    left = {
        name: number(total) - sum(part.values[name] for part in parts)
        for name, total in costs.values.items()
        if name in RESOURCES
    }
    return (*parts, Slice("place and route", None, left | {"times": 1.0}, left, ()))


RESOURCES = ("alms", "luts", "ffs", "dsps", "brams")
Tree = Sequence[tuple[EstimatePart, "Tree"]]


def forest(parts: Sequence[EstimatePart]) -> Tree:
    """Parts in program order as a forest, by their depths."""
    tree: list[tuple[EstimatePart, Tree]] = []
    first = 0
    while first < len(parts):
        end = first + 1
        while end < len(parts) and parts[end].depth > parts[first].depth:
            end += 1
        tree.append((parts[first], forest(parts[first + 1 : end])))
        first = end
    return tree


def _timed(part: EstimatePart, below: Tree, times: float, critical: float, number: Number) -> Slice:
    """A part that is executed `times` and takes `critical` cycles of the whole."""
    each = number(part.values["cycles"])
    turns = number(part.times) if part.times is not None else 1.0
    takes = [number(inner.values["cycles"]) for inner, _ in below]
    slowest = max(range(len(takes)), key=takes.__getitem__) if takes else 0
    overlap = part.overlap is not None and number(part.overlap) > 0
    share = critical / each if each else 0.0
    inside = []
    for i, (inner, deeper) in enumerate(below):
        if part.combine == "slowest":
            counted = takes[i] if i == slowest else 0.0
        elif overlap:
            counted = takes[i] + (turns - 1) * takes[i] * (i == slowest)
        else:
            counted = turns * takes[i]
        inside.append(_timed(inner, deeper, times * turns, share * counted, number))
    self_cycles = critical - sum(nested.values["cycles"] for nested in inside)
    values = {"cycles": critical, "each": each, "times": times}
    return Slice(part.label, part.span, values, {"cycles": self_cycles}, tuple(inside))


def _placed(part: EstimatePart, below: Tree, instances: float, number: Number, device: Fpga) -> Slice:
    amounts: Mapping[str, Expr] = {
        "alms": logic_alms(part.values),
        "luts": logic_luts(part.values, device),
        "ffs": _sum(part.values, ("Regs", "Mregs")),
        "dsps": _sum(part.values, ("DSPs",)),
        "brams": _sum(part.values, ("BRAM",)),
    }
    values = {name: instances * number(amount) for name, amount in amounts.items()}
    lanes = number(part.times) if part.times is not None else 1.0
    inside = tuple(_placed(inner, deeper, instances * lanes, number, device) for inner, deeper in below)
    self_values = {name: value - sum(nested.values[name] for nested in inside) for name, value in values.items()}
    return Slice(part.label, part.span, values | {"times": instances}, self_values, inside)


def _sum(values: Mapping[str, Expr], names: Sequence[str]) -> Expr:
    return algebra.add(*(values[name] for name in names if name in values))


def numbers(columns: Columns) -> Number:
    return lambda e: float(numpy_eval.evaluate(e, columns, 1).values[0])
