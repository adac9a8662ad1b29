"""Rows of numbers that sources compute with NumPy or torch: `torch.arange(depth) * slope + start`.

A FilledValue of one axis may know its numbers. Where it does, functions give new ones; else only its size is known.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise

from tunepass.frontends.dnn.interpreter.values import FilledValue, PyValue

MOST = 4096
Numbers = tuple[float, ...]
ONE: Mapping[str, Callable[[float], float]] = {
    "round": round, "log": math.log, "exp": math.exp, "sqrt": math.sqrt, "floor": math.floor, "ceil": math.ceil,
    "abs": abs, "int": int, "long": int, "float": float, "log2": math.log2, "around": round, "rint": round,
}  # fmt: skip
TWO: Mapping[str, Callable[[float, float], float]] = {
    "divide": lambda a, b: a / b, "div": lambda a, b: a / b, "pow": lambda a, b: a**b, "power": lambda a, b: a**b,
    "mul": lambda a, b: a * b, "multiply": lambda a, b: a * b, "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b, "sub": lambda a, b: a - b, "floor_divide": lambda a, b: a // b,
}  # fmt: skip
OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.FloorDiv: "floor_divide",
}  # fmt: skip
FOLDED: Mapping[str, Callable[[Numbers], float]] = {"sum": sum, "max": max, "min": min}


def row(numbers: Sequence[float]) -> FilledValue:
    return FilledValue((len(numbers),), tuple(numbers) if len(numbers) <= MOST else None)


def counted_row(name: str, start: PyValue, stop: PyValue, third: PyValue) -> FilledValue | None:
    """`arange` and `linspace` of plain numbers."""
    ends = (start, stop, third)
    if not all(isinstance(end, (int, float)) for end in ends):
        return None
    first, last, step = float(start), float(stop), float(third)  # type: ignore[arg-type]
    if name == "linspace":
        count = int(step)
        if not 0 <= count <= MOST:
            return None
        return row([first + (last - first) * k / max(count - 1, 1) for k in range(count)])
    if step == 0 or not 0 <= (last - first) / step <= MOST:
        return None
    whole = all(isinstance(end, int) for end in ends)
    found = [first + step * k for k in range(math.ceil((last - first) / step))]
    return row([int(value) for value in found] if whole else found)


def of_rows(name: str, values: Sequence[PyValue]) -> PyValue:
    """A function of rows and plain numbers; None: their numbers are not known, or the function is another one."""
    rows = [value.numbers for value in values if isinstance(value, FilledValue)]
    if not rows or any(numbers is None for numbers in rows):
        return None
    (first, *_) = values
    try:
        if name in ("tolist", "numpy", "cpu", "item"):
            numbers = list(rows[0] or ())
            return numbers[0] if name == "item" and len(numbers) == 1 else list(numbers)
        if name == "split" and rows[0] is not None and len(values) > 1:
            return _parts(rows[0], values[1])
        if name == "flip" and rows[0] is not None:
            return row(rows[0][::-1])
        if name == "cumsum" and rows[0] is not None:
            return row(list(accumulate(rows[0])))
        if name == "diff" and rows[0] is not None:
            return row([after - before for before, after in pairwise(rows[0])])
        if name in FOLDED and rows[0] is not None and len(values) == 1:
            return FOLDED[name](rows[0])
        if name == "astype":
            return row([int(number) for number in rows[0] or ()])
        if name in ONE and isinstance(first, FilledValue):
            return row([ONE[name](number) for number in first.numbers or ()])
        if name in TWO and len(values) >= 2:
            return _pairwise(TWO[name], values[0], values[1])
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return None
    return None


def _parts(numbers: Numbers, sizes: PyValue) -> PyValue:
    """`torch.split` by the size of each part, or by one for all."""
    if isinstance(sizes, int) and sizes > 0:
        sizes = [min(sizes, len(numbers) - k) for k in range(0, len(numbers), sizes)]
    counts = [size for size in sizes if isinstance(size, int)] if isinstance(sizes, (list, tuple)) else []
    if not isinstance(sizes, (list, tuple)) or len(counts) != len(sizes):
        return None
    ends = list(accumulate(counts, initial=0))
    return tuple(row(numbers[start:stop]) for start, stop in pairwise(ends))


def _pairwise(function: Callable[[float, float], float], left: PyValue, right: PyValue) -> PyValue:
    a, b = _spread(left), _spread(right)
    if a is None or b is None or (len(a) != len(b) and 1 not in (len(a), len(b))):
        return None
    count = max(len(a), len(b))
    return row([function(a[k % len(a)], b[k % len(b)]) for k in range(count)])


def _spread(value: PyValue) -> Numbers | None:
    if isinstance(value, FilledValue):
        return value.numbers
    return (float(value) if isinstance(value, float) else value,) if isinstance(value, (int, float)) else None


def row_arithmetic(op: type[ast.operator], left: PyValue, right: PyValue) -> PyValue:
    """`torch.arange(4) * 2`; None where the numbers are not known."""
    return of_rows(OPERATORS[op], [left, right]) if op in OPERATORS else None


def listed(values: Sequence[PyValue]) -> FilledValue | None:
    """`torch.tensor([1, 2, 3])` of plain numbers."""
    return row(list(values)) if all(isinstance(value, (int, float)) for value in values) else None  # type: ignore[arg-type]


def broadcast(left: FilledValue, right: FilledValue) -> FilledValue:
    """The shape of an operation on both."""
    rank = max(len(left.shape), len(right.shape))
    a, b = ((1,) * (rank - len(value.shape)) + value.shape for value in (left, right))
    return FilledValue(tuple(y if isinstance(x, int) and x == 1 else x for x, y in zip(a, b)))
