"""How often loops iterate, as far as their parameters' values are known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tunepass.ir.scop import Scop, ScopAccess, ScopStatement

if TYPE_CHECKING:
    import islpy as isl

SAMPLES = 4096  # of a domain's bounding box: its share is known to a few hundredths
UNKNOWN_SIZE = 500  # of a parameter whose value nobody states


@lru_cache(maxsize=16)
def _values(scop: Scop) -> tuple[tuple[str, int], ...]:
    stated = {p.name: p.value for p in scop.parameters if p.value is not None}
    bounds: dict[str, int] = {}
    for statement in scop.statements:
        for access in statement.accesses:
            for name, most in _most_values(scop, statement, access):
                bounds[name] = min(bounds.get(name, most), most)
    return tuple({**bounds, **stated}.items())


def known_values(scop: Scop) -> dict[str, int]:
    """Values of parameters: of macros theirs, of variables the largest with which subscripts stay inside arrays."""
    return dict(_values(scop))


def _most_values(scop: Scop, statement: ScopStatement, access: ScopAccess) -> Iterator[tuple[str, int]]:
    """(parameter, value) for each dimension of known extent whose last subscript is the parameter plus a number."""
    import islpy as isl

    touched = isl.Map(access.map).intersect_domain(isl.Set(statement.domain)).range()
    extents = scop.array(access.array).extents
    if not access.certain or touched.dim(isl.dim_type.set) != len(extents):
        return
    for place, extent in enumerate(extents):
        if not extent.isdecimal():
            continue
        last: list[isl.Aff] = []
        touched.dim_max(place).foreach_piece(lambda _, value, last=last: last.append(value))
        for value in last:
            names = [value.get_dim_name(isl.dim_type.param, n) for n in range(value.dim(isl.dim_type.param))]
            factors = [str(value.get_coefficient_val(isl.dim_type.param, n)) for n in range(len(names))]
            constant = value.get_constant_val()
            if set(factors) <= {"0", "1"} and factors.count("1") == 1 and constant.is_int():
                yield names[factors.index("1")], int(extent) - 1 - int(str(constant))


def longest_extents(scop: Scop) -> Mapping[str, int]:
    """The most iterations of each loop that are certain, by its name; loops of unknown length are left out."""
    values, extents = known_values(scop), dict[str, int]()
    for statement in scop.statements:
        domain = _instance_set(statement, values)
        for place, loop in enumerate(statement.loops):
            length = _length(domain, place)
            if length is not None:
                extents[loop] = max(extents.get(loop, 0), length)
    return extents


def average_trips(scop: Scop, statement: ScopStatement, sizes: Mapping[str, int]) -> tuple[float, ...]:
    """Iterations of each of its loops, on average over those of the loops around it. `sizes` are of parameters by name.
    The domain's share of its bounding box is sampled."""
    values = {p.name: UNKNOWN_SIZE for p in scop.parameters} | known_values(scop) | dict(sizes)
    domain = _instance_set(statement, values)
    depth = len(statement.loops)
    counts = [1.0, *(_count(_outer(domain, place, depth)) for place in range(1, depth + 1))]
    return tuple(max(1.0, inner / max(1.0, outer)) for outer, inner in itertools.pairwise(counts))


def _instance_set(statement: ScopStatement, values: Mapping[str, int]) -> isl.Set:
    import islpy as isl

    domain = isl.Set(statement.domain)
    for name, value in values.items():
        place = domain.find_dim_by_name(isl.dim_type.param, name)
        if place >= 0:
            domain = domain.fix_val(isl.dim_type.param, place, isl.Val.int_from_si(domain.get_ctx(), value))
            domain = domain.project_out(isl.dim_type.param, place, 1)
    return domain


def _outer(domain: isl.Set, count: int, depth: int) -> isl.Set:
    import islpy as isl

    return domain.project_out(isl.dim_type.set, count, depth - count)


def _bounds(domain: isl.Set, place: int) -> tuple[int, int] | None:
    least, most = domain.dim_min_val(place), domain.dim_max_val(place)
    return (int(str(least)), int(str(most))) if least.is_int() and most.is_int() else None


def _length(domain: isl.Set, place: int) -> int | None:
    bounds = _bounds(domain, place)
    return None if bounds is None else bounds[1] - bounds[0] + 1


def _count(domain: isl.Set) -> float:
    """Points of the set; its bounding box's volume times the share of it that is inside."""
    import islpy as isl

    if domain.is_empty():
        return 0.0
    depth = domain.dim(isl.dim_type.set)
    bounds = [_bounds(domain, place) for place in range(depth)]
    known = [b for b in bounds if b is not None]
    if len(known) < depth:
        return math.pow(UNKNOWN_SIZE, depth)
    rng = np.random.default_rng(0)
    points = np.stack([rng.integers(lo, hi + 1, SAMPLES) for lo, hi in known], axis=1)  # (SAMPLES, depth)
    inside = np.zeros(SAMPLES, dtype=bool)
    for part in domain.remove_divs().get_basic_sets():
        inside |= _contains(part, points)
    volume = float(math.prod(hi - lo + 1 for lo, hi in known))
    share: float = inside.mean()
    return max(1.0, volume * share)


def _contains(part: isl.BasicSet, points: NDArray[np.int64]) -> NDArray[np.bool_]:
    import islpy as isl

    inside = np.ones(len(points), dtype=bool)
    for constraint in part.get_constraints():
        row = [int(str(constraint.get_coefficient_val(isl.dim_type.set, d))) for d in range(points.shape[1])]
        value = points @ np.array(row) + int(str(constraint.get_constant_val()))
        inside &= (value == 0) if constraint.is_equality() else (value >= 0)
    return inside
