"""Expressions: from the grammar's nodes to the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tunepass.frontends.cfamily.syntax.feed import Feeder
from tunepass.frontends.cfamily.syntax.grammar import parse
from tunepass.frontends.cfamily.syntax.nodes import Angles, Nodes, type_names
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Index,
    Items,
    Member,
    Name,
    Number,
    Opaque,
    SizeOf,
    Step,
    SyntaxFault,
    Text,
    Unary,
)
from tunepass.frontends.cfamily.syntax.words import QUALIFIERS, TAGGED
from tunepass.frontends.cfamily.text.marks import closing
from tunepass.frontends.cfamily.text.tokens import Token

if TYPE_CHECKING:
    from tree_sitter import Node

DEPTH_LIMIT = 150
CHAIN_LIMIT = 300  # of `a + b + c ...`, which is as deep as it is long for whoever walks the tree
OPERATORS = {"and": "&&", "or": "||", "not": "!", "bitand": "&", "bitor": "|", "xor": "^", "compl": "~",
             "not_eq": "!=", "and_eq": "&=", "or_eq": "|=", "xor_eq": "^="}  # fmt: skip
UNTYPED = QUALIFIERS | TAGGED | {"typename", "constexpr", "static", "mutable"}  # words beside a type's own
DECLTYPE = frozenset({"decltype", "__decltype", "typeof", "__typeof__", "__typeof"})
SEEN_QUALIFIERS = frozenset({"volatile", "__volatile__", "__volatile", "_Atomic"})  # accesses through such types count
CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"})
NAMES = frozenset({"identifier", "field_identifier", "type_identifier", "namespace_identifier", "qualified_identifier",
                   "template_function", "template_type", "template_method", "dependent_name", "dependent_type",
                   "true", "false", "null", "nullptr", "this", "primitive_type", "sized_type_specifier",
                   "destructor_name", "operator_name", "statement_identifier", "auto", "placeholder_type_specifier",
                   "decltype"})  # fmt: skip
TEXTS = frozenset({"char_literal", "string_literal", "concatenated_string", "raw_string_literal"})
NUMBERS = frozenset({"number_literal", "user_defined_literal"})
SIZES = frozenset({"sizeof_expression", "alignof_expression", "offsetof_expression"})


class Expressions(Nodes):
    depth = 0

    def expression(self, node: Node) -> Expression:
        """Raises SyntaxFault for what the grammar could not read, and for what is nested too deeply."""
        self.check(node)
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            self.depth = 0
            raise self.fault(node, "this is nested too deeply")
        value = self._expression(node)
        self.depth -= 1
        return value

    def _expression(self, node: Node) -> Expression:
        kind = node.type
        if kind in NAMES:
            return Name(self.folded(node))
        if kind in NUMBERS:
            return Number(self.token(node))
        if kind in TEXTS:
            return Text(self._text(node))
        if kind in SIZES:
            first, last = self.first(node), self.last(node)
            return SizeOf(self.tokens[first], " ".join(t.text for t in self.tokens[first : last + 1]))
        reader: Callable[[Node], Expression] | None = getattr(self, f"_{kind}", None)
        return self.opaque(node) if reader is None else reader(node)

    def _text(self, node: Node) -> Token:
        """Neighbouring strings are one."""
        first, last = self.first(node), self.last(node)
        pieces = self.tokens[first : last + 1]
        plain = all(t.text[:1] == t.text[-1:] == '"' for t in pieces)
        if first == last or not plain:
            return pieces[0]
        text = "".join(t.text[1:-1] for t in pieces)
        end, made = max(t.end for t in pieces), any(t.made for t in pieces)
        return replace(pieces[0], text=f'"{text}"', end=end, made=made)

    def opaque(self, node: Node) -> Opaque:
        for child in node.children:
            self.check(child)
        return Opaque(node.type, *self.ends(node))

    def _field(self, node: Node, name: str) -> Node:
        child = node.child_by_field_name(name)
        if child is None:
            raise self.fault(node)
        return child

    def _op(self, node: Node) -> Token:
        token = self.token(self._field(node, "operator"))
        return token if token.text not in OPERATORS else Token("op", OPERATORS[token.text], token.start, token.end)

    def _only(self, node: Node) -> Expression:
        inner = node.named_children
        if len(inner) != 1:
            return self.opaque(node)
        return self.expression(inner[0])

    # The names of these methods are those of the grammars' nodes.

    def _parenthesized_expression(self, node: Node) -> Expression:
        return self._only(node)

    def _condition_clause(self, node: Node) -> Expression:
        return self.expression(self._field(node, "value"))

    def _binary_expression(self, node: Node) -> Expression:
        """Chains are read in a loop: `a + b + c ...` is as deep as it is long."""
        rights: list[tuple[str, Node]] = []
        while node.type == "binary_expression":
            self.check(node)
            rights.append((self._op(node).text, self._field(node, "right")))
            if len(rights) > CHAIN_LIMIT:
                raise self.fault(node, "this expression is too long")
            node = self._field(node, "left")
        value = self.expression(node)
        for op, right in reversed(rights):
            value = Binary(op, value, self.expression(right))
        return value

    def _unary_expression(self, node: Node) -> Expression:
        return Unary(self._op(node), self.expression(self._field(node, "argument")))

    def _pointer_expression(self, node: Node) -> Expression:
        return self._unary_expression(node)

    def _update_expression(self, node: Node) -> Expression:
        return Step(self._op(node), self.expression(self._field(node, "argument")))

    def _assignment_expression(self, node: Node) -> Expression:
        target, value = self._field(node, "left"), self._field(node, "right")
        return Assign(self._op(node).text, self.expression(target), self.expression(value))

    def _conditional_expression(self, node: Node) -> Expression:
        condition = self.expression(self._field(node, "condition"))
        then = node.child_by_field_name("consequence")
        other = self.expression(self._field(node, "alternative"))
        return Conditional(condition, condition if then is None else self.expression(then), other)

    def _comma_expression(self, node: Node) -> Expression:
        parts: list[Expression] = []
        while node.type == "comma_expression":
            parts.insert(0, self.expression(self._field(node, "left")))
            node = self._field(node, "right")
            if node.type == "comma_expression":
                parts += self._comma_parts(node)
                return Items(tuple(parts))
        return Items((*parts, self.expression(node)))

    def _comma_parts(self, node: Node) -> list[Expression]:
        value = self._comma_expression(node)
        return list(value.parts) if isinstance(value, Items) else [value]

    def _subscript_expression(self, node: Node) -> Expression:
        return self._chained(node)

    def _field_expression(self, node: Node) -> Expression:
        return self._chained(node)

    def _call_expression(self, node: Node) -> Expression:
        return self._chained(node)

    def _chained(self, node: Node) -> Expression:
        """Subscripts, members and calls of each other are read in a loop: `task().invoke(...).invoke(...)`."""
        chain: list[Node] = []
        while (inner := self._chained_to(node)) is not None:
            self.check(node)
            chain.append(node)
            if len(chain) > CHAIN_LIMIT:
                raise self.fault(node, "this expression is too long")
            node = inner
        value = self._named_cast(chain.pop()) if self._is_named_cast(node) and chain else self.expression(node)
        for outer in reversed(chain):
            value = self._applied(outer, value)
        return value

    @staticmethod
    def _chained_to(node: Node) -> Node | None:
        match node.type:
            case "subscript_expression" | "field_expression":
                return node.child_by_field_name("argument")
            case "call_expression":
                return node.child_by_field_name("function")
        return None

    def _applied(self, node: Node, base: Expression) -> Expression:
        if node.type == "field_expression":
            name = self._field(node, "field")
            self.check(name)
            return Member(base, self.folded(name), self.token(self._field(node, "operator")).at("->", "->*"))
        if node.type == "call_expression":
            arguments = self._field(node, "arguments")
            self.check(arguments)
            listed = arguments.type == "initializer_list"
            return Call(base, (self._initializer_list(arguments),) if listed else self.arguments(arguments))
        index = node.child_by_field_name("index")
        if index is not None:
            return Index(base, self.expression(index))
        indices = self.arguments(self._field(node, "indices"))
        return Index(base, indices[0] if len(indices) == 1 else Items(indices))

    def _is_named_cast(self, node: Node) -> bool:
        return node.type == "template_function" and self.token(node).text in CASTS

    def _named_cast(self, call: Node) -> Expression:
        function, arguments = self._field(call, "function"), self._field(call, "arguments")
        self.check(arguments)
        types = self._field(function, "arguments")
        first, last = self.first(types) + 1, self.last(types) - 1
        words, pointer = self.type_words(first, last)
        values = self.arguments(arguments)
        value = values[0] if len(values) == 1 else Items(values)
        return Cast(words, pointer, value, self._type_operators(first, last))

    def arguments(self, node: Node) -> tuple[Expression, ...]:
        for child in node.children:
            self.check(child)
        return tuple(self.expression(child) for child in node.named_children)

    def _cast_expression(self, node: Node) -> Expression:
        type_ = self._field(node, "type")
        self.check(type_)
        first, last = self._between_brackets(node)
        words, pointer = self.type_words(first, last)
        return Cast(words, pointer, self.expression(self._field(node, "value")), self._type_operators(first, last))

    def _compound_literal_expression(self, node: Node) -> Expression:
        value = self._initializer_list(self._field(node, "value"))
        if self.token(node).at("("):
            first, last = self._between_brackets(node)
            words, pointer = self.type_words(first, last)
            return Cast(words, pointer, value, self._type_operators(first, last))
        type_ = self._field(node, "type")
        if type_.start_byte == type_.end_byte:  # `int n = {}` of a formal parameter
            return value
        return Call(Name(self.folded(type_)), (value,))

    def _between_brackets(self, node: Node) -> tuple[int, int]:
        """The tokens between the brackets that begin the node, those that the grammar did not get too."""
        first = self.first(node)
        return first + 1, self._closing(first) - 1

    def _type_operators(self, first: int, last: int) -> str:
        """`*` of `const double *`, `volatile*` of `volatile int *`; without lengths."""
        angles = Angles()
        inside = [t for t in self.tokens[first : last + 1] if not angles.enter(t) and not t.at("<")]
        if any(t.text in DECLTYPE for t in inside):
            return ""
        return "".join(t.text for t in inside if t.at("*", "&", "&&", "(", ")", "[", "]") or t.text in SEEN_QUALIFIERS)

    def _closing(self, opening: int) -> int:
        return closing(self.tokens, opening)

    def type_words(self, first: int, last: int) -> tuple[str, bool]:
        """A type without qualifiers as one text, and whether it is a pointer, of the tokens [first, last]."""
        words: list[Token] = []
        level, pointer = 0, False
        angles = Angles()
        for at in range(first, last + 1):
            token = self.tokens[at]
            if angles.enter(token):
                words.append(token)
                continue
            if token.text in DECLTYPE and level == 0 and at < last and self.tokens[at + 1].at("("):
                inner = "".join(t.text for t in self.tokens[at + 1 : self._closing(at + 1) + 1])
                words.append(replace(token, text=f"decltype{inner}"))
                continue
            level += token.at("(", "[") - token.at(")", "]")
            pointer = pointer or token.at("*", "[", "&", "&&")
            plain = (token.kind != "op" or token.at("::", "<")) and token.text not in UNTYPED
            if level == 0 and plain and at not in self.feed.asides:
                words.append(token)
        return " ".join(type_names(words)), pointer

    def _initializer_list(self, node: Node) -> Expression:
        parts: list[Expression] = []
        for child in node.children:
            self.check(child)
        for child in node.named_children:
            value = child
            if child.type == "initializer_pair":
                value = self._field(child, "value")
            parts.append(self.expression(value))
        return Items(tuple(parts))

    def _compound_statement(self, node: Node) -> Expression:
        return Opaque("statements", *self.ends(node))

    def _argument_list(self, node: Node) -> Expression:
        return Items(self.arguments(node))

    def _parameter_pack_expansion(self, node: Node) -> Expression:
        return self.opaque(node)

    def _gnu_asm_expression(self, node: Node) -> Expression:
        return Opaque("asm", *self.ends(node))


def parse_expression(tokens: Sequence[Token], types: frozenset[str] = frozenset(), cxx: bool = True) -> Expression:
    """Of loose tokens, as of a pragma. Raises SyntaxFault where they are no expression."""
    if not tokens:
        raise SyntaxFault("expected an expression", Token("end", "", 0, 0))
    place = tokens[0].start
    around = [Token("name", "int", place, place), Token("name", "x", place, place), Token("op", "=", place, place)]
    stop = Token("op", ";", tokens[-1].end, tokens[-1].end)
    feed = Feeder([*around, *tokens, stop], types, cxx).feed()
    root = parse(feed.text, cxx=cxx)
    declaration = root.children[0] if root.child_count == 1 and root.children[0].type == "declaration" else None
    declarators = declaration.children_by_field_name("declarator") if declaration is not None else []
    value = declarators[0].child_by_field_name("value") if len(declarators) == 1 else None
    if value is None or root.has_error:
        raise SyntaxFault("expected an expression", tokens[0])
    return Expressions(feed).expression(value)
