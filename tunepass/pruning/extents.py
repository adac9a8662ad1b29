"""The least and the most of each resource over what is left: computed where that is little, else bounded.

What a resource depends on alone is listed: of a product of diagrams the groups that it mentions. Where that is too
much, bounds over the box of the values that are left hold it; a resource that is monotone in a parameter is computed at
the parameter's ends (expr.interval.differences).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.interval.differences import signs
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.nodes import Expr, OrderType, free_names, walk
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.pruning.base import Limit, Remaining
from tunepass.space.columns import Mask
from tunepass.space.parameter import Parameter

Floats = NDArray[np.float64]

MOST_WORK = 1 << 28  # operations on configurations: less than a second
MOST_VALUES = 1 << 16  # of a parameter whose values bounds are taken over


@dataclass(frozen=True, slots=True)
class Extent:
    """What a resource is at least and at most over what is left; `exact`: both occur there."""

    low: float
    high: float
    exact: bool


def extents(values: Mapping[str, Expr], remaining: Remaining, limits: Sequence[Limit] = ()) -> dict[str, Extent]:
    """Of each resource; those that are undefined everywhere, or have no bounds, are left out. `limits` are those that
    what remains meets, and bounds too. Resources that depend on the same parameters are evaluated together."""
    together: dict[frozenset[str], list[str]] = {}
    for name, value in values.items():
        together.setdefault(frozenset(free_names(value)), []).append(name)
    by_resource: dict[str, Extent] = {}
    for names, resources in together.items():
        if remaining.count.high:
            by_resource |= _of_some(names, {name: values[name] for name in resources}, remaining)
    return {name: _limited(name, by_resource[name], limits) for name in values if name in by_resource}


def _limited(name: str, extent: Extent, limits: Sequence[Limit]) -> Extent:
    resource_limits = [limit for limit in limits if limit.resource == name]
    low = max([extent.low, *(limit.bound for limit in resource_limits if limit.at_least)])
    high = min([extent.high, *(limit.bound for limit in resource_limits if not limit.at_least)])
    return extent if extent.exact else Extent(low, high, exact=False)


def _of_some(names: frozenset[str], values: Mapping[str, Expr], remaining: Remaining) -> dict[str, Extent]:
    some = remaining.about(names)
    work = len({id(node) for value in values.values() for node in walk(value)})
    listed = {p.name for p in some.parameters if p.size is not None}
    if some.count.exact and names <= listed and some.count.low * work <= MOST_WORK:
        return _listed(values, some)
    return _bounded(names, values, remaining)


def _listed(values: Mapping[str, Expr], some: Remaining) -> dict[str, Extent]:
    program = CompiledExpressions(values.values())
    low, high = np.full(len(values), np.inf), np.full(len(values), -np.inf)
    for columns in some.columns():
        n = len(next(iter(columns.values()))) if columns else 1
        for i, evaluated in enumerate(program.evaluate(columns, n)):
            defined = np.asarray(evaluated.values)[evaluated.defined].astype(np.float64)
            if len(defined):
                low[i], high[i] = min(low[i], defined.min()), max(high[i], defined.max())
    ends = zip(values, low.tolist(), high.tolist())
    return {name: Extent(least, most, exact=True) for name, least, most in ends if least <= most}


def _bounded(names: frozenset[str], values: Mapping[str, Expr], remaining: Remaining) -> dict[str, Extent]:
    masks = remaining.kept()
    about = [p for p in remaining.parameters if p.name in names]
    if any(isinstance(p.type, OrderType) or (p.size or 0) > MOST_VALUES for p in about):
        return {}
    domains = {p.name: _values(p, masks) for p in about}
    by_name: dict[str, Extent] = {}
    for (name, value), rising in zip(values.items(), signs(list(values.values()), domains)):
        ends = []
        for end in (0, -1):  # the side of a parameter's values on which the resource is least, and most
            side = {p: (end if rising[p] > 0 else -1 - end) for p in domains}
            lo = {p: np.array([v[side[p]] if rising[p] else v[0]]) for p, v in domains.items()}
            hi = {p: np.array([v[side[p]] if rising[p] else v[-1]]) for p, v in domains.items()}
            ends.append(IntervalExtension([value]).bounds(lo, hi, 1)[0])
        low, high = (float(np.ravel(bound)[0]) for bound in (ends[0].lo, ends[1].hi))
        if np.isfinite(low) and np.isfinite(high):
            by_name[name] = Extent(low, high, exact=False)
    return by_name


def _values(p: Parameter, masks: Mapping[str, Mask]) -> Floats:
    """The values that are left, ascending; of words their codes, of a real number the ends of its range."""
    if p.size is None:
        return np.array([p.lo, p.hi], np.float64)
    values = np.asarray(p.at(np.flatnonzero(masks[p.name])) if p.name in masks else p.at(np.arange(p.size)), np.float64)
    return np.sort(values)
