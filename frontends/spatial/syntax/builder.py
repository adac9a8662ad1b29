"""The syntax tree, built rule by rule while Lark parses: each method of TreeBuilder is named after a rule.

A method gets what its rule matched, in order: terminals, nodes, and None for an optional part that is not there.
"""

from __future__ import annotations

from collections.abc import Sequence

import lark

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.frontends.spatial.syntax.precedence import grouped
from tunepass.frontends.spatial.syntax.terminals import Terminal

Item = n.Node | Terminal | None
MOST_DIGITS = 30  # of an integer that is worth converting


class TreeBuilder(lark.Transformer[Terminal, n.Node]):
    """Has no state: a terminal knows its source."""

    # --- statements

    def statements(self, items: list[Item]) -> Item:
        return items[0]

    def body(self, items: list[Item]) -> n.Node:
        return n.Block(_span(items), _nodes(items))

    def value(self, items: list[Item]) -> n.Node:
        *before, _, type_, _, value = items
        patterns = _nodes(before[1:])
        names = _bound_names(patterns[0]) if len(patterns) == 1 else tuple(map(_bound_name, patterns))
        return n.Value(_span(items), names, _type(type_), _node(value))

    def alias(self, items: list[Item]) -> n.Node:
        return n.Alias(_span(items), str(items[1]), _known_type(items[-1]))

    def definition(self, items: list[Item]) -> n.Node:
        signature, _, body = items
        assert isinstance(signature, n.Signature)
        return n.Definition(_span(items), signature, _node(body))

    def signature(self, items: list[Item]) -> n.Node:
        return n.Signature(_span(items), str(items[1]), _parameters(items))

    def class_signature(self, items: list[Item]) -> n.Node:
        return n.Signature(_span(items), str(items[0]), _parameters(items))

    def parameter(self, items: list[Item]) -> n.Node:
        _, name, _, type_, _, default = items
        return n.Parameter(_span(items), str(name), _type(type_), None if default is None else _node(default))

    # --- expressions

    def function(self, items: list[Item]) -> n.Node:
        parameters, arrow, body = items
        return n.Function(_span(items), _function_parameters(_node(parameters), arrow), _node(body))

    def open_function(self, items: list[Item]) -> n.Node:
        parameters, arrow, body = items
        return n.Function(_span(items), _function_parameters(_node(parameters), arrow), _block(body, arrow))

    def conditional(self, items: list[Item]) -> n.Node:
        otherwise = None if items[-1] is None else _node(items[-1])
        return n.Conditional(_span(items), _node(items[2]), _node(items[4]), otherwise)

    def loop(self, items: list[Item]) -> n.Node:
        return n.WhileLoop(_span(items), _node(items[2]), _node(items[4]))

    def comprehension(self, items: list[Item]) -> n.Node:
        *enumerators, body = _nodes(items)
        return n.Comprehension(_span(items), tuple(enumerators), body)

    def generator(self, items: list[Item]) -> n.Node:
        return n.Generator(_span(items), _node(items[0]), _node(items[2]))

    def local_value(self, items: list[Item]) -> n.Node:
        return n.Value(_span(items), _bound_names(_node(items[0])), None, _node(items[2]))

    def guard(self, items: list[Item]) -> n.Node:
        return _node(items[1])

    def returned(self, items: list[Item]) -> n.Node:
        return _node(items[1])

    def thrown(self, items: list[Item]) -> n.Node:
        return n.Thrown(_span(items), _node(items[1]))

    def update(self, items: list[Item]) -> n.Node:
        return n.Update(_span(items), str(items[1]), _node(items[0]), _node(items[2]))

    def assign(self, items: list[Item]) -> n.Node:
        return n.Assign(_span(items), _node(items[0]), _node(items[2]))

    def matching(self, items: list[Item]) -> n.Node:
        return n.Matching(_span(items), _node(items[0]), _node(items[2]))

    def ascribed(self, items: list[Item]) -> n.Node:
        return n.Ascribed(_span(items), _node(items[0]), _known_type(items[2]))

    def infix(self, items: list[Item]) -> n.Node:
        return grouped([_node(item) for item in items[::2]], [str(item) for item in items[1::2]])

    def prefixed(self, items: list[Item]) -> n.Node:
        return n.Prefixed(_span(items), str(items[0]), _node(items[1]))

    def select(self, items: list[Item]) -> n.Node:
        return n.Select(_span(items), _node(items[0]), str(items[2]).strip("`"))

    def typed(self, items: list[Item]) -> n.Node:
        return n.Typed(_span(items), _node(items[0]), _types(items[1:]))

    def arguments(self, items: list[Item]) -> n.Node:
        return n.Parenthesis(_span(items), _nodes(items))

    def apply(self, items: list[Item]) -> n.Node:
        arguments = items[1]
        assert isinstance(arguments, n.Parenthesis)
        return n.Apply(_span(items), _node(items[0]), arguments.items)

    def apply_block(self, items: list[Item]) -> n.Node:
        return n.Apply(_span(items), _node(items[0]), (_node(items[1]),))

    def parenthesis(self, items: list[Item]) -> n.Node:
        return n.Parenthesis(_span(items), _nodes(items))

    def instance(self, items: list[Item]) -> n.Node:
        return n.Instance(_span(items), str(items[1]))

    def braces(self, items: list[Item]) -> n.Node:
        """A block; `{ i => … }` is the function itself."""
        statements = items[1].statements if isinstance(items[1], n.Block) else ()
        match statements:
            case (n.Function(parameters=parameters, body=body),):
                return n.Function(_span(items), parameters, body)
            case _:
                return n.Block(_span(items), statements)

    def case_braces(self, items: list[Item]) -> n.Node:
        """`{ case (a, b) => … }` is a function of a and b."""
        cases = tuple(item for item in items if isinstance(item, n.Case))
        names = _plain_names(cases[0].pattern) if len(cases) == 1 and not cases[0].guarded else ()
        return n.Function(_span(items), names, cases[0].body) if names else n.Cases(_span(items), cases)

    def case(self, items: list[Item]) -> n.Node:
        _, pattern, _, guard, arrow, body = items
        return n.Case(_span(items), _node(pattern), guard is not None, _block(body, arrow))

    # --- types

    def path(self, items: list[Item]) -> n.Node:
        return n.TypeName(_span(items), "".join(str(item).strip("`") for item in items if item is not None))

    def type_name(self, items: list[Item]) -> n.Node:
        name = items[0].name if isinstance(items[0], n.TypeName) else str(items[0])
        return n.TypeName(_span(items), name, _types(items[1:]))

    def tuple_type(self, items: list[Item]) -> n.Node:
        return n.TupleType(_span(items), _types(items))

    def other_type(self, items: list[Item]) -> n.Node:
        return n.OtherType(_span(items))

    type_parameters = type_parameter = bound = other_type


_PUNCTUATION = frozenset({
    "SEMI", "COMMA", "LPAR", "RPAR", "LBRACE", "RBRACE", "FOR", "YIELD",
})  # fmt: skip


def _span(items: Sequence[Item]) -> Span:
    """From the first item to the last, optional parts that are not there left out."""
    present = [item for item in items if item is not None]
    first, last = present[0].span, present[-1].span
    return Span(first.source, first.start, last.end)


def _nodes(items: Sequence[Item]) -> tuple[n.Node, ...]:
    return tuple(_node(item) for item in items if item is not None and getattr(item, "type", "") not in _PUNCTUATION)


def _types(items: Sequence[Item]) -> tuple[n.Type, ...]:
    return tuple(item for item in items if isinstance(item, n.Type))


def _type(item: Item) -> n.Type | None:
    assert item is None or isinstance(item, n.Type)
    return item


def _known_type(item: Item) -> n.Type:
    assert isinstance(item, n.Type)
    return item


def _parameters(items: Sequence[Item]) -> tuple[n.Parameter, ...]:
    return tuple(item for item in items if isinstance(item, n.Parameter))


def _block(body: Item, before: Item) -> n.Block:
    """A body; an empty one stands where its arrow is."""
    assert before is not None
    assert isinstance(body, n.Block | None)
    return n.Block(before.span, ()) if body is None else body


def _bound_names(pattern: n.Node) -> tuple[str, ...]:
    """What `val pattern =` binds; `_` for a part that binds no single name."""
    if isinstance(pattern, n.Infix) and pattern.operator == "::":  # a :: b :: rest
        return (_bound_name(pattern.left), *_bound_names(pattern.right))
    parts = pattern.items if isinstance(pattern, n.Parenthesis) else (pattern,)
    return tuple(map(_bound_name, parts))


def _bound_name(pattern: n.Node) -> str:
    match pattern:
        case n.Ident(name=name):
            return name
        case n.Ascribed(value=value):
            return _bound_name(value)
        case _:
            return "_"


def _plain_names(pattern: n.Node) -> tuple[str, ...]:
    """The names of `(a, b)` or `a`; none for any other pattern."""
    parts = pattern.items if isinstance(pattern, n.Parenthesis) else (pattern,)
    if not all(isinstance(part, (n.Ident, n.Placeholder)) for part in parts):
        return ()
    return tuple(map(_bound_name, parts))


def _function_parameters(pattern: n.Node, arrow: Item) -> tuple[str, ...]:
    """The parameters of `(i: Int, _) =>`, `i =>`."""
    parts = pattern.items if isinstance(pattern, n.Parenthesis) else (pattern,)
    for part in parts:
        name = part.value if isinstance(part, n.Ascribed) else part
        if not isinstance(name, (n.Ident, n.Placeholder)):
            assert isinstance(arrow, Terminal)
            raise SourceError(f"`{arrow}` is not expected here", arrow.span)
    return tuple(map(_bound_name, parts))


def _node(item: Item) -> n.Node:
    """A terminal that stands for itself becomes its leaf."""
    if isinstance(item, n.Node):
        return item
    assert item is not None
    span, text = item.span, str(item)
    match item.type:
        case "NAME":
            return n.Ident(span, text.strip("`"))
        case "SYMBOL":
            return n.Ident(span, text)
        case "INTEGER":
            return n.Literal(span, _whole(span, text.rstrip("lL").replace("_", "")))
        case "REAL":
            return n.Literal(span, float(text.rstrip("fFdD").replace("_", "")))
        case "BOOLEAN":
            return n.Literal(span, text == "true")
        case "PLACEHOLDER":
            return n.Placeholder(span)
        case "STAR":
            return n.Star(span)
        case _:
            return n.Literal(span, text)


def _whole(span: Span, text: str) -> int:
    """The number; SourceError for one that no Long can hold."""
    hexadecimal = text[:2].lower() == "0x"
    value = int(text, 16 if hexadecimal else 10) if len(text) <= MOST_DIGITS else None
    if value is None or value >= 1 << 64:
        raise SourceError("this integer does not fit in 64 bits", span)
    return value
