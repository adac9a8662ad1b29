"""A thread's code walked, statement by statement, into regions with amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Block,
    Declaration,
    Declarator,
    Evaluated,
    Expression,
    For,
    ForEach,
    If,
    Index,
    Jump,
    Lambda,
    Member,
    Name,
    PragmaWords,
    Statement,
    SyntaxFault,
    While,
)
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.gpu.thread.amounts import OpenRegion
from tunepass.frontends.gpu.thread.code import FIXED, ONE, SHARED, ThreadVariable
from tunepass.frontends.gpu.thread.expressions import Expressions
from tunepass.frontends.gpu.thread.loops import Repeats, head_of, repeats

NO_OBJECT = frozenset({"typedef", "using", "extern"})


@dataclass(slots=True)
class _Guard:
    """An `#if` over parameters: what counted before it, and what its earlier branches leave."""

    outer: Expr
    left: Expr


@dataclass(slots=True)
class Walker(Expressions):
    """Statements and declarations."""

    def statement(self, statement: Statement, unroll: Sequence[Token] | None = None) -> None:
        self.step()
        match statement:
            case Block():
                self._sequence(statement.statements)
            case Declaration():
                self._declaration(statement)
            case Evaluated():
                self._evaluated(statement)
            case If():
                self._branch(statement)
            case For() | ForEach():
                self._loop(statement, unroll)
            case While():
                if statement.kind == "switch":
                    self.expression(statement.condition)
                    self.statement(statement.body)
                else:
                    self._loop(statement, unroll)
            case Jump():
                self.expression(statement.value)

    def _sequence(self, statements: Sequence[Statement]) -> None:
        unroll: Sequence[Token] | None = None
        guards: list[_Guard] = []
        for statement in statements:
            if isinstance(statement, PragmaWords):
                unroll = self._pragma(statement.words, guards)
            else:
                self.statement(statement, unroll)
                unroll = None
        if guards:
            self.region.given = guards[0].outer

    def _pragma(self, words: Sequence[Token], guards: list[_Guard]) -> Sequence[Token] | None:
        """The words after `unroll`; None of another pragma. Those of branches over parameters set what counts."""
        kind = words[0].text
        if kind == "unroll":
            return words[1:]
        if kind == "nounroll":
            return (Token("number", "1", words[0].start, words[0].end),)
        if kind == "if":
            guards.append(_Guard(self.region.given, ONE))
        if kind in ("if", "elif", "else") and guards:
            guard = guards[-1]
            condition = self._condition(words[1:]) if kind != "else" else None
            here = ONE if condition is None else algebra.where(condition, 1, 0)
            self.region.given = algebra.mul(guard.outer, guard.left, here)
            if condition is not None:
                guard.left = algebra.mul(guard.left, algebra.where(condition, 0, 1))
        if kind == "endif" and guards:
            self.region.given = guards.pop().outer
        return None

    def _condition(self, words: Sequence[Token]) -> Expr | None:
        try:
            return self.code.values.condition(parse_expression(words))
        except SyntaxFault:
            return None

    def _branch(self, statement: If) -> None:
        condition = self.code.values.condition(statement.condition)
        outer = self.region.given
        if condition is None:
            self.expression(statement.condition)
        else:
            self.region.given = algebra.mul(outer, algebra.where(condition, 1, 0))
        self.statement(statement.then)
        if statement.other is not None:
            if condition is not None:
                self.region.given = algebra.mul(outer, algebra.where(condition, 0, 1))
            self.statement(statement.other)
        self.region.given = outer

    def _loop(self, loop: For | ForEach | While, unroll: Sequence[Token] | None) -> None:
        head = head_of(loop) if isinstance(loop, For) else None
        found = repeats(self.code.values, head, unroll)
        variable = head.variable if head is not None else _variable(loop)
        self.code.values.known.pop(variable, None)
        self.varies[variable] = frozenset((variable,))
        if found.merged:
            outer = self.region.unrolled
            self.region.unrolled = (*outer, (variable, found.copies))
            self.statement(loop.body)
            self.region.unrolled = outer
            return
        outside = self.region
        self.region = OpenRegion(found.copies, found.whole, outside.given, outside.unrolled, variable)
        self.statement(loop.body)
        self._head(loop)
        settle(self.region, found)
        outside.inside.append(self.region)
        self.region = outside

    def _head(self, loop: For | ForEach | While) -> None:
        if isinstance(loop, ForEach):
            return
        self.expression(loop.condition)
        if isinstance(loop, For):
            self.expression(loop.advance)
            begin = loop.begin
            for e in [d.value for d in begin.declarators] if isinstance(begin, Declaration) else [begin]:
                self.expression(e)

    # Declarations and expressions

    def _evaluated(self, statement: Evaluated) -> None:
        e = statement.expression
        target = self.code.variables.get(_root(e.target)) if isinstance(e, Assign) and e.op == "=" else None
        outside, self.kept = self.kept, self.kept or (target is not None and target.where == "local")
        self.expression(e)
        self.kept = outside

    def _declaration(self, declaration: Declaration) -> None:
        """It is counted, and its initialisers are walked."""
        words = set(declaration.words)
        shared = bool(words & SHARED)
        if words & NO_OBJECT and not shared:
            return
        size = self.code.type_words(declaration.words)
        for declarator in declaration.declarators:
            if declarator.parameters is None:
                self._declarator(declarator, size, shared, bool(words & FIXED))

    def _declarator(self, declarator: Declarator, size: Expr, shared: bool, fixed: bool) -> None:
        name, value = declarator.name.text, declarator.value
        self.varies[name] = self.varying(value)
        if isinstance(value, Lambda):
            self.code.lambdas[name] = value
            return
        if declarator.shape and (declarator.reference or all(declarator.pointers)):
            base = None if value is None else self._first_variable(value)
            self.code.variables[name] = ThreadVariable(base.where if base else "global", size)
            self.region.count("values", 1)
        elif declarator.shape:
            self.code.variables[name] = ThreadVariable("shared" if shared else "local", size)
            if not shared:
                self.region.count("arrays", algebra.mul(size, self.code.extents(declarator)))
        elif shared:
            self.code.variables[name] = ThreadVariable("shared", size)
        else:
            self.code.variables.pop(name, None)
            if not self.code.keep(name, value if fixed else None) and not declarator.reference:
                self.region.count("values", size)
        self.expression(value)


def _root(e: Expression) -> str:
    """The name that a subscripted object begins with."""
    while isinstance(e, Index | Member):
        e = e.base
    return e.text if isinstance(e, Name) else ""


def _variable(loop: For | ForEach | While) -> str:
    """The variable that a loop which is not counted begins with."""
    if isinstance(loop, ForEach):
        return loop.name.text
    begin = loop.begin if isinstance(loop, For) else None
    if isinstance(begin, Declaration) and begin.declarators:
        return begin.declarators[0].name.text
    return _root(begin.target) if isinstance(begin, Assign) else ""


def settle(region: OpenRegion, loop: Repeats) -> None:
    """A loop without a pragma whose trips are not known is unrolled four times where nothing in it forbids."""
    if loop.free and not region.inside and "barriers" not in region.counts:
        region.copies = algebra.lift(4)
