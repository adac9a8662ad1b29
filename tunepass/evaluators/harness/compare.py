"""Is an output right? Element by element, with absolute and relative tolerance and ULPs; NaN-aware."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """`got` is right beside `expected` when |got - expected| <= absolute + relative |expected|, or they are at most
    `ulps` representable numbers apart. NaN is right where NaN is expected, an infinity where the same infinity is.
    Integers and Booleans must be equal unless `absolute` or `relative` says otherwise."""

    absolute: float = 0.0
    relative: float = 0.0
    ulps: int = 4  # what another order of two roundings or a fused multiply-add may cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Where an output array is wrong: `worst` is the index of the largest error."""

    name: str
    wrong: int
    total: int
    worst: int
    expected: str
    got: str

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.wrong} of {self.total} elements differ; "
            f"worst at {self.name}[{self.worst}]: expected {self.expected}, got {self.got}"
        )


@dataclass(frozen=True, slots=True)
class Output:
    """An array a kernel wrote."""

    name: str
    values: Array  # (n,)


def compare(expected: Sequence[Output], got: Sequence[Output], tolerance: Tolerance) -> tuple[Mismatch, ...]:
    """One Mismatch for each array that is not right. Both hold the same arrays in the same order."""
    found = []
    for want, have in zip(expected, got, strict=True):
        right = is_right(want.values, have.values, tolerance)
        if not right.all():
            found.append(_mismatch(want, have, right))
    return tuple(found)


def is_right(expected: Array, got: Array, tolerance: Tolerance) -> Mask:
    """Elementwise, (n,)."""
    same: Mask = expected == got
    if same.all():
        return same
    if expected.dtype.kind == "f":
        return same | _close_real(expected, got, tolerance)
    allowed = tolerance.absolute + tolerance.relative * np.abs(expected.astype(np.float64))
    return same | (_integer_distance(expected, got) <= allowed)


def zeros_pass(expected: Sequence[Output], tolerance: Tolerance) -> tuple[str, ...]:
    """Names of the arrays for which all zeros would be judged right: there the tolerance tells nothing."""
    return tuple(
        output.name
        for output in expected
        if output.values.size
        and output.values.astype(bool).any()
        and is_right(output.values, np.zeros_like(output.values), tolerance).all()
    )


def _close_real(expected: Array, got: Array, tolerance: Tolerance) -> Mask:
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(np.subtract(got, expected))
        close: Mask = error <= tolerance.absolute + tolerance.relative * np.abs(expected)
        close &= np.isfinite(expected)
        both_nan: Mask = np.isnan(expected) & np.isnan(got)
    if tolerance.ulps and expected.dtype.itemsize in (2, 4, 8):
        close |= _ulp_distance(expected, got) <= tolerance.ulps
    return close | both_nan


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


def _integer_distance(expected: Array, got: Array) -> NDArray[np.float64]:
    return np.abs(got.astype(np.float64) - expected.astype(np.float64))


def _mismatch(want: Output, have: Output, right: Mask) -> Mismatch:
    if want.values.dtype.kind == "f":
        with np.errstate(invalid="ignore", over="ignore"):
            error = np.abs(have.values.astype(np.float64) - want.values.astype(np.float64))
        error[np.isnan(error)] = np.inf
    else:
        error = _integer_distance(want.values, have.values)
    error[right] = -1
    worst = int(error.argmax())
    return Mismatch(
        name=want.name,
        wrong=int((~right).sum()),
        total=right.size,
        worst=worst,
        expected=_shown(want.values[worst]),
        got=_shown(have.values[worst]),
    )


def _shown(value: np.generic) -> str:
    return f"{value:.10g}" if value.dtype.kind == "f" else str(value)
