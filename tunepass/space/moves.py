"""Steps between configurations: one-parameter neighbours, the feasible configuration nearest to a given one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tunepass.space.configuration import Configuration
from tunepass.space.group import Columns, DiagramGroup, Group
from tunepass.space.parameter import Categorical, Column, Integer, Parameter, Permutation, Real
from tunepass.space.prior import Floats

if TYPE_CHECKING:
    from tunepass.space.space import Space

NEAREST_DRAWS = 128
LONG = 4096  # values of one free parameter; of a longer one only some are neighbours


def neighbours(parameters: Sequence[Parameter], here: Columns, groups: Sequence[Group]) -> Columns:
    """Rows that differ from the one row `here` in one parameter; a diagram has already dropped dead values."""
    pieces: dict[str, list[Column]] = {p.name: [] for p in parameters}
    for p in parameters:
        if isinstance(p, Real):
            continue
        changed = _orders(here[p.name]) if isinstance(p, Permutation) else _values(p, here, groups)
        for q in parameters:
            one = here[q.name]
            pieces[q.name].append(changed if q is p else np.repeat(one, len(changed), axis=0))
    return {p.name: np.concatenate(pieces[p.name]) if pieces[p.name] else here[p.name][:0] for p in parameters}


def _values(p: Parameter, here: Columns, groups: Sequence[Group]) -> Column:
    """The other values of `p`: all of them, or some around and across a domain too long to list."""
    size = p.size
    assert size is not None
    own = int(p.find(here[p.name])[0])
    for g in groups:
        if isinstance(g, DiagramGroup) and p in g.parameters:
            at = next(i for i, (name, _) in enumerate(g.layers) if name == p.name)
            row = g.rows(here)[0]
            if g.walk(here)[0][0]:
                index = g.diagram.choices(row, at)
                return p.at(index[index != own])
    if size <= LONG:
        index = np.arange(size)
    else:
        steps = 2 ** np.arange(int(np.log2(size)) + 1)
        index = np.unique(np.concatenate([own - steps, own + steps]))
        index = index[(index >= 0) & (index < size)]
    return p.at(index[index != own])


def _orders(order: Column) -> Column:
    """Every swap of two items and every move of one item elsewhere, each once (n, k)."""
    row = order[0]
    k = len(row)
    found: dict[bytes, Column] = {}
    for i in range(k):
        for j in range(k):
            if i == j:
                continue
            rest = np.delete(row, i)
            moved = np.insert(rest, j, row[i])
            found.setdefault(moved.tobytes(), moved)
            if i < j:
                swapped = row.copy()
                swapped[[i, j]] = swapped[[j, i]]
                found.setdefault(swapped.tobytes(), swapped)
    return np.array(list(found.values()), dtype=np.int64).reshape(len(found), k)


def nearest_feasible(space: Space, wanted: Configuration) -> Configuration | None:
    """A feasible configuration with few changes from `wanted`: group by group, the fewest among many, then repaired."""
    target = {p.name: p.column([wanted[p.name]]) for p in space.parameters}
    best: dict[str, Column] = {}
    for g in space.groups:
        mine = {p.name: target[p.name] for p in g.parameters}
        if g.walk(mine)[0][0]:
            best.update(mine)
            continue
        rng = np.random.default_rng(0)
        if isinstance(g, DiagramGroup):
            row = nearest_row(g, mine)
            best.update(g.columns(row[None, :]))
            continue
        rows = g.draw(NEAREST_DRAWS, rng)
        n = len(next(iter(rows.values())))
        if n == 0:
            return None
        closest = int(np.argmin(sum(_changes(p, rows[p.name], mine[p.name]) for p in g.parameters)))
        best.update({name: c[closest : closest + 1] for name, c in rows.items()})
    return space.configurations(best)[0]


def _changes(p: Parameter, column: Column, target: Column) -> Floats:
    """1 for a change, and less than 1 for how far a number moves."""
    if isinstance(p, Permutation):
        moved = np.not_equal(column, target)
        return np.asarray(moved.any(axis=1) + moved.mean(axis=1) / 8, dtype=np.float64)
    changed = np.not_equal(column, target).astype(np.float64)
    if not isinstance(p, Categorical):
        changed = changed + np.abs(p.unit(column) - p.unit(target)) / 8
    return np.asarray(changed, dtype=np.float64)


def nearest_row(g: DiagramGroup, target: Columns) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The path with the least total change: exact, bottom-up over the diagram."""
    diagram = g.diagram
    wanted = g.rows(target)[0]
    by_name = {p.name: p for p in g.parameters}
    cost = np.zeros(1)
    picks = []
    for i in reversed(range(len(diagram.layers))):
        layer, (name, position) = diagram.layers[i], g.layers[i]
        p = by_name[name]
        if position >= 0:
            own = (np.arange(layer.width) != wanted[i]).astype(np.float64)
        else:
            own = _changes(p, p.at(np.arange(layer.width)), p.at(wanted[i : i + 1]))
        arc = own[layer.value] + cost[layer.child]
        sources = layer.sources
        order = np.lexsort((arc, sources))
        first = np.full(len(layer.start) - 1, -1, dtype=np.int64)
        filled = np.diff(layer.start) > 0
        first[filled] = order[layer.start[:-1][filled]]
        cost = np.where(filled, arc[first], np.inf)
        picks.append(first)
    node, row = 0, np.zeros(len(diagram.layers), dtype=np.int64)
    for i, first in enumerate(reversed(picks)):
        arc_at = first[node]
        row[i], node = diagram.layers[i].value[arc_at], int(diagram.layers[i].child[arc_at])
    return row


def log_prior(p: Parameter, column: Column) -> Floats:
    """Log prior probability of every value of a column; an order's is that of its choices among unused items."""
    with np.errstate(divide="ignore"):
        if isinstance(p, Real):
            return p.log_density(column)
        if isinstance(p, Permutation):
            weights, rows = p.masses(), np.asarray(column, dtype=np.int64)
            total, free = np.zeros(len(rows)), np.ones(rows.shape, dtype=bool)
            for at in range(rows.shape[1]):
                w = np.where(free, weights[at], 0.0)
                line = np.arange(len(rows))
                mass = w.sum(axis=1)
                share = np.where(mass > 0, w[line, rows[:, at]] / np.where(mass > 0, mass, 1), 1 / free.sum(axis=1))
                total += np.log(share)
                free[line, rows[:, at]] = False
            return total
        if p.prior is None:
            return np.full(len(column), -np.log(float(p.size)))
        if isinstance(p, Integer) and p.size > LONG:
            return p.log_density(column)
        return np.asarray(np.log(p.masses()[p.find(column)]), dtype=np.float64)
