"""Are the arrays that a kernel wrote right? Element by element; what is said of one that is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.evaluators.measure.tolerance import Array, Mask, Tolerance, integer_distance, is_right

POINTER = "&"  # in front of the name of what holds pointers


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Mismatch of an output array: `worst` is the index of the largest error."""

    name: str
    wrong: int
    total: int
    worst: int
    expected: str
    got: str

    def __str__(self) -> str:
        if self.total == 1:
            return f"{self.name.removeprefix(POINTER)}: expected {self.expected}, got {self.got}"
        return (
            f"{self.name}: {self.wrong} of {self.total} elements differ; "
            f"worst at {self.name}[{self.worst}]: expected {self.expected}, got {self.got}"
        )


@dataclass(frozen=True, slots=True)
class Output:
    """An array a kernel wrote."""

    name: str
    values: Array  # (n,)


def compare(
    expected: Sequence[Output], got: Sequence[Output], tolerances: Tolerance | Sequence[Tolerance]
) -> tuple[Mismatch, ...]:
    """One Mismatch for each array that is not right. Both hold the same arrays in the same order; with a tolerance for
    each, or one for all."""
    mismatches = []
    if isinstance(tolerances, Tolerance):
        tolerances = [tolerances] * len(expected)
    for want, have, tolerance in zip(expected, got, tolerances, strict=True):
        right = is_right(want.values, have.values, tolerance)
        if not right.all():
            mismatches.append(_mismatch(want, have, right))
    return tuple(mismatches)


def zeros_pass(expected: Sequence[Output], tolerances: Sequence[Tolerance]) -> tuple[str, ...]:
    """Names of the arrays for which all zeros would be judged right: there the tolerance tells nothing."""
    return tuple(
        output.name
        for output, tolerance in zip(expected, tolerances, strict=True)
        if output.values.size
        and output.values.astype(bool).any()
        and is_right(output.values, np.zeros_like(output.values), tolerance).all()
    )


def _mismatch(want: Output, have: Output, right: Mask) -> Mismatch:
    if want.values.dtype.kind == "b":
        want, have = (Output(each.name, each.values.view(np.uint8)) for each in (want, have))
    if want.values.dtype.kind == "f":
        with np.errstate(invalid="ignore", over="ignore"):
            error = np.abs(have.values.astype(np.float64) - want.values.astype(np.float64))
        error[np.isnan(error)] = np.inf
    else:
        error = integer_distance(want.values, have.values)
    error[right] = -1
    worst = int(error.argmax())
    return Mismatch(
        name=want.name,
        wrong=int((~right).sum()),
        total=right.size,
        worst=worst,
        expected=_format_number(want.values[worst], want.name),
        got=_format_number(have.values[worst], want.name),
    )


def _format_number(value: np.generic, name: str) -> str:
    if name.startswith(POINTER):
        return _format_pointer(int(value))
    return f"{value:.10g}" if value.dtype.kind == "f" else str(value)


def _format_pointer(code: int) -> str:
    """As frontends/c/harness/outputs.h tells pointers."""
    if code < 0:
        return "NULL" if code == -1 else "a pointer to other memory"
    return f"byte {code % (1 << 40)} of array {code >> 40}"
