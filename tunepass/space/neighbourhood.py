"""The feasible neighbours of many configurations at once: the moves of a local search.

What is one step away is each parameter's own to say (`steps`). A row none of whose steps is feasible (`x * y == 64`)
moves two parameters at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tunepass.space.columns import Column, Columns, Indices, Mask, join, keys, length, replaced, take
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.steps import index_steps
from tunepass.space.prior import Floats
from tunepass.space.space import Space

LONG = 128  # values; of a longer domain only some are neighbours
PAIRS = 4096  # double moves tried of a row without feasible single moves
LEAST_SIDE = 2  # values tried of each of two parameters


class Neighbourhood:
    """`of(columns)` gives the feasible neighbours of all rows and, for each, the row it is a neighbour of.

    With `keep`, only those of them that it says (n,) to keep.
    """

    def __init__(self, space: Space, keep: Callable[[Columns], Mask] | None = None):
        self.space, self.keep = space, keep
        sizes = np.array([p.size or 0 for p in space.parameters])
        self._alike = {int(size): np.flatnonzero(sizes == size) for size in np.unique(sizes)}

    def of(self, columns: Columns) -> tuple[Columns, Indices]:
        """The neighbours of all rows of `columns`, and which row each is a neighbour of."""
        if self.space.listed and not self.space.activity:
            rows, owner = self._feasible_indices(columns)
        else:
            rows, owner = self._feasible(*self._singles(columns))
        lonely = np.flatnonzero(np.bincount(owner, minlength=length(columns)) == 0)
        if not len(lonely) or len(self.space.parameters) < 2:
            return rows, owner
        more = [self._feasible(*self._pairs(columns, int(row))) for row in lonely]
        return join([rows, *[r for r, _ in more]]), np.concatenate([owner, *[o for _, o in more]])

    def inside(self, rows: Columns) -> Mask:
        """Mask (n,) of rows that are feasible and pass `keep`."""
        inside = self.space.contains_columns(rows)
        if self.keep is not None and inside.any():
            inside[inside] = self.keep(take(rows, inside))
        return inside

    def stepped(self, columns: Columns, rng: np.random.Generator) -> Columns:
        """Every row with one parameter moved, both at random; what comes out need not be feasible."""
        which = self._any_active(columns, rng)
        stepped = {name: column.copy() for name, column in columns.items()}
        for number, parameter in enumerate(self.space.parameters):
            chosen = np.flatnonzero(which == number)
            moved, owner = parameter.steps(columns[parameter.name][chosen], LONG)
            order = np.argsort(-rng.random(len(owner)))
            stepped[parameter.name][chosen[owner[order]]] = moved[order]  # of a row's steps the last one stays
        return self.space.activity.canonical(stepped)

    def _any_active(self, columns: Columns, rng: np.random.Generator) -> Indices:
        """The number (n,) of an active parameter of each row."""
        parameters = self.space.parameters
        if not self.space.activity:
            return rng.integers(len(parameters), size=length(columns))
        score = rng.random((length(columns), len(parameters)))
        masks = self.space.activity.masks(columns)
        for number, parameter in enumerate(parameters):
            if parameter.name in masks:
                score[~masks[parameter.name], number] = -1.0
        return np.asarray(np.argmax(score, axis=1))

    @property
    def continuous(self) -> bool:
        """Is any parameter one whose values are no list?"""
        return any(parameter.size is None for parameter in self.space.parameters)

    def jittered(
        self, columns: Columns, scale: Floats, share: float, rng: np.random.Generator
    ) -> tuple[Columns, Indices]:
        """The feasible of all rows, each with that share of its reals moved by normal steps of deviation `scale` (n,),
        in shares of their scaled ranges; and which row each was."""
        moved: dict[str, Column] = {}
        for parameter in self.space.parameters:
            moving = scale * (rng.random(len(scale)) < share)
            moved[parameter.name] = parameter.jittered(columns[parameter.name], moving, rng)
        rows = self.space.activity.canonical(moved)
        feasible = self.inside(rows)
        return take(rows, feasible), np.flatnonzero(feasible)

    def _feasible(self, rows: Columns, owner: Indices) -> tuple[Columns, Indices]:
        inside = self.inside(rows)
        return take(rows, inside), owner[inside]

    def _feasible_indices(self, columns: Columns) -> tuple[Columns, Indices]:
        """The feasible single moves where every value has an index: only those become values again."""
        parameters = self.space.parameters
        start = np.stack([p.find(columns[p.name]) for p in parameters], axis=1)
        indices, owner = _moved(start, self._alike)
        inside = self.space.contains_indices(indices)
        indices, owner = indices[inside], owner[inside]
        rows = {p.name: p.at(indices[:, number]) for number, p in enumerate(parameters)}
        if self.keep is None or not len(owner):
            return rows, owner
        selected = self.keep(rows)
        return take(rows, selected), owner[selected]

    def _singles(self, columns: Columns) -> tuple[Columns, Indices]:
        steps = {p.name: p.steps(columns[p.name], LONG) for p in self.space.parameters}
        for name, active in self.space.activity.masks(columns).items():
            values, owner = steps[name]
            steps[name] = values[active[owner]], owner[active[owner]]
        rows, owner = replaced(columns, steps)
        return self.space.activity.canonical(rows), owner

    def _pairs(self, columns: Columns, row: int) -> tuple[Columns, Indices]:
        """Double moves of one row, at most about PAIRS of them: the nearest ones of evenly spread pairs of parameters.
        Of more than PAIRS / LEAST_SIDE^2 pairs a part, another one for another row."""
        start = take(columns, slice(row, row + 1))
        pairs = np.stack(np.triu_indices(len(self.space.parameters), 1), axis=1)
        side = max(LEAST_SIDE, int((PAIRS / len(pairs)) ** 0.5))
        apart = -(-len(pairs) * LEAST_SIDE**2 // PAIRS)
        pairs = pairs[int(keys(start).sum()) % apart :: apart]
        steps = [_nearest_steps(p, start[p.name], side) for p in self.space.parameters]
        sizes = np.array([len(values) for values in steps])
        ends = np.cumsum(sizes[pairs].prod(axis=1))
        rows = take(start, np.zeros(ends[-1], np.int64))
        for (first, second), end in zip(pairs.tolist(), ends.tolist()):
            begin = end - sizes[first] * sizes[second]
            i, j = np.divmod(np.arange(end - begin), max(1, sizes[second]))
            rows[self.space.parameters[first].name][begin:end] = steps[first][i]
            rows[self.space.parameters[second].name][begin:end] = steps[second][j]
        if self.space.activity:
            rows = self._moved_programs(rows, start)
        return rows, np.full(length(rows), row)

    def _moved_programs(self, rows: Columns, start: Columns) -> Columns:
        """Moves of the row `start` that change an active parameter, each once."""
        rows = self.space.activity.canonical(rows)
        unique = np.unique(keys(join([start, rows])), axis=0, return_index=True)[1]
        return take(rows, np.sort(unique)[1:] - 1)


def _nearest_steps(parameter: Parameter, value: Column, count: int) -> Column:
    """At most `count` steps of the one value, of listed values the nearest ones on either side."""
    steps = parameter.steps(value, LONG)[0]
    if len(steps) > count and parameter.is_scalar and parameter.size is not None:
        distance = np.abs(parameter.find(steps) - parameter.find(value))
        steps = steps[np.argsort(distance, kind="stable")]
    return steps[:count]


def _moved(start: Indices, alike: dict[int, Indices]) -> tuple[Indices, Indices]:
    """Rows `start` (n, p) of indices in domains, each with one index moved by one of its steps, and which row each was:
    first those of the first parameter. The parameters whose domains are `alike` in size are moved together."""
    n = len(start)
    moves = [(column, *index_steps(start[:, column].T.ravel(), size, LONG)) for size, column in alike.items()]
    value = np.concatenate([moved for _, moved, _ in moves])
    which = np.concatenate([column[of // n] for column, _, of in moves])
    owner = np.concatenate([of % n for _, _, of in moves])
    order = np.argsort(which, kind="stable")
    rows = start[owner[order]]
    rows[np.arange(len(order)), which[order]] = value[order]
    return rows, owner[order]
