"""Python expressions, as other tuners' files hold them, in tunepass's language. Read by `ast`, never evaluated.

The subset: arithmetic, comparisons, `and or not`, conditional expressions, `in` over a literal list, subscripts, and
the functions both languages have. A name may stand for a constant (`filter_width` for 15).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tunepass.diagnostics import ExpressionError, Source
from tunepass.python_text import NOT_PYTHON, expression_tree

LENGTH_LIMIT = 20_000
FUNCTIONS = frozenset({"min", "max", "abs", "round", "gcd", "lcm", "sqrt", "exp", "log", "log2", "floor", "ceil"})
MODULES = frozenset({"math", "np", "numpy"})

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Not: "not "}

Constant = bool | int | float | str


def from_python(
    text: str, constants: Mapping[str, Constant] | None = None, inverse: Mapping[str, str] | None = None
) -> str:
    """The same expression in tunepass's language; ExpressionError names what has no translation.

    `inverse` maps a name to a permutation it is the inverse of: with `{"p": "order"}`, `p[2]` is `pos(order, 2)`.
    """
    source = Source("<python>", text)
    if len(text) > LENGTH_LIMIT:
        raise ExpressionError(f"a Python expression of {len(text)} characters is too long ({LENGTH_LIMIT})")
    try:
        body = expression_tree(text)
        return _Translator(constants or {}, inverse or {}).translate(body)
    except NOT_PYTHON as error:
        raise ExpressionError(f"this is not a Python expression that can be read: {error}", source.span()) from error


class _Translator:
    def __init__(self, constants: Mapping[str, Constant], inverse: Mapping[str, str]):
        self.constants, self.inverse = constants, inverse

    def translate(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return _literal(value)
            case ast.Name(id=name):
                return _literal(self.constants[name]) if name in self.constants else name
            case ast.BoolOp(op=op, values=values):
                word = " and " if isinstance(op, ast.And) else " or "
                return "(" + word.join(self.translate(v) for v in values) + ")"
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return f"({_UNARY[type(op)]}{self.translate(operand)})"
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return f"({self.translate(left)} {_BINARY[type(op)]} {self.translate(right)})"
            case ast.IfExp(test=test, body=body, orelse=other):
                return f"if({self.translate(test)}, {self.translate(body)}, {self.translate(other)})"
            case ast.Compare():
                return self._comparison(node)
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                place = self.translate(index)
                return f"pos({self.inverse[name]}, {place})" if name in self.inverse else f"{name}[{place}]"
            case ast.Call(func=function, args=arguments, keywords=[]):
                return f"{_function(function)}({', '.join(self.translate(a) for a in arguments)})"
        raise ExpressionError(f"no translation for the Python expression `{ast.unparse(node)}`")

    def _comparison(self, node: ast.Compare) -> str:
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            listed = node.comparators[0]
            if not isinstance(listed, (ast.List, ast.Tuple, ast.Set)) or not listed.elts:
                raise ExpressionError(f"no translation for `in` over `{ast.unparse(listed)}`")
            text = f"({self.translate(node.left)} in {{{', '.join(self.translate(e) for e in listed.elts)}}})"
            return text if isinstance(node.ops[0], ast.In) else f"(not {text})"
        parts = [self.translate(node.left)]
        for op, right in zip(node.ops, node.comparators):
            if type(op) not in _COMPARE:
                raise ExpressionError(f"no translation for the Python expression `{ast.unparse(node)}`")
            parts += [_COMPARE[type(op)], self.translate(right)]
        return "(" + " ".join(parts) + ")"


def _function(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) if name in FUNCTIONS:
            return name
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES and name in FUNCTIONS:
            return name
    raise ExpressionError(f"no translation for the Python function `{ast.unparse(node)}`")


def _literal(value: Constant) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"({value!r})" if not isinstance(value, bool) and value < 0 else repr(value)
