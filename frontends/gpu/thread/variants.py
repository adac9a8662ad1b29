"""A thread's code where an `#if` over parameters decides what is around it: types, macros, whole functions.

The source is read once for each set of branches that some values of the parameters choose. What each reading counts
holds under the condition of its branches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.branches.sets import branch_sets
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.gpu_thread import CodeRegion, ThreadCode
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter

COUNTS = tuple(f.name for f in fields(CodeRegion) if f.name not in ("copies", "whole", "inside"))


def read_variants(
    unit: Unit, parameters: Sequence[Parameter], read: Callable[[Mapping[str, Value]], ThreadCode | None]
) -> ThreadCode | None:
    """The code under all sets of branches. `read` gives that under some values, which are none for the defaults; None
    where there is no such kernel.

    Raises SourceError for code that cannot be read under some values, and for an `#if` that cannot be followed.
    """
    sets = branch_sets(unit, parameters)
    read_codes = [(chosen.condition, read({} if chosen.plain else {**chosen.configuration})) for chosen in sets]
    parts = [(condition, code) for condition, code in read_codes if code is not None]
    return _merged(parts) if parts else None


def _merged(parts: Sequence[tuple[Expr, ThreadCode]]) -> ThreadCode:
    conditions, codes = [condition for condition, _ in parts], [code for _, code in parts]
    first = codes[0]
    return replace(first, body=_joined(conditions, [code.body for code in codes]))


def _joined(conditions: Sequence[Expr], regions: Sequence[CodeRegion]) -> CodeRegion:
    """Amounts by condition; loops that the variants have in common stay one."""
    first = regions[0]
    counts = {name: _choice(conditions, [getattr(region, name) for region in regions]) for name in COUNTS}
    inside: list[CodeRegion] = []
    if all(_shape(region.inside) == _shape(first.inside) for region in regions):
        inside = [_joined(conditions, several) for several in zip(*(region.inside for region in regions))]
    else:
        inside = [_under(c, inner) for c, region in zip(conditions, regions) for inner in region.inside]
    return replace(first, inside=tuple(inside), **counts)


def _shape(regions: Sequence[CodeRegion]) -> list[tuple[Expr, Expr]]:
    return [(region.copies, region.whole) for region in regions]


def _choice(conditions: Sequence[Expr], amounts: Sequence[Expr]) -> Expr:
    """The amount whose condition holds; the last one's is the remaining case."""
    chosen = amounts[-1]
    for condition, amount in reversed(list(zip(conditions[:-1], amounts[:-1]))):
        chosen = algebra.where(condition, amount, chosen)
    return chosen


def _under(condition: Expr, region: CodeRegion) -> CodeRegion:
    """Counting where the condition holds alone."""
    times = algebra.where(condition, 1, 0)
    counts = {name: algebra.mul(times, getattr(region, name)) for name in COUNTS}
    return replace(region, inside=tuple(_under(condition, inner) for inner in region.inside), **counts)
