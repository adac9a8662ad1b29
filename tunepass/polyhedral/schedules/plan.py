"""One concrete schedule of a scop, in the words of directives and the names of the source's loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.ir.scop_directives import Factor, ScopDirectives, Setting
from tunepass.space.configuration import Value

Factors = tuple[tuple[str, int], ...]
"""(loop, number)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`shape` names the tree to start from (shapes.py). A loop that was distributed keeps its name in every piece, and
    directives hold for all pieces; one for a loop that a tree does not have does nothing there.

    `order` lists loops, and `i_tile` for the loops over tiles, from the outside in; each perfect sub-nest sorts itself
    by it. Loops over tiles that it does not name go outside. `skew` (j, i, f) runs j + f * i; `peel` (i, n) writes the
    first n iterations apart, the last ones where n is negative.
    """

    shape: str = "source"
    distribute: tuple[str, ...] = ()
    fuse: tuple[tuple[str, str], ...] = ()
    reverse: tuple[str, ...] = ()
    skew: tuple[tuple[str, str, int], ...] = ()
    order: tuple[str, ...] = ()
    tile: Factors = ()
    unroll: Factors = ()
    jam: Factors = ()
    peel: Factors = ()
    vectorize: tuple[str, ...] = ()
    parallel: tuple[str, ...] = ()
    pack: tuple[tuple[str, str], ...] = ()  # (array, the loop inside which its tile is a local copy)
    prefetch: Factors = ()  # (array, iterations ahead)
    sums: bool = True  # may vector loops add up in another order?
    exact: bool = False  # are outer loops vectorized, and innermost ones copied, where they are named?


def plan_of(directives: ScopDirectives, values: Mapping[str, Value]) -> Plan:
    """What `values` make of the directives. A factor of 0 or 1 leaves its loop as it is."""
    return Plan(
        shape=str(values.get(directives.shape, directives.shape)),
        distribute=_flagged(directives.distribute, values),
        fuse=tuple((p.first, p.second) for p in directives.fuse if _number(p.setting, values)),
        reverse=_flagged(directives.reverse, values),
        skew=tuple((p.first, p.second, n) for p in directives.skew if (n := _number(p.setting, values))),
        order=tuple(item for named in directives.order for item in _items(named, values)),
        tile=_factors(directives.tile, values, 2),
        unroll=_factors(directives.unroll, values, 2),
        jam=_factors(directives.unroll_and_jam, values, 2),
        peel=_factors(directives.peel, values),
        vectorize=_flagged(directives.vectorize, values),
        parallel=_flagged(directives.parallel, values),
        pack=tuple((p.first, p.second) for p in directives.pack if _number(p.setting, values)),
        prefetch=_factors(directives.prefetch, values, 1),
        sums=bool(_number(directives.sums, values)),
        exact=directives.exact,
    )


def _items(named: str, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Of a permutation, or the loop of that name."""
    value = values.get(named, named)
    return tuple(str(item) for item in value) if isinstance(value, tuple) else (named,)


def _number(setting: Setting, values: Mapping[str, Value]) -> int:
    value = values[setting] if isinstance(setting, str) else setting
    return int(value) if isinstance(value, (bool, int, float)) else 0


def _factors(factors: tuple[Factor, ...], values: Mapping[str, Value], least: int | None = None) -> Factors:
    numbers = [(f.index, _number(f.setting, values)) for f in factors]
    return tuple((index, n) for index, n in numbers if (n if least is None else n >= least))


def _flagged(factors: tuple[Factor, ...], values: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(f.index for f in factors if _number(f.setting, values))
