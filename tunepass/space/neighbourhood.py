"""One-parameter neighbours of many configurations at once: the moves of a local search.

    kind                    moves
    Ordinal, Categorical    to every other value
    long Integer            by 1, 2, 4, ... steps either way
    Real                    by REAL_STEPS of its range, on its own scale
    Permutation             every swap of two items, every move of one item elsewhere

A row none of whose moves is feasible (`x * y == 64`) moves two parameters at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tunepass.space.columns import Columns, join, length, take
from tunepass.space.parameter import Column, Parameter, Permutation, Real
from tunepass.space.space import Space

Indices = NDArray[np.int64]
REAL_STEPS = np.array([sign * size for size in (0.2, 0.05, 0.01, 0.002) for sign in (-1, 1)])
LONG = 128  # values; of a longer domain only some are neighbours
PAIRS = 4096  # double moves tried of a row without feasible single moves


class Neighbourhood:
    """`of(columns)` gives the feasible neighbours of all rows and, for each, the row it is a neighbour of.

    With `keep`, only those of them that it says (n,) to keep.
    """

    def __init__(self, space: Space, keep: Callable[[Columns], NDArray[np.bool_]] | None = None):
        self.space, self.keep = space, keep
        self._orders = {p.name: _reorderings(len(p.items)) for p in space.parameters if isinstance(p, Permutation)}

    def of(self, columns: Columns) -> tuple[Columns, Indices]:
        if self.space.listed:
            rows, owner = self._feasible_places(columns)
        else:
            rows, owner = self._feasible(*self._singles(columns))
        lonely = np.flatnonzero(np.bincount(owner, minlength=length(columns)) == 0)
        if not len(lonely) or len(self.space.parameters) < 2:
            return rows, owner
        more = [self._feasible(*self._pairs(columns, int(row))) for row in lonely]
        return join([rows, *[r for r, _ in more]]), np.concatenate([owner, *[o for _, o in more]])

    def inside(self, rows: Columns) -> NDArray[np.bool_]:
        """Which rows (n,) are feasible, and kept."""
        inside = self.space.contains_columns(rows)
        if self.keep is not None and inside.any():
            inside[inside] = self.keep(take(rows, inside))
        return inside

    def stepped(self, columns: Columns, rng: np.random.Generator) -> Columns:
        """Every row with one parameter moved, both at random; what comes out need not be feasible."""
        which = rng.integers(len(self.space.parameters), size=length(columns))
        stepped = {name: column.copy() for name, column in columns.items()}
        for number, parameter in enumerate(self.space.parameters):
            mine = np.flatnonzero(which == number)
            moved, owner = self._moves(parameter, columns[parameter.name][mine])
            order = np.lexsort((rng.random(len(owner)), owner))
            movable, first = np.unique(owner[order], return_index=True)
            stepped[parameter.name][mine[movable]] = moved[order[first]]
        return stepped

    def _feasible(self, rows: Columns, owner: Indices) -> tuple[Columns, Indices]:
        inside = self.inside(rows)
        return take(rows, inside), owner[inside]

    def _feasible_places(self, columns: Columns) -> tuple[Columns, Indices]:
        """The feasible single moves where every value has a place in a list: only those become values again."""
        parameters = self.space.parameters
        here = [p.find(columns[p.name]) for p in parameters]
        moves = [_steps(index, int(p.size or 0)) for index, p in zip(here, parameters)]
        owner = np.concatenate([mine for _, mine in moves])
        places = np.stack(here, axis=1)[owner]
        stop = 0
        for number, (moved, mine) in enumerate(moves):
            start, stop = stop, stop + len(mine)
            places[start:stop, number] = moved
        inside = self.space.contains_places(places)
        places, owner = places[inside], owner[inside]
        rows = {p.name: p.at(places[:, number]) for number, p in enumerate(parameters)}
        if self.keep is None or not len(owner):
            return rows, owner
        kept = self.keep(rows)
        return take(rows, kept), owner[kept]

    def _singles(self, columns: Columns) -> tuple[Columns, Indices]:
        moves = [self._moves(p, columns[p.name]) for p in self.space.parameters]
        owner = np.concatenate([mine for _, mine in moves])
        rows = take(columns, owner)
        stop = 0
        for parameter, (moved, mine) in zip(self.space.parameters, moves):
            start, stop = stop, stop + len(mine)
            rows[parameter.name][start:stop] = moved
        return rows, owner

    def _pairs(self, columns: Columns, row: int) -> tuple[Columns, Indices]:
        """Double moves of one row, at most about PAIRS of them, spread evenly over the pairs of parameters."""
        here = take(columns, slice(row, row + 1))
        pairs = list(itertools.combinations(self.space.parameters, 2))
        side = max(2, int((PAIRS / len(pairs)) ** 0.5))
        parts = []
        for first, second in pairs:
            a, b = (self._moves(p, here[p.name])[0][:side] for p in (first, second))
            i, j = np.divmod(np.arange(len(a) * len(b)), max(1, len(b)))
            parts.append({**take(here, np.zeros(len(i), np.int64)), first.name: a[i], second.name: b[j]})
        rows = join(parts)
        return rows, np.full(length(rows), row)

    def _moves(self, parameter: Parameter, column: Column) -> tuple[Column, Indices]:
        """New values of one parameter for all rows of its column, and the row each belongs to."""
        n = len(column)
        if isinstance(parameter, Permutation):
            orders = self._orders[parameter.name]
            return column[:, orders].reshape(-1, column.shape[1]), np.repeat(np.arange(n), len(orders))
        if isinstance(parameter, Real):
            unit = np.clip(parameter.unit(column)[:, None] + REAL_STEPS, 0.0, 1.0)
            return np.asarray(parameter.from_unit(unit.ravel())), np.repeat(np.arange(n), len(REAL_STEPS))
        assert parameter.size is not None
        places, owner = _steps(parameter.find(column), parameter.size)
        return parameter.at(places), owner


def _steps(index: Indices, size: int) -> tuple[Indices, Indices]:
    """Other places of a domain for each of `index` (n,), and the row each belongs to."""
    if size <= LONG:
        return _others(size)[index].ravel(), np.repeat(np.arange(len(index)), size - 1)
    steps = 2 ** np.arange(int(np.log2(size)) + 1)
    other = index[:, None] + np.concatenate([steps, -steps])
    owner, flat = np.repeat(np.arange(len(index)), other.shape[1]), other.ravel()
    inside = (flat >= 0) & (flat < size)
    return flat[inside], owner[inside]


@cache
def _others(size: int) -> Indices:
    """All places of a domain but each one's own (size, size - 1), from the next one on."""
    return np.asarray((np.arange(size)[:, None] + np.arange(1, size)) % size)


def _reorderings(k: int) -> Indices:
    """Index rows (m, k): every swap and every insertion of k items, each once."""
    identity = tuple(range(k))
    found: dict[tuple[int, ...], None] = {}
    for a, b in itertools.combinations(range(k), 2):
        swapped = list(identity)
        swapped[a], swapped[b] = swapped[b], swapped[a]
        found[tuple(swapped)] = None
    for a, b in itertools.permutations(range(k), 2):
        moved = [i for i in identity if i != a]
        moved.insert(b, a)
        found[tuple(moved)] = None
    found.pop(identity, None)
    return np.array(list(found), np.int64).reshape(-1, k)
