"""Configurations as factors of a product density: what HiPerBOt's histograms and kernel densities are over.

kind                                      factors
Categorical, Ordinal, Integer             one, discrete: the value's place in its domain
Real; numbers with more than `bins`       one, real: the place in [0, 1], on the log scale if `log`
Permutation of k items                    k, discrete: the item at each position
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tunepass.space.columns import Columns
from tunepass.space.parameter import Categorical, Column, Integer, Parameter, Permutation, Real
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats

BINS = 64  # values of a number; a histogram of more says little from a few dozen rows


@dataclass(frozen=True, slots=True)
class Factor:
    """`size` values, or a real one; `position` in a permutation, else -1."""

    parameter: Parameter
    size: int | None
    position: int = -1


class Factors:
    def __init__(self, space: Space, bins: int = BINS):
        self.space = space
        self.all = tuple(factor for p in space.parameters for factor in _factors(p, bins))
        self.sizes = tuple(factor.size for factor in self.all)

    def rows(self, columns: Columns) -> Floats:
        """Rows (n, f)."""
        return np.column_stack([_row(f, columns[f.parameter.name]) for f in self.all])

    def columns(self, rows: Floats) -> Columns:
        """The feasible ones of rows (n, f); a drawn order that repeats an item is none."""
        found: dict[str, Column] = {}
        valid = np.ones(len(rows), np.bool_)
        for p in self.space.parameters:
            mine = rows[:, [i for i, f in enumerate(self.all) if f.parameter is p]]
            if isinstance(p, Permutation):
                found[p.name] = mine.astype(np.int64)
                valid &= np.asarray((np.sort(mine, axis=1) == np.arange(mine.shape[1])).all(axis=1))
            else:
                found[p.name] = _values(p, mine[:, 0], next(f.size for f in self.all if f.parameter is p))
        found = {name: column[valid] for name, column in found.items()}
        inside = self.space.contains_columns(found) if valid.any() else np.zeros(0, np.bool_)
        return {name: column[inside] for name, column in found.items()}


def _factors(p: Parameter, bins: int) -> list[Factor]:
    if isinstance(p, Permutation):
        return [Factor(p, len(p.items), position) for position in range(len(p.items))]
    if isinstance(p, Categorical):
        return [Factor(p, p.size)]
    return [Factor(p, p.size if p.size is not None and p.size <= bins else None)]


def _row(factor: Factor, column: Column) -> Floats:
    p = factor.parameter
    if isinstance(p, Permutation):
        return np.asarray(column)[:, factor.position].astype(np.float64)
    if factor.size is None and not isinstance(p, Categorical):
        return np.clip(p.unit(column), 0.0, 1.0)
    return p.find(column).astype(np.float64)


def _values(p: Parameter, row: Floats, size: int | None) -> Column:
    if isinstance(p, Real):
        return p.from_unit(row)
    if size is not None or isinstance(p, (Categorical, Permutation)):
        return p.at(row.astype(np.int64))
    if isinstance(p, Integer):
        lo, hi = p.ends()
        value = lo * (hi / lo) ** row if p.log else lo + row * (hi - lo)
        return p.at(np.rint((value - lo) / p.step).astype(np.int64))
    assert p.size is not None
    places = p.unit(p.at(np.arange(p.size)))
    order = np.argsort(places)
    places = places[order]
    right = np.clip(np.searchsorted(places, row), 1, len(places) - 1)
    return p.at(order[np.where(row - places[right - 1] < places[right] - row, right - 1, right)])
