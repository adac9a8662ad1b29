"""Dependences by element, for models of devices: which statement waits for which, over what array, how far apart.

`element_dependences(scop)` answers with a dependence for each pair of accesses to one array of which one writes it.
Its `distances` are, for each loop around both statements from the outside in, how many values of the loop's index lie
between source and sink: a number where all pairs have the same, else None. Its `directions` are the signs that the
difference has in some pair, times the sign of the loop's step: `+` where the sink is in a later iteration. A dependence
is `carried` by the first loop with a `+`; one without a carrying loop lies within an iteration of all loops shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop
from tunepass.polyhedral.dependences.pairs import Dependence, Kind, dependences

if TYPE_CHECKING:
    import islpy as isl


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementDependence:
    """`sink` touches an element of `array` after `source`. `loops` are around both, from the outside in.

    `kinds`: flow (written, then read), anti (read, then written), output (written twice). `certain`: the elements are
    known, not guessed. `update`: both are updates of one associative operator, whose order only moves roundings.
    """

    source: str
    sink: str
    array: str
    kinds: tuple[Kind, ...]
    loops: tuple[str, ...]
    distances: tuple[int | None, ...]
    directions: tuple[frozenset[str], ...]
    certain: bool
    update: bool

    @property
    def carried(self) -> tuple[str, ...]:
        """The loops whose iterations may have to wait for each other because of it, from the outside in."""
        loops: list[str] = []
        for loop, signs in zip(self.loops, self.directions):
            loops += [loop] if "+" in signs else []
            if "=" not in signs:
                break
        return tuple(loops)


@lru_cache(maxsize=16)
def element_dependences(scop: Scop, *, independent: bool = False) -> tuple[ElementDependence, ...]:
    """Every dependence of the scop's source order; `independent` leaves out those that are only guessed."""
    return tuple(_described(scop, dependence) for dependence in dependences(scop, independent=independent).each)


def _described(scop: Scop, dependence: Dependence) -> ElementDependence:
    around = {s.name: s.loops for s in scop.statements}
    loops: list[str] = []
    for a, b in zip(around[dependence.source], around[dependence.sink]):
        if a != b:
            break
        loops.append(a)
    differences = (
        dependence.map.deltas() if dependence.source == dependence.sink else _differences(dependence.map, len(loops))
    )
    parts = [_difference(differences, place, scop.loop(loop).step) for place, loop in enumerate(loops)]
    return ElementDependence(
        source=dependence.source,
        sink=dependence.sink,
        array=dependence.array,
        kinds=dependence.kinds,
        loops=tuple(loops),
        distances=tuple(distance for distance, _ in parts),
        directions=tuple(signs for _, signs in parts),
        certain=dependence.certain,
        update=dependence.update,
    )


def _differences(pairs: isl.Map, shared: int) -> isl.Set:
    """Of the indices of the `shared` outermost loops."""
    import islpy as isl

    for kind in (isl.dim_type.in_, isl.dim_type.out):
        pairs = pairs.project_out(kind, shared, pairs.dim(kind) - shared)
    return pairs.reset_tuple_id(isl.dim_type.in_).reset_tuple_id(isl.dim_type.out).deltas()


def _difference(differences: isl.Set, place: int, step: int) -> tuple[int | None, frozenset[str]]:
    """(the one difference, in values of the index, or None; its signs in iterations)."""
    import islpy as isl

    fixed = differences.plain_get_val_if_fixed(isl.dim_type.set, place)
    least, most = (getattr(differences, name)(place) for name in ("dim_min_val", "dim_max_val"))
    distance = int(str(fixed)) if fixed.is_int() else None
    if distance is None and least.is_int() and str(least) == str(most):
        distance = int(str(least))
    signs = {"+": _has(differences, place, 1), "=": _has(differences, place, 0), "-": _has(differences, place, -1)}
    flipped = {"+": "-", "-": "+", "=": "="} if step < 0 else {"+": "+", "-": "-", "=": "="}
    return distance, frozenset(flipped[sign] for sign, holds in signs.items() if holds)


def _has(differences: isl.Set, place: int, sign: int) -> bool:
    """Has some difference this sign?"""
    import islpy as isl

    number = isl.Val.int_from_si(differences.get_ctx(), sign)
    bound = (differences.fix_val, differences.lower_bound_val, differences.upper_bound_val)[sign]
    return not bound(isl.dim_type.set, place, number).is_empty()
