"""Values that other tuners' files write as Python: lists, ranges, comprehensions, arithmetic. Read by `ast`, never run.

`[32 * i for i in range(1, 33)]`, `[1] + [2**i for i in range(5)]`, `max(filter_width) * ProblemSize[0]`. Work, length
and size are bounded, so that a few characters cannot ask for much.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Union

from tunepass.diagnostics import ExpressionError, Source
from tunepass.python_text import NOT_PYTHON, expression_tree

LENGTH_LIMIT = 20_000  # characters
STEP_LIMIT = 200_000  # nodes visited
INTEGER_LIMIT = 2**63  # of what is computed
NAMES_OF_MODULES = frozenset({"math", "np", "numpy"})

PythonValue = Union[bool, int, float, str, None, tuple["PythonValue", ...]]  # noqa: UP007 (a string has no `|`)
Number = int | float

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_OF_NUMBER: dict[str, Callable[[Number], Number]] = {
    "abs": abs,
    "ceil": math.ceil,
    "float": float,
    "floor": math.floor,
    "int": int,
    "log2": math.log2,
    "round": round,
    "sqrt": math.sqrt,
}
_OF_LIST: dict[str, Callable[[tuple[Number, ...]], Number]] = {
    "len": len,
    "max": max,
    "min": min,
    "prod": math.prod,
    "sum": sum,
}
_AS_LIST = frozenset({"array", "list", "set", "sorted", "tuple"})


def python_value(text: str, names: Mapping[str, PythonValue] | None = None) -> PythonValue:
    """What `text` stands for, lists and tuples both as tuples. ExpressionError for what is no such value."""
    source = Source("<python>", text)
    if len(text) > LENGTH_LIMIT:
        raise ExpressionError(f"a Python value of {len(text)} characters is too long ({LENGTH_LIMIT})")
    try:
        return value_of(expression_tree(text), names)
    except NOT_PYTHON as error:
        raise ExpressionError(f"this is not a Python value that can be read: {error}", source.span()) from None


def value_of(node: ast.expr, names: Mapping[str, PythonValue] | None = None) -> PythonValue:
    """The same of a parsed expression."""
    try:
        return _Reader(dict(names or {})).read(node)
    except RecursionError:
        raise ExpressionError("this Python value is nested too deeply") from None
    except (ArithmeticError, TypeError, ValueError, IndexError) as error:
        raise ExpressionError(f"the Python value `{_source_text(node)}` has none: {error}") from None


class _Reader:
    def __init__(self, names: dict[str, PythonValue]):
        self.names, self.steps = names, 0

    def read(self, node: ast.expr) -> PythonValue:
        self._step()
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return value
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return tuple(self.read(item) for item in items)
            case ast.ListComp(elt=item, generators=generators) | ast.GeneratorExp(elt=item, generators=generators):
                return tuple(self._comprehension(item, generators))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._number(operand)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self.read(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(self.read(left), op, self.read(right), node)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.read(body if self.read(test) else other)
            case ast.BoolOp(op=op, values=values):
                every = isinstance(op, ast.And)
                return all(map(self.read, values)) if every else any(map(self.read, values))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
                return _COMPARE[type(op)](self._number(left), self._number(right))
            case ast.Subscript(value=value, slice=index):
                return self._items(value)[self._integer(index)]
            case ast.Call(func=function, args=arguments, keywords=[]):
                return self._call(_name_of(function), arguments, node)
        raise ExpressionError(f"no value can be read from the Python expression `{_source_text(node)}`")

    def _step(self) -> None:
        self.steps += 1
        if self.steps > STEP_LIMIT:
            raise ExpressionError(f"this Python value takes more than {STEP_LIMIT:,} steps to read")

    def _comprehension(self, item: ast.expr, generators: list[ast.comprehension]) -> Iterator[PythonValue]:
        if not generators:
            yield self.read(item)
            return
        first, *others = generators
        if not isinstance(first.target, ast.Name):
            raise ExpressionError(f"no value can be read from a loop over `{_source_text(first.target)}`")
        name, outer = first.target.id, dict(self.names)
        for value in self._items(first.iter):
            self._step()
            self.names[name] = value
            if all(self.read(condition) for condition in first.ifs):
                yield from self._comprehension(item, others)
        self.names = outer

    def _binary(self, left: PythonValue, op: ast.operator, right: PythonValue, node: ast.expr) -> PythonValue:
        if isinstance(op, ast.Add) and isinstance(left, tuple) and isinstance(right, tuple):
            return left + right
        a, b = _number(left, node), _number(right, node)
        if isinstance(op, ast.Pow):
            if abs(b) > 64:
                raise ExpressionError(f"the power in `{_source_text(node)}` is too large")
            result: Number = a**b
        elif isinstance(op, ast.LShift) and isinstance(a, int) and isinstance(b, int) and 0 <= b < 64:
            result = a << b
        elif type(op) in _BINARY:
            result = _BINARY[type(op)](a, b)
        else:
            raise ExpressionError(f"no value can be read from the Python expression `{_source_text(node)}`")
        if isinstance(result, complex) or abs(result) > INTEGER_LIMIT:
            raise ExpressionError(f"the value of `{_source_text(node)}` is too large")
        return result

    def _call(self, name: str | None, arguments: list[ast.expr], node: ast.expr) -> PythonValue:
        if name in ("range", "arange") and 1 <= len(arguments) <= 3:
            numbers = range(*(self._integer(argument) for argument in arguments))
            if len(numbers) > STEP_LIMIT:
                raise ExpressionError(f"`{_source_text(node)}` has more than {STEP_LIMIT:,} numbers")
            return tuple(numbers)
        if name in _AS_LIST and len(arguments) == 1:
            items = self._items(arguments[0])
            return tuple(sorted(_number(i, node) for i in items)) if name in ("sorted", "set") else items
        if name in _OF_LIST and arguments:
            values = self._items(arguments[0]) if len(arguments) == 1 else tuple(map(self.read, arguments))
            if name == "len":
                return len(values)
            return _OF_LIST[name](tuple(_number(value, node) for value in values))
        if name in _OF_NUMBER and len(arguments) == 1:
            return _OF_NUMBER[name](self._number(arguments[0]))
        raise ExpressionError(f"no value can be read from the Python expression `{_source_text(node)}`")

    def _items(self, node: ast.expr) -> tuple[PythonValue, ...]:
        value = self.read(node)
        if not isinstance(value, tuple):
            raise ExpressionError(f"`{_source_text(node)}` is no list")
        return value

    def _number(self, node: ast.expr) -> Number:
        return _number(self.read(node), node)

    def _integer(self, node: ast.expr) -> int:
        value = self.read(node)
        if not isinstance(value, int):
            raise ExpressionError(f"`{_source_text(node)}` is no whole number")
        return value


def _number(value: PythonValue, node: ast.expr) -> Number:
    if not isinstance(value, (int, float)):
        raise ExpressionError(f"`{_source_text(node)}` needs numbers")
    return value


def _name_of(function: ast.expr) -> str | None:
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in NAMES_OF_MODULES:
            return name
    return None


def _source_text(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "..."
