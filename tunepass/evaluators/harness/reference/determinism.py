"""Do two calls of the untouched source agree, and does it write what it writes at the tuned size?"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.compare import Mismatch, Output, compare
from tunepass.evaluators.harness.harness import Calls, CheckedCase
from tunepass.evaluators.measure.rounding import LARGEST, StatedTolerance, spread_of, tolerance_of
from tunepass.evaluators.measure.tolerance import Mask
from tunepass.study.outcome import Failed

NOT_FINITE = "the source itself computes numbers there that are not finite"
DENORMAL = "the source itself computes denormal numbers there, which compilers may take for zeros"


def reason_against(
    result: CheckedCase | Failed, tolerance: StatedTolerance, *, whole: bool, finite: bool, normal: bool
) -> str | None:
    """Why nothing can be compared with this, if that is so. `whole`: everything has to be written, `finite`: in finite
    numbers, `normal`: that are not denormal."""
    if isinstance(result, Failed):
        return result.log
    checked = result
    wrong = _disagreement(checked.calls, tolerance)
    if wrong is not None:
        return f"two calls on the same data give different results ({wrong})"
    missing = unwritten(checked) if whole else 0
    if missing:
        return f"{missing} elements are not written, which they are at the size that is tuned"
    if finite and not is_finite(checked):
        return NOT_FINITE
    return DENORMAL if normal and _is_denormal(checked) else None


def is_finite(checked: CheckedCase) -> bool:
    """Is it finite where it is written?"""
    return all(
        bool((np.isfinite(first.values) | poison_left(first, second)).all())
        for first, second in zip(*checked.calls)
        if first.values.dtype.kind == "f"
    )


def _is_denormal(checked: CheckedCase) -> bool:
    """Is a number that is written smaller than the least normal one of its type?"""
    return any(
        bool(((first.values != 0) & (np.abs(first.values) < np.finfo(first.values.dtype).tiny))[~left].any())
        for first, left in ((first, poison_left(first, second)) for first, second in zip(*checked.calls))
        if first.values.dtype.kind == "f"
    )


def unwritten(checked: CheckedCase) -> int:
    """Elements that kept the poison, or what an inout array held before."""
    return checked.unchanged + sum(int(poison_left(first, second).sum()) for first, second in zip(*checked.calls))


def check_deterministic(source: Path, calls: Calls, tolerance: StatedTolerance) -> None:
    wrong = _disagreement(calls, tolerance)
    if wrong is not None:
        raise ToolError(
            f"{source}: two calls on the same data give different results ({wrong})",
            hint=f"if the kernel reads {wrong.name} before writing it, declare it `inout`; "
            "if nobody needs what it leaves there, `work`; "
            "if it keeps state between calls, or races, nothing can be checked",
        )


def _disagreement(calls: Calls, stated: StatedTolerance) -> Mismatch | None:
    """Two calls on equal data must agree, except where both left the poison; threads may sum in another order."""
    for first, second in zip(*calls):
        unwritten = poison_left(first, second)
        written_outputs = [Output(o.name, o.values[~unwritten]) for o in (first, second)]
        dtype = first.values.dtype
        loose = StatedTolerance(relative=LARGEST.get(dtype.itemsize, 0.0) if dtype.kind == "f" else 0.0)
        tolerance = tolerance_of(
            loose if stated.relative is None else stated, spread_of(written_outputs[0].values), dtype
        )
        wrong = compare([written_outputs[0]], [written_outputs[1]], tolerance)
        if wrong:
            return wrong[0]
    return None


def without_unwritten(expected: Output, got: Output) -> Output:
    """`got`, as expected where the reference wrote nothing: how much is written may depend on the inputs, and what lies
    beyond it was left by earlier calls."""
    values = expected.values
    if values.dtype.kind == "b":
        return got
    if values.dtype.kind == "f":
        unwritten: Mask = values == (203.25 if values.dtype.itemsize == 2 else -1234.5)
    else:
        unwritten = (values.view(np.uint8) == 0x5A).reshape(len(values), values.dtype.itemsize).all(axis=1)
    return Output(got.name, np.where(unwritten, values, got.values)) if unwritten.any() else got


def poison_left(first: Output, second: Output) -> Mask:
    """Marks elements in which call 0 left poison pattern 0 and call 1 pattern 1 (frontends/c/harness/runtime.h)."""
    a, b = first.values, second.values
    if a.dtype.kind == "f":
        poison = 203.25 if a.dtype.itemsize == 2 else -1234.5
        left: Mask = np.isnan(a) & (b == poison)
    elif a.dtype.kind == "b":
        left = np.logical_and(a == 0, b == 1)
    else:
        in_bytes = (a.view(np.uint8) == 0xA5) & (b.view(np.uint8) == 0x5A)
        left = in_bytes.reshape(len(a), a.dtype.itemsize).all(axis=1)
    return left
