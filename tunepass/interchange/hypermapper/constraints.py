"""Constraints of BaCO: expressions of numexpr, in tunepass's language. Read by `ast`, never evaluated.

`&`, `|` and `~` are `and`, `or` and `not`, which scenarios of earlier versions have. Of a permutation p, `p_2` is
`p[2]` and `p_i2` is `pos(p, 2)`. What numexpr refuses (chained comparisons, texts) and what tunepass's language lacks
is refused at its place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import ExpressionError, Source, SourceError, Span, TunepassError, spelling_hint
from tunepass.expr import nodes, python_eval, typing
from tunepass.python_text import expression_tree
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

LENGTH_LIMIT = 20_000  # characters
DEPTH_LIMIT = 200  # levels of a tree
_BINARY: Mapping[type[ast.operator], str] = {
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
_LOGICAL: Mapping[type[ast.operator], str] = {ast.BitAnd: "and", ast.BitOr: "or"}
_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
# Functions of numexpr and their names in tunepass's language.
_FUNCTIONS: Mapping[str, str] = {
    "where": "if",
    "maximum": "max",
    "minimum": "min",
    **{name: name for name in ("abs", "ceil", "floor", "sqrt", "exp", "log")},
}
_ELEMENT = re.compile(r"(.+)_(i?)(\d+)")


@dataclass(frozen=True, slots=True)
class Place:
    """A text of a scenario: where its characters are, if it is written without escapes."""

    source: Source
    start: int
    end: int
    exact: bool

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, self.start + start, self.start + end) if self.exact else self.whole

    @property
    def whole(self) -> Span:
        return Span(self.source, self.start, self.end)


def read_constraint(text: str, place: Place, parameters: Mapping[str, Parameter]) -> Constraint:
    """The constraint of a text; `parameters` by their names in the scenario. SourceError at its place."""
    try:
        expression = _Reader(text, place, parameters).expression()
        python_eval.check_constants(expression)
        return Constraint(expression, text, place.whole)
    except SourceError:
        raise
    except TunepassError as error:
        raise SourceError(error.diagnostics) from None


class _Reader:
    def __init__(self, text: str, place: Place, parameters: Mapping[str, Parameter]):
        self.text, self.place, self.parameters = text, place, parameters
        self.indent = len(text) - len(text.lstrip())

    def expression(self) -> nodes.Expr:
        if len(self.text) > LENGTH_LIMIT:
            raise self._refused(f"a constraint has at most {LENGTH_LIMIT:,} characters")
        if not self.text.isascii():
            raise self._refused("a constraint has ASCII characters only")
        try:
            body = expression_tree(self.text)
        except SyntaxError as error:
            start = self.indent + max(0, (error.offset or 1) - 1)
            raise ExpressionError(f"not a constraint: {error.msg}", self.place.span(start, start + 1)) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise self._refused(f"not a constraint: {error or 'it is nested too deeply'}") from None
        return self._read(body, 0)

    def _refused(self, message: str, node: ast.expr | None = None, hint: str | None = None) -> ExpressionError:
        return ExpressionError(message, self.place.whole if node is None else self._span(node), hint)

    def _span(self, node: ast.expr) -> Span:
        if node.lineno != 1 or node.end_lineno != 1 or node.end_col_offset is None:
            return self.place.whole
        return self.place.span(self.indent + node.col_offset, self.indent + node.end_col_offset)

    def _read(self, node: ast.expr, depth: int) -> nodes.Expr:
        if depth > DEPTH_LIMIT:
            raise self._refused(f"a constraint is nested at most {DEPTH_LIMIT} levels deep")
        depth, span = depth + 1, self._span(node)
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return typing.constant(value, span)
            case ast.Name(id=name):
                return self._name(name, node)
            case ast.BoolOp(op=op, values=values):
                operands = [self._read(value, depth) for value in values]
                return typing.logical("and" if isinstance(op, ast.And) else "or", operands, span)
            case ast.UnaryOp(op=ast.Invert() | ast.Not(), operand=operand):
                return typing.unary("not", self._read(operand, depth), span)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return typing.constant(-value, span)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return typing.unary("-", self._read(operand, depth), span)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._read(operand, depth)
            case ast.BinOp(op=op) if type(op) in _LOGICAL:
                return self._logical(node, type(op), depth)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return typing.binary(_BINARY[type(op)], self._read(left, depth), self._read(right, depth), span)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
                return typing.compare([self._read(left, depth), self._read(right, depth)], [_COMPARE[type(op)]], span)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
                return typing.call(_FUNCTIONS[name], [self._read(each, depth) for each in arguments], span)
        raise self._untranslated(node)

    def _logical(self, node: ast.BinOp, kind: type[ast.operator], depth: int) -> nodes.Expr:
        """A chain of one operator, however long, as one node."""
        parts: list[ast.expr] = []
        chain: ast.expr = node
        while isinstance(chain, ast.BinOp) and type(chain.op) is kind:
            parts.append(chain.right)
            chain = chain.left
        operands = [self._read(part, depth) for part in (chain, *reversed(parts))]
        return typing.logical(_LOGICAL[kind], operands, self._span(node))

    def _name(self, name: str, node: ast.expr) -> nodes.Expr:
        span = self._span(node)
        if (parameter := self.parameters.get(name)) is not None:
            if isinstance(parameter.type, nodes.CategoryType):
                hint = "make it an ordinal parameter of numbers"
                raise self._refused(f"the categorical {name} cannot stand in a constraint", node, hint)
            if isinstance(parameter.type, nodes.OrderType):
                hint = f"write {name}_0 for the item at position 0, {name}_i0 for the position of item 0"
                raise self._refused(f"the permutation {name} is no number", node, hint)
            return nodes.Name(parameter.name, parameter.type, span)
        if (element := self._element(name, node, span)) is not None:
            return element
        known = list(self.parameters)
        near = spelling_hint(name, known, f"parameters: {', '.join(known[:20])}")
        raise self._refused(f"no parameter `{name}`", node, near)

    def _element(self, name: str, node: ast.expr, span: Span) -> nodes.Expr | None:
        """`p_2` and `p_i2` of a permutation p."""
        match = _ELEMENT.fullmatch(name)
        order = self.parameters.get(match[1]) if match else None
        if match is None or order is None or not isinstance(order.type, nodes.OrderType):
            return None
        count = len(order.type.items)
        if len(match[3]) > 4 or int(match[3]) >= count:
            raise self._refused(f"{match[1]} has items and positions 0 to {count - 1}", node)
        permutation = nodes.Name(order.name, order.type, span)
        number = typing.constant(int(match[3]), span)
        return typing.call("pos", [permutation, number], span) if match[2] else typing.index(permutation, number, span)

    def _untranslated(self, node: ast.expr) -> ExpressionError:
        match node:
            case ast.Compare(ops=ops) if len(ops) > 1:
                hint = "write `(1 < a) & (a < 4)`; comparisons beside & and | need parentheses"
                return self._refused("chained comparisons are not part of numexpr", node, hint)
            case ast.Compare():
                return self._refused("`in` and `is` are not part of numexpr", node, "write `(a == 1) | (a == 2)`")
            case ast.Constant(value=str() | bytes()):
                return self._refused("a text cannot stand in a constraint", node)
            case ast.IfExp():
                return self._refused(
                    "conditional expressions are not part of numexpr", node, "write where(a > 1, b, c)"
                )
            case ast.Call(func=ast.Name(id=name)):
                known: Sequence[str] = sorted(_FUNCTIONS)
                return self._refused(f"`{name}` is not a function here", node, f"functions: {', '.join(known)}")
        return self._refused("a constraint has numbers, names, operators and functions only", node)
