"""The formulas of the operator table: a small language of numbers, tuples and functions, read by Python's `ast`.

    2 * filters * (prod(kernel) * (C // groups) + bias) * N * prod(o)

Arithmetic `+ - * / // %`, comparisons, `and or not`, `a if test else b`, tuples with `*parts`, `v[0]`, `v[-1]`,
`v[1:]`, words in quotes, and calls of `FUNCTIONS`. Nothing else, and nothing is evaluated by Python.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from tunepass.diagnostics import spelling_hint
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import CategoryType, Expr
from tunepass.graphs.functions import FUNCTIONS
from tunepass.graphs.values import GraphError, Value, elementwise, scalar, told, whole
from tunepass.python_text import NOT_PYTHON, expression_tree

LENGTH_LIMIT = 2_000
Names = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula's text, and what was read of it."""

    text: str
    tree: ast.expr

    def value(self, names: Names) -> Value:
        """GraphError for names that are not there and for values that do not go together."""
        return _value(self.tree, names)


@lru_cache(maxsize=4096)
def formula(text: str) -> Formula:
    """GraphError for text that is none."""
    if len(text) > LENGTH_LIMIT:
        raise GraphError(f"a formula of {len(text)} characters is too long ({LENGTH_LIMIT})")
    try:
        tree = expression_tree(text)
    except NOT_PYTHON as error:
        raise GraphError(f"`{text}` is no formula: {error}") from None
    _check(tree, text)
    return Formula(text, tree)


_ARITHMETIC: dict[type[ast.operator], Callable[[algebra.ExprLike, algebra.ExprLike], Expr]] = {
    ast.Add: algebra.add,
    ast.Sub: algebra.sub,
    ast.Mult: algebra.mul,
    ast.Div: algebra.div,
    ast.FloorDiv: algebra.floordiv,
    ast.Mod: algebra.mod,
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def _check(tree: ast.expr, text: str) -> None:
    """Refuses what the language does not have, before anything is computed."""
    known = (
        *(ast.Name, ast.Constant, ast.Tuple, ast.Starred, ast.Subscript, ast.Slice, ast.Call, ast.IfExp, ast.BoolOp),
        *(ast.UnaryOp, ast.BinOp, ast.Compare, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop),
    )
    for node in ast.walk(tree):
        wrong = not isinstance(node, known)
        wrong |= isinstance(node, ast.BinOp) and type(node.op) not in _ARITHMETIC
        wrong |= isinstance(node, ast.Compare) and any(type(op) not in _COMPARISONS for op in node.ops)
        wrong |= isinstance(node, ast.UnaryOp) and not isinstance(node.op, (ast.USub, ast.Not))
        wrong |= isinstance(node, ast.Constant) and not isinstance(node.value, (bool, int, float, str))
        if wrong:
            raise GraphError(f"`{text}` is no formula: {ast.unparse(node) if isinstance(node, ast.expr) else node}")
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
            if name not in FUNCTIONS or node.keywords:
                hint = spelling_hint(name, FUNCTIONS, f"known: {', '.join(FUNCTIONS)}", quote=repr)
                raise GraphError(f"`{text}` is no formula: there is no function {name!r}", hint=hint)


def _value(node: ast.expr, names: Names) -> Value:
    match node:
        case ast.Constant(value=str() as word):
            return word
        case ast.Constant(value=bool() | int() | float() as number):
            return algebra.lift(number)
        case ast.Name(id=name):
            if name not in names:
                raise GraphError(f"there is no {name!r} here; there are {', '.join(sorted(names))}")
            return names[name]
        case ast.Tuple(elts=items):
            return _tuple(items, names)
        case ast.BinOp(left=left, op=op, right=right):
            return elementwise(_ARITHMETIC[type(op)], _value(left, names), _value(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return elementwise(algebra.sub, algebra.lift(0), _value(operand, names))
        case ast.UnaryOp(operand=operand):
            test = truth(_value(operand, names))
            known = algebra.number(test)
            return algebra.lift(not known) if known is not None else typing.unary("not", test)
        case ast.BoolOp(op=op, values=values):
            return _logical(isinstance(op, ast.And), values, names)
        case ast.Compare(left=left, ops=ops, comparators=rights):
            return _comparison(left, ops, rights, names)
        case ast.IfExp(test=test_node, body=body, orelse=other):
            return _choice(truth(_value(test_node, names)), body, other, names)
        case ast.Subscript(value=value, slice=index):
            return _part(_value(value, names), index, names)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*_tuple(arguments, names))
    raise GraphError(f"`{ast.unparse(node)}` is no formula")


def _tuple(items: list[ast.expr], names: Names) -> tuple[Value, ...]:
    values: list[Value] = []
    for item in items:
        if isinstance(item, ast.Starred):
            parts = _value(item.value, names)
            if not isinstance(parts, tuple):
                raise GraphError(f"`*` needs several values, not {told(parts)}")
            values += parts
        else:
            values.append(_value(item, names))
    return tuple(values)


def truth(value: Value) -> Expr:
    """A number as a condition."""
    number = scalar(value, "a condition")
    return number if str(number.type) == "Bool" else algebra.compare(number, "!=", 0)


def _logical(every: bool, values: list[ast.expr], names: Names) -> Expr:
    """Stops at the first constant that settles it, so that later parts may be about what is not there."""
    operands = []
    for value in values:
        test = truth(_value(value, names))
        known = algebra.number(test)
        if known is None:
            operands.append(test)
        elif bool(known) != every:
            return (
                algebra.lift(not every) if not operands else typing.logical("and" if every else "or", [*operands, test])
            )
    if len(operands) < 2:
        return operands[0] if operands else algebra.lift(every)
    return typing.logical("and" if every else "or", operands)


def _comparison(left: ast.expr, ops: list[ast.cmpop], rights: list[ast.expr], names: Names) -> Expr:
    values = [_value(node, names) for node in (left, *rights)]
    return algebra.both(*(_compare(a, _COMPARISONS[type(op)], b) for a, op, b in zip(values, ops, values[1:])))


def _compare(left: Value, op: str, right: Value) -> Expr:
    """Words and tuples are equal or not; a word may be a parameter's."""
    chosen = [v for v in (left, right) if isinstance(v, Expr) and isinstance(v.type, CategoryType)]
    if chosen and op in ("==", "!="):
        a, b = (typing.constant(v) if isinstance(v, str) else scalar(v) for v in (left, right))
        return typing.compare((a, b), (op,))
    if isinstance(left, str) or isinstance(right, str):
        return algebra.lift((left == right) == (op == "=="))
    if isinstance(left, tuple) or isinstance(right, tuple):
        pairs = elementwise(lambda a, b: algebra.compare(a, op, b), left, right)
        assert isinstance(pairs, tuple)
        return algebra.both(*(scalar(pair) for pair in pairs))
    return algebra.compare(scalar(left), op, scalar(right))


def _choice(test: Expr, body: ast.expr, other: ast.expr, names: Names) -> Value:
    known = algebra.number(test)
    if known is not None:
        return _value(body if known else other, names)
    then, otherwise = _value(body, names), _value(other, names)
    return elementwise(lambda a, b: algebra.where(test, a, b), then, otherwise)


def _part(value: Value, index: ast.expr, names: Names) -> Value:
    if not isinstance(value, tuple):
        raise GraphError(f"{told(value)} has no parts")
    if isinstance(index, ast.Slice):
        ends = [None if e is None else whole(_value(e, names), "a position") for e in (index.lower, index.upper)]
        return value[ends[0] : ends[1]]
    at = whole(_value(index, names), "a position")
    if not -len(value) <= at < len(value):
        raise GraphError(f"{told(value)} has no part {at}")
    return value[at]
