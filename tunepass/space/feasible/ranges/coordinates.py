"""Parameters of ranges as coordinates in [0, 1], on which their values are drawn uniformly.

Equal lengths of the coordinate have equal probability: shares of a real's scale, equally many values of an integer, or
equal masses of the prior where draws are by the priors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.space.columns import Column, Columns
from tunepass.space.feasible.ranges.bounds import TermRange
from tunepass.space.parameter import Integer, Real
from tunepass.space.prior import Beta, Floats


@dataclass(frozen=True, slots=True)
class Coordinate:
    """`density`: the prior by which values are drawn; None: uniform."""

    parameter: Real | Integer
    density: Beta | None

    @classmethod
    def of(cls, parameter: Real | Integer, *, prior: bool) -> Coordinate:
        density = parameter.prior if prior else None
        return cls(parameter, None if density is None or density.a == density.b == 1 else density)

    @property
    def log(self) -> bool:
        return self.parameter.log

    def whole(self, n: int) -> TermRange:
        """The range of all values, n times."""
        lo, hi = self.parameter.ends()
        return TermRange(np.full(n, lo), np.full(n, hi), False)

    def values(self, at: Floats) -> Column:
        """The values (n,) at coordinates (n,)."""
        u = at if self.density is None else self.density.between(np.zeros_like(at), np.ones_like(at), at)
        axis = self.parameter.range_axis()
        lo, hi = axis.whole
        return axis.from_unit(u, np.full_like(u, lo), np.full_like(u, hi))

    def interval(self, within: TermRange) -> tuple[Floats, Floats]:
        """The coordinates (n,) between which the values lie in a range; an empty range has its end before its
        start."""
        lo, hi = np.asarray(within.lo, np.float64), np.asarray(within.hi, np.float64)
        p = self.parameter
        if isinstance(p, Integer):
            a = np.ceil((np.maximum(lo, p.lo) - p.lo) / p.step) / p.size
            b = (np.floor((np.minimum(hi, p.hi) - p.lo) / p.step) + 1) / p.size
        else:
            a, b = p.unit(np.clip(lo, p.lo, p.hi)), p.unit(np.clip(hi, p.lo, p.hi))
            if p.lo == p.hi:
                b = np.ones_like(a)
            b = np.where(hi < lo, a - 1.0, b)
        if self.density is None:
            return a, b
        zero = np.zeros_like(a)
        return self.density.mass(zero, np.clip(a, 0.0, 1.0)), np.where(
            b < a, -1.0, self.density.mass(zero, np.clip(b, 0.0, 1.0))
        )


class Coordinates:
    """The coordinates of several parameters, whose values are computed together where they are on a plain scale."""

    def __init__(self, parameters: Sequence[Real | Integer], *, prior: bool):
        self.each = [Coordinate.of(p, prior=prior) for p in parameters]
        self.names = [p.name for p in parameters]
        self._whole = [i for i, c in enumerate(self.each) if c.density is None and isinstance(c.parameter, Integer)]
        self._plain = [
            i for i, c in enumerate(self.each) if c.density is None and isinstance(c.parameter, Real) and not c.log
        ]
        self._others = [i for i in range(len(self.each)) if i not in {*self._whole, *self._plain}]
        ends = np.array([p.ends() for p in parameters])
        self._lo, self._hi = ends[:, :1], ends[:, 1:]
        integers = [self.each[i].parameter for i in self._whole]
        self._first = np.array([[p.lo] for p in integers if isinstance(p, Integer)], np.int64)
        self._step = np.array([[p.step] for p in integers if isinstance(p, Integer)], np.int64)
        self._size = np.array([[p.size] for p in integers], np.float64)

    def __len__(self) -> int:
        return len(self.each)

    def columns(self, position: Floats) -> Columns:
        """Columns of the values at positions (n, d)."""
        rows, columns = np.ascontiguousarray(position.T), dict[str, Column]()
        if self._whole:
            index = np.minimum(np.floor(rows[self._whole] * self._size), self._size - 1).astype(np.int64)
            whole = self._first + index * self._step
            columns.update({self.names[i]: whole[k] for k, i in enumerate(self._whole)})
        if self._plain:
            lo, hi = self._lo[self._plain], self._hi[self._plain]
            real = np.clip(lo + rows[self._plain] * (hi - lo), lo, hi)
            columns.update({self.names[i]: real[k] for k, i in enumerate(self._plain)})
        for i in self._others:
            columns[self.names[i]] = self.each[i].values(rows[i])
        return columns
