"""Is a number right? With absolute and relative tolerance and units in the last place; NaN-aware."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """`got` is right beside `expected` when |got - expected| <= absolute + relative |expected|, or they are at most
    `ulps` representable numbers apart. NaN is right where NaN is expected, an infinity where the same infinity is.
    Integers and Booleans must be equal unless `absolute`, `relative` or `elements` says otherwise. `elements` (n,) are
    absolute tolerances of single elements, each beside `absolute`."""

    absolute: float = 0.0
    relative: float = 0.0
    ulps: int = 4  # what another order of two roundings or a fused multiply-add may cost
    elements: NDArray[np.float64] | None = field(default=None, compare=False)

    def of_elements(self, indices: NDArray[np.intp]) -> float | NDArray[np.float64]:
        """Absolute tolerance of these elements."""
        return self.absolute if self.elements is None else np.maximum(self.absolute, self.elements[indices])

    def where(self, chosen: Mask) -> Tolerance:
        """For the `chosen` elements (n,) alone."""
        return self if self.elements is None else replace(self, elements=self.elements[chosen])

    def holds(self, expected: float, got: float) -> bool:
        """For one pair of numbers."""
        return bool(is_right(np.array([expected], np.float64), np.array([got], np.float64), self).all())


def is_right(expected: Array, got: Array, tolerance: Tolerance) -> Mask:
    """Elementwise, (n,)."""
    if expected.dtype.kind == "b":  # as bytes: one of 2 is no Boolean, though NumPy takes it for true
        expected, got = expected.view(np.uint8), got.view(np.uint8)
    same: Mask = expected == got
    if same.all():
        return same
    differ = np.flatnonzero(~same)
    expected, got = expected[differ], got[differ]
    if expected.dtype.kind == "f":
        same[differ] = _close_real(expected, got, tolerance, tolerance.of_elements(differ))
    else:
        allowed = tolerance.of_elements(differ) + tolerance.relative * np.abs(expected.astype(np.float64))
        same[differ] = integer_distance(expected, got) <= allowed
    return same


def _close_real(expected: Array, got: Array, tolerance: Tolerance, absolute: float | NDArray[np.float64]) -> Mask:
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(np.subtract(got, expected))
        close: Mask = error <= absolute + tolerance.relative * np.abs(expected)
        close &= np.isfinite(expected)
        close |= np.isnan(expected) & np.isnan(got)
    if tolerance.ulps and expected.dtype.itemsize in (2, 4, 8) and not close.all():
        far = np.flatnonzero(~close)
        close[far] = _ulp_distance(expected[far], got[far]) <= tolerance.ulps
    return close


def _ulp_distance(expected: Array, got: Array) -> NDArray[np.float64]:
    """How many representable numbers apart; infinite where either is not finite."""
    bits = np.dtype(f"i{expected.dtype.itemsize}")
    lowest = int(np.iinfo(bits).min)

    def rank(values: Array) -> NDArray[np.int64]:
        as_int = values.view(bits)
        # negative floats count downwards from zero: the two zeros share a rank
        return np.where(as_int < 0, lowest - as_int, as_int).astype(np.int64)

    a, b = rank(np.ascontiguousarray(expected)), rank(np.ascontiguousarray(got))
    distance = np.abs(a.astype(np.float64) - b.astype(np.float64))
    near = distance < 2**40  # exact there
    distance[near] = np.abs(a[near] - b[near])
    finite = np.isfinite(expected) & np.isfinite(got)
    return np.where(finite, distance, np.inf)


def integer_distance(expected: Array, got: Array) -> NDArray[np.float64]:
    """|got - expected|, never 0 where they differ: it is exact before it is rounded to a float64."""
    wide = np.uint64 if expected.dtype.kind == "u" else np.int64
    a, b = expected.astype(wide), got.astype(wide)
    over, under = (x.view(np.uint64) - y.view(np.uint64) for x, y in ((b, a), (a, b)))  # modulo 2^64
    return np.where(b > a, over, under).astype(np.float64)
