"""Steps from one configuration to its one-parameter neighbours, and how likely a configuration is beforehand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.space.feasible.group import Columns, DiagramGroup, Group
from tunepass.space.parameter import Column, Integer, Parameter, Permutation, Real
from tunepass.space.prior import Floats

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
