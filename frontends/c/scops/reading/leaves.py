"""The innermost statements of a nest: what each reads and writes, its text, and where that names an index."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.scops.numbers.affine import (
    isl_text,
    polynomial,
    polynomial_of,
    whole,
)
from tunepass.frontends.c.scops.numbers.affine_values import Affine
from tunepass.frontends.c.scops.numbers.headers import (
    leaving,
)
from tunepass.frontends.c.scops.numbers.rows import Rowed
from tunepass.frontends.c.scops.reading.values import RegionValues
from tunepass.frontends.c.scops.statements.edits import edits_within
from tunepass.frontends.c.scops.statements.effects import Effects, LvalueEffect
from tunepass.frontends.c.scops.statements.raw import RawStatement, Subscript
from tunepass.frontends.c.scops.statements.region import Region
from tunepass.frontends.c.scops.statements.updates import effects_of
from tunepass.frontends.cfamily.syntax.tree import Expression, Statement
from tunepass.frontends.cfamily.text.tokens import Token, tokens
from tunepass.ir.scop import Use

STATEMENT_LIMIT = 300
LOOP_HINT = "leave it out of the pragma's loops"
MACRO_HINT = "write the loops out, or put what the macro makes into `{ }`"


class LeafReader(RegionValues):
    """`constraints` and `prefix` are of the loops and conditions around what is read."""

    def __init__(self, region: Region, source: Source, taken: frozenset[str]):
        super().__init__(region, taken)
        self.source = source
        self.made = sorted((token.start, token.text) for token in region.inside if token.made)
        self.constraints: list[str] = []
        self.prefix: list[int] = []  # the positions of the active loops
        self.statements: list[RawStatement] = []

    def _leaf(self, s: Statement, position: int, ending: str = "") -> int:
        """A statement whose text stays as it is."""
        self._check_leaf(s)
        effects, updates = effects_of(s)
        start = self._begin(s)
        self.hidden = frozenset(effects.declared)
        self.statements.append(
            RawStatement(
                loops=tuple(self.active),
                constraints=tuple(self.constraints),
                positions=(*self.prefix, position),
                effects=effects,
                variables={e.root.text: self.variables.get(e.root.text) for e in effects.found},
                subscripts=[self._within_row(e, self._subscripts(e.subscripts)) for e in effects.found],
                updates=updates,
                text=self.region.text(start, s.end) + ending,
                span=self.source.span(start, s.end),
                uses=self._uses(s, effects, start),
            )
        )
        self.hidden = frozenset()
        return position + 1

    def _begin(self, s: Statement) -> int:
        """Where the statement's text begins."""
        return s.start

    def _check_leaf(self, s: Statement) -> None:
        span = self.source.span(s.start, s.end)
        if len(self.statements) >= STATEMENT_LIMIT:
            raise SourceError(f"more than {STATEMENT_LIMIT} statements follow this pragma", span, LOOP_HINT)
        jump = leaving(s)
        if jump is not None:
            place = self.source.span(jump.start, jump.end)
            raise SourceError(f"`{jump.kind}` leaves loops that are written anew", place, LOOP_HINT)
        if s.first.made and any(loop.span.start == s.start for loop in self.active):
            raise SourceError(f"macro `{s.first.macro}` makes a loop together with its body", span, MACRO_HINT)

    def _subscripts(self, subscripts: tuple[Expression, ...]) -> tuple[Subscript, ...]:
        """Each as an affine value, else as a polynomial, else as neither."""
        read: list[Subscript] = []
        for e in subscripts:
            value = whole(e, self)
            rows, strides = self._rows(e)
            if value is not None:
                read.append(Subscript(value.affine, polynomial_of(value.affine), rows=rows, strides=strides))
                continue
            terms, before = polynomial(e, self), self.counted
            self.counted = set()
            value = self.affine(e, "numeric")
            numbered = value.affine if value else self.with_products(terms)
            read.append(Subscript(None, terms, numbered, frozenset(self.counted), rows, strides))
            self.counted = before
        return tuple(read)

    def _rows(self, e: Expression) -> tuple[tuple[Affine, ...] | None, tuple[str, ...]]:
        """The dimensions of a subscript that a function computes, and how it counts rows."""
        if not isinstance(e, Rowed):
            return None, ()
        values = [whole(dimension, self) for dimension in e.dimensions]
        rows = tuple(value.affine for value in values if value is not None)
        return rows if len(rows) == len(values) else None, e.strides

    def _within_row(self, effect: LvalueEffect, subscripts: tuple[Subscript, ...]) -> tuple[Subscript, ...]:
        """With the length of the row that a pointer to one may leave."""
        variable = self.variables.get(effect.root.text)
        depth = len(subscripts) - 1
        extent = variable.shape[depth] if effect.row and variable is not None and depth < len(variable.shape) else None
        if extent is None:
            return subscripts
        value = self.affine(extent, "numeric")
        return (*subscripts[:-1], replace(subscripts[-1], row="" if value is None else isl_text(value.affine)))

    def _uses(self, s: Statement, effects: Effects, start: int) -> tuple[Use, ...] | None:
        """Where the text names an index; None where it declares one of that name or a macro hides one."""
        names = {loop.index: loop.name for loop in self.active}  # the innermost of a name comes last
        if effects.declared & set(names):
            return None
        code = list(tokens(self.region.text(s.start, s.end)))
        edits = edits_within(self.region.edits, s.start, s.end)
        if any(text in names for _, text in self._made(s)) or any(set(names) & edit.words for edit in edits):
            return None
        if any(self._pastes(code, position, set(names)) for position, t in enumerate(code) if t.kind == "name"):
            return None
        return tuple(
            Use(names[token.text], token.start + s.start - start)
            for before, token in zip([None, *code], code)
            if token.kind == "name" and token.text in names and not (before and before.at(".", "->"))
        )

    def _made(self, s: Statement) -> Sequence[tuple[int, str]]:
        """What macros make in `s`."""
        return self.made[bisect_left(self.made, (s.start, "")) : bisect_left(self.made, (s.end, ""))]

    def _pastes(self, code: Sequence[Token], position: int, names: set[str]) -> bool:
        """Is this the use of a macro that makes new words of its arguments, with an index among them?"""
        macros = self.region.unit.text.macros.get(code[position].text, ())
        if not any("#" in macro.body for macro in macros):
            return False
        level = 0
        for token in code[position + 1 :]:
            level += token.at("(") - token.at(")")
            if level <= 0:
                return False
            if token.text in names:
                return True
        return False
