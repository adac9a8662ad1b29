"""Ranges of a parameter with too many values to list, a real or a long integer: measured, halved and drawn from.

A range of a Real is an interval of its scaled value in [0, 1]; of an Integer, the indices lo..hi of its domain, as
doubles that hold whole numbers. Functions take many ranges at once: `lo` and `hi` are (n,).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunepass.space.columns import Column, Indices
from tunepass.space.prior import Beta, Floats

NARROW = 2.0**-44  # a real's range is not halved below this


class BoxAxis(ABC):
    """One parameter's ranges; `name` is the parameter's."""

    name: str
    prior: Beta | None

    @property
    @abstractmethod
    def whole(self) -> tuple[float, float]:
        """The range of all values."""

    @abstractmethod
    def width(self, lo: Floats, hi: Floats) -> Floats:
        """How wide, 1 for the whole; 0 for a range that cannot be halved."""

    @abstractmethod
    def halves(self, lo: Floats, hi: Floats) -> tuple[Floats, Floats]:
        """End of the lower half and start of the upper half."""

    @abstractmethod
    def unit(self, lo: Floats, hi: Floats) -> tuple[Floats, Floats]:
        """The range in [0, 1], where its length is its measure; a prior's density is over this."""

    @abstractmethod
    def values(self, lo: Floats, hi: Floats) -> tuple[Column, Column]:
        """The least and the largest value."""

    @abstractmethod
    def from_unit(self, u: Floats, lo: Floats, hi: Floats) -> Column:
        """The values (n,) at `u` of [0, 1], within the ranges."""

    def mass(self, lo: Floats, hi: Floats, *, prior: bool) -> Floats:
        """Share (n,) of the whole, or its prior probability."""
        a, b = self.unit(lo, hi)
        beta = self._beta(prior)
        return b - a if beta is None else beta.mass(a, b)

    def draw(self, lo: Floats, hi: Floats, rng: np.random.Generator, *, prior: bool) -> Column:
        """A value of each range (n,), uniform on the parameter's scale or by its prior."""
        a, b = self.unit(lo, hi)
        share, beta = rng.random(len(a)), self._beta(prior)
        return self.from_unit(a + share * (b - a) if beta is None else beta.between(a, b, share), lo, hi)

    def _beta(self, prior: bool) -> Beta | None:
        beta = self.prior if prior else None
        return None if beta is None or beta.a == beta.b == 1 else beta


@dataclass(frozen=True, slots=True)
class RealAxis(BoxAxis):
    """`value_of`: from scaled values in [0, 1] to values."""

    name: str
    prior: Beta | None
    value_of: Callable[[Floats], Floats]

    @property
    def whole(self) -> tuple[float, float]:
        return 0.0, 1.0

    def width(self, lo: Floats, hi: Floats) -> Floats:
        return np.where(hi - lo > NARROW, hi - lo, 0.0)

    def halves(self, lo: Floats, hi: Floats) -> tuple[Floats, Floats]:
        middle = (lo + hi) / 2
        return middle, middle

    def unit(self, lo: Floats, hi: Floats) -> tuple[Floats, Floats]:
        return lo, hi

    def values(self, lo: Floats, hi: Floats) -> tuple[Column, Column]:
        return self.value_of(lo), self.value_of(hi)

    def from_unit(self, u: Floats, lo: Floats, hi: Floats) -> Column:
        return self.value_of(u)


@dataclass(frozen=True, slots=True)
class IntegerAxis(BoxAxis):
    """Axis of `size` values; `value_at` maps indices in the domain to values.

    The measure counts values alike, also on a log scale, as a uniform sample does.
    """

    name: str
    prior: Beta | None
    size: int
    value_at: Callable[[Indices], Column]

    @property
    def whole(self) -> tuple[float, float]:
        return 0.0, float(self.size - 1)

    def width(self, lo: Floats, hi: Floats) -> Floats:
        return (hi - lo) / self.size

    def halves(self, lo: Floats, hi: Floats) -> tuple[Floats, Floats]:
        middle = np.floor((lo + hi) / 2)
        return middle, np.minimum(middle + 1, hi)

    def unit(self, lo: Floats, hi: Floats) -> tuple[Floats, Floats]:
        return lo / self.size, (hi + 1) / self.size

    def values(self, lo: Floats, hi: Floats) -> tuple[Column, Column]:
        return self._at(lo), self._at(hi)

    def from_unit(self, u: Floats, lo: Floats, hi: Floats) -> Column:
        return self._at(np.clip(np.floor(u * self.size), lo, hi))

    def _at(self, index: Floats) -> Column:
        return self.value_at(index.astype(np.int64).clip(0, self.size - 1))
