"""Time steps over the same grid, skewed so that several steps work on a few rows at a time.

    for t: { for i: S0 over the row i; for i: S1 over the row i }

becomes a loop over t and one over i + s * t + c, c a shift of each statement, with rows untouched inside: vectors stay
as long as the rows are. Both loops may then be tiled, and steps of a tile run row by row (D. Wonnacott, "Achieving
scalable locality with time skewing", 2002). Shifts are the least that dependences allow: a longest path between
statements for each s, found by relaxation (the Bellman-Ford algorithm).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tunepass.ir.scop import Scop
from tunepass.polyhedral.dependences.pairs import Dependence, dependences
from tunepass.polyhedral.schedules.legality import time_of
from tunepass.polyhedral.schedules.tree import Band, Sequence, Tree, sequence

STEEPEST = 4  # rows that a time step may move


def skewed(scop: Scop, tree: Tree, independent: bool = False) -> Tree | None:
    """`tree` with every loop that holds only loops over rows, one after the other, skewed; None where there is none."""
    match tree:
        case Sequence(children):
            parts = [skewed(scop, child, independent) for child in children]
            if all(part is None for part in parts):
                return None
            return sequence([part or child for part, child in zip(parts, children)])
        case Band(child=Sequence() as steps):
            return _steps(scop, tree, steps, independent)
    return None


def _steps(scop: Scop, time: Band, steps: Sequence, independent: bool) -> Band | None:
    parts = [part for part in steps.children if isinstance(part, Band)]
    deep = [part for part in parts if isinstance(part.child, Band)]
    if len(parts) < len(steps.children) or len(deep) < 2:
        return None
    rows = dict(time.rows)
    time_rows = {name: row if part in deep else "0" for part in parts for name, row in part.rows}
    each_dependence = dependences(scop, independent=independent).each
    known = [d for d in each_dependence if not d.update and {d.source, d.sink} <= rows.keys()]
    for steepness in range(STEEPEST + 1):
        slanted = {
            name: f"{steepness} * ({rows[name]}) + ({row})" if steepness else row for name, row in time_rows.items()
        }
        shifts = _shifts(scop, known, slanted)
        if shifts is not None:
            inner = [part.child if part in deep else part for part in parts]
            moved = tuple((name, f"{row} + {shifts[name]}") for name, row in slanted.items())
            return replace(time, child=Band(deep[0].name, moved, sequence(inner)))
    return None


def _shifts(scop: Scop, known: list[Dependence], rows: Mapping[str, str]) -> dict[str, int] | None:
    """The least shift of each statement so that no dependence goes back in its row; None where there is none."""
    least = list(_distances(scop, known, rows))
    if any(distance is None for _, distance in least):
        return None
    shifts = dict.fromkeys(rows, 0)
    for _ in range(len(rows) + 1):
        changed = False
        for d, distance in least:
            needed = shifts[d.source] - (distance or 0)
            if shifts[d.sink] < needed:
                shifts[d.sink], changed = needed, True
        if not changed:
            return shifts
    return None


def _distances(scop: Scop, known: list[Dependence], rows: Mapping[str, str]) -> Iterator[tuple[Dependence, int | None]]:
    """How far each dependence leads forward at least; None where there is no such number."""
    import islpy as isl

    for d in known:
        source, sink = (
            isl.UnionMap.from_multi_union_pw_aff(time_of(scop, ((s, rows[s]),))) for s in (d.source, d.sink)
        )
        pairs = isl.UnionMap.from_map(d.map).apply_domain(source).apply_range(sink)
        least = isl.Map.from_union_map(pairs).deltas().dim_min_val(0)
        yield d, int(str(least)) if least.is_int() else None
