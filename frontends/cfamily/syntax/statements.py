"""Statements: from the grammar's nodes to the tree, pragmas in their places."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tunepass.frontends.cfamily.preprocessing.alignment import PragmaTokens
from tunepass.frontends.cfamily.syntax.declarations import Declarations
from tunepass.frontends.cfamily.syntax.feed import Feed
from tunepass.frontends.cfamily.syntax.tree import (
    Block,
    Declaration,
    Declarator,
    Evaluated,
    Expression,
    For,
    ForEach,
    If,
    Jump,
    Lambda,
    Opaque,
    PragmaWords,
    Statement,
    SyntaxFault,
    Tried,
    While,
)
from tunepass.frontends.cfamily.text.tokens import Token

if TYPE_CHECKING:
    from tree_sitter import Node

JUMPS = {"break_statement": "break", "continue_statement": "continue", "goto_statement": "goto",
         "throw_statement": "throw", "co_return_statement": "co_return"}  # fmt: skip
IGNORED = frozenset({"using_declaration", "static_assert_declaration", "alias_declaration", "attributed_statement"})
OTHERWISE = {"case_statement": "case", "labeled_statement": "label"}


class Statements(Declarations):
    """`pragmas` stand among the tokens, in their order."""

    def __init__(self, feed: Feed, pragmas: Sequence[PragmaTokens], types: frozenset[str]):
        super().__init__(feed)
        self.types = types
        self.records = []
        self.tags = {}
        self.enums = {}
        self.enumerators = {}
        self.pragmas = [p for p in pragmas if p.words and not p.words[0].at("tunepass")]
        self.places = [p.before for p in self.pragmas]
        self.statement_depth = 0

    def statement(self, node: Node) -> Statement:
        self.check(node)
        self.depth = 0
        self.statement_depth += 1
        if self.statement_depth > 150:
            self.statement_depth = 0
            raise self.fault(node, "this is nested too deeply")
        try:
            statement = self._statement(node)
        finally:
            self.statement_depth = max(0, self.statement_depth - 1)
        return statement

    def _statement(self, node: Node) -> Statement:
        kind = node.type
        first, last = self.ends(node)
        if kind == "declaration":
            return self.declaration(node)
        if kind in JUMPS:
            return Jump(kind=JUMPS[kind], value=None, first=first, last=last)
        if kind in IGNORED or kind in ("type_definition", "struct_specifier", "enum_specifier", "class_specifier"):
            return self._declared(node)
        reader: Callable[[Node], Statement] | None = getattr(self, f"_{kind}", None)
        if (reader is not None and kind.endswith("statement")) or kind == "for_range_loop":
            assert reader is not None
            return reader(node)
        return Evaluated(expression=self.expression(node), first=first, last=last)

    def _declared(self, node: Node) -> Statement:
        """A type, or a declaration without effect."""
        first, last = self.ends(node)
        if node.type == "type_definition":
            return self.declaration(node)
        if node.type in ("struct_specifier", "class_specifier", "enum_specifier"):
            self._tagged(node)
        elif node.type == "attributed_statement":
            return self.statement(node.named_children[-1])
        return Evaluated(expression=None, first=first, last=last)

    # --- pragmas --------------------------------------------------------------------------------------------------

    def between(self, begin: int, end: int) -> list[PragmaWords]:
        """The pragmas before the tokens (begin, end]."""
        left, right = bisect_left(self.places, begin + 1), bisect_left(self.places, end + 1)
        return [_words(p) for p in self.pragmas[left:right]]

    def sequence(self, children: Sequence[Node], opening: int, closing: int) -> tuple[Statement, ...]:
        """Statements with the pragmas among them; `opening` and `closing` are the indices of the tokens around."""
        statements: list[Statement] = []
        before = opening
        for child in children:
            self.check(child)
            first = self._begin(child)
            statements += self.between(before, first)
            statement = self.statement(child)
            statements += self._unlabelled(statement)
            before = self.last(child)
        return (*statements, *self.between(before, closing))

    @staticmethod
    def _unlabelled(statement: Statement) -> Sequence[Statement]:
        """A label, or a case, and the statement after it are neighbours."""
        if isinstance(statement, Block) and statement.statements and not statement.first.at("{"):
            return statement.statements
        return (statement,)

    def body(self, node: Node, before: int) -> Statement:
        """The body after the header that ends with token `before`, with the pragmas between them."""
        pragmas = self.between(before, self._begin(node))
        statement = self.statement(node)
        if not pragmas:
            return statement
        inner = self._unlabelled(statement)
        return Block(statements=(*pragmas, *inner), first=pragmas[0].first, last=statement.last)

    # --- the names of these methods are those of the grammars' nodes ------------------------------------------------

    def _compound_statement(self, node: Node) -> Block:  # type: ignore[override]
        first, last = self.first(node), self.last(node)
        for child in node.children:
            self.check(child)
        inside = [c for c in node.named_children if c.type != "comment"]
        statements = self.sequence(inside, first, last)
        return Block(statements=statements, first=self.tokens[first], last=self.tokens[last])

    def _lambda_expression(self, node: Node) -> Opaque:
        """Opaque where a part of it cannot be read."""
        depth, levels = self.depth, self.statement_depth
        self.statement_depth += 10  # each takes as many levels of the reader as ten statements
        head, body = node.child_by_field_name("declarator"), self._field(node, "body")
        try:
            parameters = self.parameters(self._field(head, "parameters")) if head is not None else ()
            return Lambda(node.type, *self.ends(node), parameters, self._compound_statement(body))
        except SyntaxFault:
            return self.opaque(node)
        finally:
            self.depth, self.statement_depth = depth, levels

    def _parenthesized_expression(self, node: Node) -> Expression:
        """`({ ... })`: read where it stands."""
        inner = node.named_children
        if len(inner) == 1 and inner[0].type == "compound_statement":
            return Lambda("statements", *self.ends(node), (), self._compound_statement(inner[0]))
        return super()._parenthesized_expression(node)

    def _expression_statement(self, node: Node) -> Statement:
        first, last = self.ends(node)
        inner = node.named_children
        if not inner:
            return Evaluated(expression=None, first=first, last=last)
        declared = self._declared_alone(inner[0])
        if declared is not None:
            return declared
        value = self.expression(inner[0])
        if isinstance(value, Opaque) and value.kind == "asm":
            return Jump(kind="asm", value=None, first=first, last=last)
        return Evaluated(expression=value, first=first, last=last)

    def _declared_alone(self, node: Node) -> Declaration | None:
        """`if (c) T<1> x = f();`: the grammar has a comparison with an assignment there."""
        if node.type != "binary_expression" or not self._op(node).at(">"):
            return None
        compared, assigned = self._field(node, "left"), self._field(node, "right")
        if compared.type != "binary_expression" or not self._op(compared).at("<"):
            return None
        if assigned.type != "assignment_expression":
            return None
        named = self._field(assigned, "left")
        first, last = self.ends(node)
        words, _ = self.type_words(self.first(node), self.first(named) - 1)
        declarator = Declarator(
            name=self.token(named), shape=(), pointers=(), restricted=False, parameters=None,
            value=self.expression(self._field(assigned, "right")), last=last,
        )  # fmt: skip
        return Declaration(words=(words,), declarators=(declarator,), spelled=words, first=first, last=last)

    def _for_statement(self, node: Node) -> For:
        for child in node.children:
            self.check(child)
        begin = node.child_by_field_name("initializer")
        start: Declaration | Expression | None = None
        if begin is not None:
            read = self.declaration(begin) if begin.type == "declaration" else None
            start = read if read is not None else self._clause(begin)
        condition, advance = node.child_by_field_name("condition"), node.child_by_field_name("update")
        body = self._field(node, "body")
        close = self._header_end(node)
        first, last = self.ends(node)
        return For(
            begin=start,
            condition=None if condition is None else self._clause(condition),
            advance=None if advance is None else self._clause(advance),
            body=self.body(body, close), header_end=self.tokens[close].end, first=first, last=last,
        )  # fmt: skip

    def _clause(self, node: Node) -> Expression | None:
        if node.type == "init_statement" or node.type == "expression_statement":
            inner = node.named_children
            return self.expression(inner[0]) if inner else None
        return self.expression(node)

    def _header_end(self, node: Node) -> int:
        """The index of the `)` that ends the header."""
        at = self.first(node)
        while not self.tokens[at].at("("):
            at += 1
        return self._closing(at)

    def _for_range_loop(self, node: Node) -> ForEach:
        first, last = self.ends(node)
        name = self.declarator(self._field(node, "declarator")).name
        array = self.expression(self._field(node, "right"))
        body = self.body(self._field(node, "body"), self._header_end(node))
        return ForEach(name=name, array=array, body=body, first=first, last=last)

    def _if_statement(self, node: Node) -> If:
        first, last = self.ends(node)
        condition = self.expression(self._field(node, "condition"))
        then = self.body(self._field(node, "consequence"), self._header_end(node))
        alternative = node.child_by_field_name("alternative")
        other: Statement | None = None
        if alternative is not None:
            inner = alternative.named_children[-1] if alternative.type == "else_clause" else alternative
            other = self.body(inner, self.first(alternative))
        return If(condition=condition, then=then, other=other, first=first, last=last)

    def _while_statement(self, node: Node) -> While:
        return self._while("while", node)

    def _switch_statement(self, node: Node) -> While:
        return self._while("switch", node)

    def _while(self, kind: str, node: Node) -> While:
        first, last = self.ends(node)
        condition = self.expression(self._field(node, "condition"))
        body = self.body(self._field(node, "body"), self._header_end(node))
        return While(kind=kind, condition=condition, body=body, first=first, last=last)

    def _do_statement(self, node: Node) -> While:
        first, last = self.ends(node)
        body = self.body(self._field(node, "body"), self.first(node))
        condition = self.expression(self._field(node, "condition"))
        return While(kind="do", condition=condition, body=body, first=first, last=last)

    def _return_statement(self, node: Node) -> Jump:
        first, last = self.ends(node)
        for child in node.children:
            self.check(child)
        inner = node.named_children
        return Jump(kind="return", value=self.expression(inner[0]) if inner else None, first=first, last=last)

    def _labeled_statement(self, node: Node) -> Statement:
        """`NAME: statement`."""
        first = self.token(node)
        colon = self.first(node) + 1
        label = Jump(kind="label", value=None, first=first, last=self.tokens[colon])
        inner = node.named_children[1:]
        return self._labels(label, self.sequence(inner, colon, self.last(node)) if inner else ())

    def _case_statement(self, node: Node) -> Statement:
        first = self.token(node)
        value = node.child_by_field_name("value")
        colon = self.first(node)
        while not self.tokens[colon].at(":"):
            colon += 1
        read = None if value is None else self.expression(value)
        label = Jump(kind="case", value=read, first=first, last=self.tokens[colon])
        inner = [c for c in node.named_children if value is None or c.id != value.id]
        return self._labels(label, self.sequence(inner, colon, self.last(node)))

    @staticmethod
    def _labels(label: Jump, inside: Sequence[Statement]) -> Statement:
        if not inside:
            return label
        return Block(statements=(label, *inside), first=label.first, last=inside[-1].last)

    def _try_statement(self, node: Node) -> Statement:
        first, last = self.ends(node)
        for child in node.children:
            self.check(child)
        inside = [self._field(part, "body") for part in node.named_children if part.type == "catch_clause"]
        blocks = [self._compound_statement(body) for body in (self._field(node, "body"), *inside)]
        return Evaluated(expression=Tried("try", first, last, tuple(blocks)), first=first, last=last)


def _words(pragma: PragmaTokens) -> PragmaWords:
    first = Token("op", "#pragma", pragma.start, pragma.words[0].start, pragma.made)
    last = Token("op", "#end", pragma.end, pragma.end, pragma.made)
    return PragmaWords(words=pragma.words, first=first, last=last)
