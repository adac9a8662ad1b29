"""Exact semantics on single values: constant folding, the parser's check of constants, and the tests' plain reader."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from tunepass.diagnostics import ExpressionError
from tunepass.expr import nodes as n

Number = bool | int | float
OVERFLOW_MESSAGE = "integer overflow: the value does not fit in 64 bits"


class UndefinedValue(Exception):
    """Division by zero, the logarithm of a negative number, and the like."""


class OverflowValue(Exception):
    """An integer result outside 64 bits."""


def fits(value: int) -> int:
    if not n.INT_MIN <= value <= n.INT_MAX:
        raise OverflowValue
    return value


def defined(value: float) -> float:
    if math.isnan(value):
        raise UndefinedValue
    return value


def divide(a: float, b: float) -> float:
    if b == 0:
        raise UndefinedValue
    return defined(a / b)


def floor_divide(a: Number, b: Number) -> Number:
    if b == 0:
        raise UndefinedValue
    return defined(a // b) if isinstance(a, float) or isinstance(b, float) else fits(a // b)


def modulo(a: Number, b: Number) -> Number:
    if b == 0:
        raise UndefinedValue
    return defined(a % b) if isinstance(a, float) or isinstance(b, float) else fits(a % b)


def power(a: Number, b: Number) -> Number:
    """Integers need an exponent >= 0. Reals overflow to infinity; a complex result is undefined."""
    if isinstance(a, float) or isinstance(b, float):
        a, b = float(a), float(b)
        if (a == 0 and b < 0) or (a < 0 and math.isfinite(a) and math.isfinite(b) and b != math.floor(b)):
            raise UndefinedValue
        try:
            return defined(math.pow(a, b))
        except OverflowError:
            return -math.inf if a < 0 and b % 2 == 1 else math.inf
    if b < 0:
        raise UndefinedValue
    if abs(a) > 1 and b > 63:
        raise OverflowValue
    return fits(int(a) ** (b if abs(a) > 1 else min(b, 2 + b % 2)))


def shift_left(a: int, b: int) -> int:
    if b < 0:
        raise UndefinedValue
    if a != 0 and b > 63:
        raise OverflowValue
    return fits(a << min(b, 64)) if a else 0


def shift_right(a: int, b: int) -> int:
    if b < 0:
        raise UndefinedValue
    return a >> min(b, 64)


def ceil_divide(a: Number, b: Number) -> Number:
    if b == 0:
        raise UndefinedValue
    quotient = -((-a) // b)
    return defined(quotient) if isinstance(quotient, float) else fits(quotient)


def to_integer(rounding: Callable[[float], int]) -> Callable[[Number], int]:
    def apply(value: Number) -> int:
        try:
            return fits(rounding(value))
        except OverflowError:  # an infinity
            raise OverflowValue from None

    return apply


def _sqrt(a: float) -> float:
    if a < 0:
        raise UndefinedValue
    return math.sqrt(a)


def _exp(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


def _logarithm(log: Callable[[float], float]) -> Callable[[float], float]:
    def apply(a: float) -> float:
        if a <= 0:
            raise UndefinedValue
        return log(a)

    return apply


# Operations on operands already converted to the result's type (int or float).
BINARY: dict[str, Callable[..., Number]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divide,
    "//": floor_divide,
    "%": modulo,
    "**": power,
    "<<": shift_left,
    ">>": shift_right,
}
COMPARE: dict[str, Callable[..., bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
FUNCTION: dict[str, Callable[..., Number]] = {
    "min": lambda *a: min(a),
    "max": lambda *a: max(a),
    "abs": abs,
    "ceil": to_integer(math.ceil),
    "floor": to_integer(math.floor),
    "round": to_integer(round),
    "sqrt": _sqrt,
    "exp": _exp,
    "log": _logarithm(math.log),
    "log2": _logarithm(math.log2),
    "ceildiv": ceil_divide,
    "gcd": math.gcd,
    "lcm": math.lcm,
    "ispow2": lambda a: a > 0 and a & (a - 1) == 0,
}


def strict(e: n.Expr, operands: Sequence[n.Scalar]) -> n.Scalar:
    """The value of a node whose operands are all evaluated: unary minus, arithmetic and functions."""
    result: n.Scalar
    if isinstance(e, n.Unary):
        result = not operands[0] if e.op == "not" else -_number(operands[0], e)
    else:
        numbers = [_number(v, e) for v in operands]
        if isinstance(e, n.Binary):
            if e.op == "/":
                numbers = [float(v) for v in numbers]
            result = BINARY[e.op](*numbers)
        else:
            assert isinstance(e, n.Call)
            result = FUNCTION[e.function](*numbers)
    if isinstance(e.type, n.IntegerType):
        return fits(int(result))
    return defined(float(result)) if isinstance(e.type, n.RealType) else result


def _number(value: n.Scalar, e: n.Expr) -> Number:
    """An operand of `e` as a double where the result is one, else as an integer where it is not one already."""
    if isinstance(e.type, n.RealType):
        return float(value)
    return int(value) if isinstance(value, bool) else value  # type: ignore[return-value]


def comparable(a: n.Scalar, b: n.Scalar) -> tuple[n.Scalar, n.Scalar]:
    """Numbers of different types compare as doubles."""
    if isinstance(a, float) and not isinstance(b, str):
        return a, float(b)
    if isinstance(b, float) and not isinstance(a, str):
        return float(a), b
    return a, b


def evaluate(e: n.Expr, values: Mapping[str, n.Scalar | tuple[int | str, ...] | None]) -> n.Scalar:
    """The value at one assignment, lazily as Python would. Raises UndefinedValue or OverflowValue."""
    if isinstance(e, n.Constant):
        return e.value
    if isinstance(e, n.Name):
        value = values[e.name]
        assert not isinstance(value, tuple)
        if isinstance(e.type, n.CategoryType) or value is None:  # beside None, numbers are categories too
            return str(value)
        return defined(value) if isinstance(value, float) else value
    if isinstance(e, n.Logical):
        stop = e.op == "or"
        return stop if any(evaluate(x, values) is stop for x in e.operands) else not stop
    if isinstance(e, n.If):
        branch = e.then if evaluate(e.condition, values) else e.otherwise
        value = evaluate(branch, values)
        return float(value) if e.type == n.REAL else int(value) if isinstance(e.type, n.IntegerType) else value
    if isinstance(e, n.Compare):
        return _compare(e, values)
    if isinstance(e, n.Index):
        items, position = values[e.order.name], evaluate(e.index, values)
        assert isinstance(items, tuple) and isinstance(position, int)
        if not 0 <= position < len(items):
            raise UndefinedValue
        return items[position]
    if isinstance(e, n.Call) and e.function == "pos":
        order, item = e.arguments
        assert isinstance(order, n.Name)
        items, target = values[order.name], evaluate(item, values)
        assert isinstance(items, tuple)
        if target not in items:
            raise UndefinedValue
        return items.index(target)
    if isinstance(e, n.Member):
        operands = [evaluate(x, values) for x in e.children]
        return any(a == b for a, b in (comparable(operands[0], choice) for choice in operands[1:]))
    return strict(e, [evaluate(x, values) for x in e.children])


def _compare(e: n.Compare, values: Mapping[str, n.Scalar | tuple[int | str, ...] | None]) -> bool:
    left = evaluate(e.operands[0], values)
    for op, operand in zip(e.ops, e.operands[1:]):
        right = evaluate(operand, values)
        if not COMPARE[op](*comparable(left, right)):
            return False
        left = right
    return True


def check_constants(e: n.Expr) -> None:
    """Raise a diagnostic for a subexpression without names that overflows, such as `10**10**10`."""
    known: dict[int, n.Scalar] = {}
    for node in n.walk(e):
        if isinstance(node, n.Constant):
            known[id(node)] = node.value
        elif isinstance(node, (n.Unary, n.Binary, n.Call)) and all(id(child) in known for child in node.children):
            try:
                known[id(node)] = strict(node, [known[id(child)] for child in node.children])
            except OverflowValue:
                raise ExpressionError(OVERFLOW_MESSAGE, node.span) from None
            except UndefinedValue:
                pass
