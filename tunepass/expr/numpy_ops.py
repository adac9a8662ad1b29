"""Elementwise arithmetic with a status beside every value. The reference's arithmetic; see numpy_eval for laziness.

    value   (n,) or () array: int64, float64 or bool; category codes are int64
    status  (n,) or () uint8 array of OK, UNDEFINED, OVERFLOW; None when every element is OK

A value whose status is not OK means nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.nodes import INT_MIN

OK, UNDEFINED, OVERFLOW = 0, 1, 2
Array = NDArray[Any]  # of one of the three dtypes above
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Status = NDArray[np.uint8] | None
Result = tuple[Array, Status]


def flag(mask: Mask, code: int) -> Status:
    return np.where(mask, np.uint8(code), np.uint8(OK)) if mask.any() else None


def first(*statuses: Status) -> Status:
    """Elementwise the first status that is not OK, in the order of evaluation."""
    result: Status = None
    for status in statuses:
        if status is not None:
            result = status if result is None else np.where(result != OK, result, status)
    return result


def add(a: Ints, b: Ints) -> Result:
    r = a + b
    return r, flag(((a ^ r) & (b ^ r)) < 0, OVERFLOW)


def subtract(a: Ints, b: Ints) -> Result:
    r = a - b
    return r, flag(((a ^ b) & (a ^ r)) < 0, OVERFLOW)


def _product_overflows(a: Ints, b: Ints) -> Mask:
    """Exact: a double product settles all but the cases within rounding of 2**63."""
    estimate = np.abs(a.astype(np.float64) * b.astype(np.float64))
    over = estimate >= 2.0**63 * (1 + 1e-12)
    close = (estimate > 2.0**63 * (1 - 1e-12)) & ~over
    if close.any():
        x, y, over, close = (np.ravel(part) for part in np.broadcast_arrays(a, b, over, close))
        over = over.copy()
        for i in np.flatnonzero(close):
            over[i] = not INT_MIN <= int(x[i]) * int(y[i]) < -INT_MIN
    return np.reshape(over, np.shape(estimate))


def multiply(a: Ints, b: Ints) -> Result:
    return a * b, flag(_product_overflows(a, b), OVERFLOW)


def negate(a: Ints) -> Result:
    return -a, flag(a == INT_MIN, OVERFLOW)


def absolute(a: Ints) -> Result:
    return np.abs(a), flag(a == INT_MIN, OVERFLOW)


def _divisor(a: Ints, b: Ints) -> tuple[Ints, Status]:
    """A divisor safe to divide by, and what is wrong with the real one."""
    wraps = (a == INT_MIN) & (b == -1)
    status = first(flag(b == 0, UNDEFINED), flag(wraps, OVERFLOW))
    return np.where((b == 0) | wraps, 1, b), status


def floor_divide(a: Ints, b: Ints) -> Result:
    safe, status = _divisor(a, b)
    return a // safe, status


def modulo(a: Ints, b: Ints) -> Result:
    return a % np.where((b == 0) | (b == -1), 1, b), flag(b == 0, UNDEFINED)


def ceil_divide(a: Ints, b: Ints) -> Result:
    safe, status = _divisor(a, b)
    return a // safe + (a % safe != 0), status


def power(a: Ints, b: Ints) -> Result:
    """By squaring; an exponent below 0 is undefined."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    result, base = np.ones(shape, np.int64), np.array(np.broadcast_to(a, shape))
    left = np.array(np.broadcast_to(np.where(np.abs(a) <= 1, np.minimum(b, 2 + b % 2), b), shape))
    over, base_over = np.zeros(shape, bool), np.zeros(shape, bool)
    while (left > 0).any():
        odd = (left > 0) & (left & 1 == 1)
        over |= odd & (base_over | _product_overflows(result, base))
        result = np.where(odd, result * base, result)
        left = left >> 1
        base_over = base_over | _product_overflows(base, base)
        base = base * base
    return result, first(flag(np.less(b, 0), UNDEFINED), flag(over, OVERFLOW))


def shift_left(a: Ints, b: Ints) -> Result:
    by = np.clip(b, 0, 63)
    r = a << by
    return r, first(flag(b < 0, UNDEFINED), flag(((r >> by) != a) | ((b > 63) & (a != 0)), OVERFLOW))


def shift_right(a: Ints, b: Ints) -> Result:
    return a >> np.clip(b, 0, 63), flag(b < 0, UNDEFINED)


def gcd(a: Ints, b: Ints) -> Result:
    r = np.gcd(a, b)
    return r, flag(r < 0, OVERFLOW)  # gcd(-2**63, 0)


def lcm(a: Ints, b: Ints) -> Result:
    divisor = np.gcd(a, b)
    quotient = a // np.where(divisor == 0, 1, divisor)
    product, status = multiply(quotient, b)
    size, too_large = absolute(product)
    return size, first(status, too_large)


def ispow2(a: Ints) -> Result:
    return (a > 0) & ((a & (a - 1)) == 0), None


def real(r: Floats) -> Result:
    """A double result: NaN is undefined, infinities are values."""
    return r, flag(np.isnan(r), UNDEFINED)


def real_divide(a: Floats, b: Floats) -> Result:
    r, status = real(a / b)
    return r, first(flag(b == 0, UNDEFINED), status)


def real_floor_divide(a: Floats, b: Floats) -> Result:
    r, status = real(np.floor_divide(a, b))
    return r, first(flag(b == 0, UNDEFINED), status)


def real_modulo(a: Floats, b: Floats) -> Result:
    r, status = real(np.remainder(a, b))
    return r, first(flag(b == 0, UNDEFINED), status)


def real_ceil_divide(a: Floats, b: Floats) -> Result:
    r, status = real(-np.floor_divide(-a, b))
    return r, first(flag(b == 0, UNDEFINED), status)


def real_power(a: Floats, b: Floats) -> Result:
    r, status = real(np.power(a, b))
    return r, first(flag((a == 0) & (b < 0), UNDEFINED), status)


def sqrt(a: Floats) -> Result:
    return np.sqrt(a), flag(a < 0, UNDEFINED)


def log(a: Floats) -> Result:
    return np.log(a), flag(a <= 0, UNDEFINED)


def log2(a: Floats) -> Result:
    return np.log2(a), flag(a <= 0, UNDEFINED)


def to_integer(rounding: Callable[[Floats], Floats]) -> Callable[[Floats], Result]:
    def apply(a: Floats) -> Result:
        r = rounding(a)
        inside = (r >= -(2.0**63)) & (r < 2.0**63)
        return np.where(inside, r, 0).astype(np.int64), flag(~inside, OVERFLOW)

    return apply


BINARY_INTEGER: dict[str, Callable[[Array, Array], Result]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "//": floor_divide,
    "%": modulo,
    "**": power,
    "<<": shift_left,
    ">>": shift_right,
    "ceildiv": ceil_divide,
    "gcd": gcd,
    "lcm": lcm,
    "min": lambda a, b: (np.minimum(a, b), None),
    "max": lambda a, b: (np.maximum(a, b), None),
}
BINARY_REAL: dict[str, Callable[[Array, Array], Result]] = {
    "+": lambda a, b: real(a + b),
    "-": lambda a, b: real(a - b),
    "*": lambda a, b: real(a * b),
    "/": real_divide,
    "//": real_floor_divide,
    "%": real_modulo,
    "**": real_power,
    "ceildiv": real_ceil_divide,
    "min": lambda a, b: (np.minimum(a, b), None),
    "max": lambda a, b: (np.maximum(a, b), None),
}
UNARY_INTEGER: dict[str, Callable[[Array], Result]] = {
    "-": negate,
    "abs": absolute,
    "ispow2": ispow2,
    "ceil": lambda a: (a, None),
    "floor": lambda a: (a, None),
    "round": lambda a: (a, None),
}
UNARY_REAL: dict[str, Callable[[Array], Result]] = {
    "-": lambda a: (-a, None),
    "abs": lambda a: (np.abs(a), None),
    "ceil": to_integer(np.ceil),
    "floor": to_integer(np.floor),
    "round": to_integer(np.rint),
    "sqrt": sqrt,
    "exp": lambda a: (np.exp(a), None),
    "log": log,
    "log2": log2,
}
