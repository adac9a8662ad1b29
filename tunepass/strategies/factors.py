"""Configurations as factors of a product density: what HiPerBOt's histograms and kernel densities are over.

kind                                      factors
Categorical, Ordinal, Integer             one, discrete: the value's index in its domain
Real; numbers with more than `bins`       one, real: scaled to [0, 1], on the log scale if `log`
Permutation of k items                    k, discrete: the item at each position

A discrete parameter with a condition has one more value: inactive. Others have their defaults where they are inactive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.space.columns import Columns, take
from tunepass.space.parameter import Column, NumericParameter, Parameter
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats

BINS = 64  # values of a number; a histogram of more says little from a few dozen rows


@dataclass(frozen=True, slots=True)
class DensityFactor:
    """`size` values, or a real one; `position` in a permutation, else -1."""

    parameter: Parameter
    size: int | None
    position: int = -1


class Factors:
    """The factors of a space's parameters, in order, and conversions between columns and rows of factors (n, f)."""

    def __init__(self, space: Space, bins: int = BINS):
        self.space = space
        self._factors = {p.name: _factors(p, bins) for p in space.parameters}
        self.all = tuple(factor for factors in self._factors.values() for factor in factors)
        self.sizes = tuple(factor.size for factor in self.all)

    def rows(self, columns: Columns) -> Floats:
        """Rows (n, f)."""
        rows = [_rows(p, self._factors[p.name], columns[p.name]) for p in self.space.parameters]
        masks = self.space.activity.masks(columns)
        for p, codes in zip(self.space.parameters, rows):
            if p.name in masks and _has_inactive(p, self._factors[p.name]):
                codes[~masks[p.name]] = p.size
        return np.column_stack(rows)

    def columns(self, rows: Floats) -> Columns:
        """The feasible ones of rows (n, f); a drawn order that repeats an item is not feasible."""
        columns: dict[str, Column] = {}
        valid = np.ones(len(rows), np.bool_)
        for p in self.space.parameters:
            codes = rows[:, [i for i, f in enumerate(self.all) if f.parameter is p]]
            if _has_inactive(p, self._factors[p.name]):
                codes = np.where(codes == p.size, p.codes(p.column([p.default])), codes)
            columns[p.name] = _values(p, self._factors[p.name], codes)
            valid &= p.inside(columns[p.name])
        valid_columns = self.space.activity.canonical(take(columns, valid))
        return take(valid_columns, self.space.contains_columns(valid_columns))


def _factors(p: Parameter, bins: int) -> list[DensityFactor]:
    if isinstance(p, NumericParameter) and (p.size is None or p.size > bins):
        return [DensityFactor(p, None)]
    inactive = p.when is not None and p.is_scalar
    return [DensityFactor(p, v.size + inactive, v.position) for v in p.variables()]


def _has_inactive(p: Parameter, factors: Sequence[DensityFactor]) -> bool:
    return p.when is not None and p.is_scalar and factors[0].size is not None


def _rows(p: Parameter, factors: Sequence[DensityFactor], column: Column) -> Floats:
    if isinstance(p, NumericParameter) and factors[0].size is None:
        return np.clip(p.unit(column), 0.0, 1.0)[:, None]
    return p.codes(column).astype(np.float64)


def _values(p: Parameter, factors: Sequence[DensityFactor], rows: Floats) -> Column:
    if isinstance(p, NumericParameter) and factors[0].size is None:
        return p.from_unit(rows[:, 0])
    return p.from_codes(rows.astype(np.int64))
