"""Arithmetic and comparisons of what names stand for: Python's numbers, sizes that parameters decide, and tensors."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping

from tunepass.diagnostics import Diagnostic, ExpressionError, Severity, Span
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import CategoryType, Expr
from tunepass.frontends.dnn.interpreter.machine import Machine
from tunepass.frontends.dnn.interpreter.numbers import broadcast, row_arithmetic
from tunepass.frontends.dnn.interpreter.values import (
    ConditionalValue,
    FilledValue,
    PyValue,
    SequentialValue,
    Symbol,
    TensorValue,
    Unknown,
)
from tunepass.graphs.conditions import negated

TENSOR = {
    ast.Add: "Add", ast.Sub: "Subtract", ast.Mult: "Multiply", ast.Div: "Divide", ast.Pow: "Power",
    ast.MatMult: "MatMul",
}  # fmt: skip
_NUMBERS: Mapping[type[ast.operator], Callable[..., object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_SIZES: Mapping[type[ast.operator], Callable[..., Expr]] = {
    ast.Add: algebra.add, ast.Sub: algebra.sub, ast.Mult: algebra.mul, ast.Div: algebra.div,
    ast.FloorDiv: algebra.floordiv, ast.Mod: algebra.mod,
}  # fmt: skip
_COMPARISONS: Mapping[type[ast.cmpop], Callable[..., object]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_WORDS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
LONGEST = 100_000  # characters or items that repetition makes
LARGEST = 2**62


def arithmetic(interpreter: Machine, op: type[ast.operator], left: PyValue, right: PyValue, node: ast.AST) -> PyValue:
    if isinstance(left, TensorValue) or isinstance(right, TensorValue):
        return _of_tensors(interpreter, op, left, right, node)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        lost = left if isinstance(left, Unknown) and not left.number else right
        return lost if isinstance(lost, Unknown) else left
    try:
        if _plain(left) and _plain(right):
            return _of_numbers(op, left, right)
        if _sized(left) and _sized(right) and op in _SIZES:
            return _SIZES[op](left, right)
        if _sized(left) and _sized(right):
            return Unknown("a power of sizes", number=True)
    except (ZeroDivisionError, OverflowError, ValueError, ExpressionError) as error:
        raise interpreter.fail(f"this cannot be computed: {error}", node) from None
    if (numbers := row_arithmetic(op, left, right)) is not None:
        return numbers
    if isinstance(left, FilledValue) and isinstance(right, FilledValue):
        return broadcast(left, right)
    for value, other in ((left, right), (right, left)):
        if isinstance(value, FilledValue) and _sized(other):
            return FilledValue(value.shape)
    return _of_sequences(op, left, right)


def _plain(value: PyValue) -> bool:
    return isinstance(value, (bool, int, float))


def _sized(value: PyValue) -> bool:
    return isinstance(value, (bool, int, float, Expr))


def _of_numbers(op: type[ast.operator], left: PyValue, right: PyValue) -> PyValue:
    assert isinstance(left, (int, float)) and isinstance(right, (int, float))
    if op is ast.Pow:
        if abs(right) > 64:
            raise OverflowError("a power that large")
        result: object = left**right
    elif op in _NUMBERS:
        result = _NUMBERS[op](left, right)
    elif isinstance(left, int) and isinstance(right, int) and 0 <= right < 63 and op in (ast.LShift, ast.RShift):
        result = left << right if op is ast.LShift else left >> right
    else:
        return Unknown("this operator is not followed")
    if not isinstance(result, (int, float)) or (isinstance(result, int) and abs(result) > LARGEST):
        raise OverflowError("it does not fit 64 bits")
    return result


def _of_sequences(op: type[ast.operator], left: PyValue, right: PyValue) -> PyValue:
    if op is ast.Add:
        if isinstance(left, list) and isinstance(right, list):
            return [*left, *right]
        if isinstance(left, tuple) and isinstance(right, tuple):
            return (*left, *right)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
    if op is ast.Mult:
        if isinstance(right, (list, tuple, str)):
            left, right = right, left
        if isinstance(left, (list, tuple, str)) and isinstance(right, int) and len(left) * right <= LONGEST:
            return left * right
    if op is ast.Mod and isinstance(left, str):
        return _formatted(left, right)
    return Unknown("this arithmetic is not followed")


def _formatted(text: str, values: PyValue) -> PyValue:
    """`"layer%d" % 3`, of short texts and plain values."""
    items = values if isinstance(values, tuple) else (values,)
    if len(text) > 200 or not all(isinstance(item, (int, float, str)) for item in items) or "*" in text:
        return text
    try:
        return text % items if len(re.findall(r"%\d{3,}", text)) == 0 else text
    except (TypeError, ValueError):
        return text


def _of_tensors(interpreter: Machine, op: type[ast.operator], left: PyValue, right: PyValue, node: ast.AST) -> PyValue:
    building, span = interpreter.building, interpreter.span(node)
    if op not in TENSOR:
        return Unknown("this operator of tensors is not followed")
    if isinstance(left, TensorValue) and isinstance(right, TensorValue):
        return building.apply(TENSOR[op], [left, right], span=span)[0]
    tensor, other = (left, right) if isinstance(left, TensorValue) else (right, left)
    assert isinstance(tensor, TensorValue)
    if (made := _constant(interpreter, other, span)) is not None:
        return building.apply(TENSOR[op], [tensor, made] if tensor is left else [made, tensor], span=span)[0]
    if isinstance(other, Unknown) and other.span is not None:  # a tensor that was lost, not a number
        return other
    result = building.apply("AddScalar" if op in (ast.Add, ast.Sub) else "Scale", [tensor], span=span)[0]
    if isinstance(other, Unknown) and not other.number:
        building.assumed[result.name] = Diagnostic(
            f"this is taken for a number: {other.reason}", span, severity=Severity.WARNING
        )
    return result


def _constant(interpreter: Machine, value: PyValue, span: Span) -> TensorValue | None:
    """Numbers with axes as a value of the graph."""
    if not isinstance(value, FilledValue) or not value.shape or not all(_sized(size) for size in value.shape):
        return None
    shape = tuple(algebra.lift(size) for size in value.shape)  # type: ignore[arg-type]
    return interpreter.building.apply("Constant", [], {"shape": shape}, span=span)[0]


def compared_tensors(
    interpreter: Machine, op: type[ast.cmpop], left: PyValue, right: PyValue, node: ast.AST
) -> PyValue:
    """`mask > 0`: a tensor of truths. None: neither side is a tensor, or it is asked what it is."""
    pair = (left, right)
    if op not in _WORDS or any(value is None or isinstance(value, (str, Unknown, ConditionalValue)) for value in pair):
        return None
    tensors = [value for value in pair if isinstance(value, TensorValue)]
    if tensors:
        span = interpreter.span(node)
        tensors += [made for value in pair if (made := _constant(interpreter, value, span)) is not None]
        return interpreter.building.apply("Compare", tensors, span=interpreter.span(node))[0]
    rows = [value for value in pair if isinstance(value, FilledValue)]
    return (broadcast(rows[0], rows[1]) if len(rows) == 2 else FilledValue(rows[0].shape)) if rows else None


def compared(op: type[ast.cmpop], left: PyValue, right: PyValue) -> bool | Expr | Unknown:
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        lost = left if isinstance(left, Unknown) else right
        assert isinstance(lost, Unknown)
        return Unknown(f"it is compared with something that is not known: {lost.reason}", lost.span)
    if op in (ast.In, ast.NotIn):
        return _contained(op, left, right)
    if isinstance(left, ConditionalValue) and right is None and op in (ast.Is, ast.IsNot, ast.Eq, ast.NotEq):
        return negated(left.condition) if op in (ast.Is, ast.Eq) else left.condition
    if isinstance(left, Expr) or isinstance(right, Expr):
        if op in (ast.Is, ast.IsNot):
            return op is ast.IsNot
        if not all(isinstance(v, (bool, int, float, str, Expr)) for v in (left, right)) or op not in _WORDS:
            return op is ast.NotEq
        return _of_sizes(_WORDS[op], left, right)
    if isinstance(left, str) and isinstance(right, str) and op in (ast.Is, ast.IsNot):
        op = ast.Eq if op is ast.Is else ast.NotEq  # members of an Enum
    try:
        result = _COMPARISONS[op](left, right)
    except TypeError:
        return Unknown("these do not compare")
    return bool(result)


def _of_sizes(word: str, left: PyValue, right: PyValue) -> bool | Expr | Unknown:
    strings = [isinstance(v, str) or (isinstance(v, Expr) and isinstance(v.type, CategoryType)) for v in (left, right)]
    if any(strings):
        if not all(strings):
            return word == "!="
        a, b = (typing.constant(v) if isinstance(v, str) else v for v in (left, right))
        return typing.compare((a, b), (word,)) if word in ("==", "!=") else Unknown("words have no order")  # type: ignore[arg-type]
    result = algebra.compare(left, word, right)  # type: ignore[arg-type]
    known = algebra.number(result)
    return bool(known) if known is not None else result


def _contained(op: type[ast.cmpop], left: PyValue, right: PyValue) -> bool | Expr | Unknown:
    if isinstance(right, Symbol) and right.path == "os.environ":
        return op is ast.NotIn  # as where nobody sets it
    if isinstance(right, (list, tuple, dict, str)) and not isinstance(left, Expr):
        try:
            return (left in right) == (op is ast.In)
        except TypeError:
            return Unknown("these do not compare")
    if isinstance(left, Expr) and isinstance(right, (list, tuple)):
        tests = [compared(ast.Eq, left, item) for item in right]
        if all(isinstance(test, (bool, Expr)) for test in tests):
            none = algebra.both(*(negated(test) for test in tests if isinstance(test, Expr)))
            return negated(none) if op is ast.In else none
    return Unknown("what is in it is not known")


def truth(value: PyValue) -> bool | Expr | Unknown:
    """A value as a condition."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Expr):
        if isinstance(value.type, CategoryType):
            return True
        test = value if str(value.type) == "Bool" else algebra.compare(value, "!=", 0)
        known = algebra.number(test)
        return bool(known) if known is not None else test
    if isinstance(value, ConditionalValue):
        return value.condition
    if isinstance(value, TensorValue):
        return Unknown("a tensor decides it")
    if isinstance(value, SequentialValue):
        return bool(value.items)
    return bool(value) if isinstance(value, (bool, int, float, str, list, tuple, dict)) else value is not None
