"""The readings of a C source: one for each set of branches that parameters choose, where that matters to its kernels.

An `#if` matters where it decides what a kernel's prototype or a nest is made of. All others are the compiler's: it
settles them for each candidate.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tunepass.diagnostics import Source, Span
from tunepass.expr.nodes import Expr
from tunepass.frontends.c.lowering import spelled
from tunepass.frontends.c.macros import whole_number
from tunepass.frontends.cfamily.branches import BranchSet, branch_sets
from tunepass.frontends.cfamily.condition_values import number_of_word
from tunepass.frontends.cfamily.definitions import FunctionDefinition, definitions
from tunepass.frontends.cfamily.guards import AT_FILE_SCOPE, Alternative, function_scopes
from tunepass.frontends.cfamily.raw import RawText
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.tokens import Token, names_in
from tunepass.frontends.cfamily.unit import Unit
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter

TEXTS = frozenset({"define", "undef"})


@dataclass(frozen=True)
class Reading:
    """The source as its compiler sees it where the condition of its set of branches holds."""

    unit: Unit
    functions: tuple[FunctionDefinition, ...]
    branches: BranchSet

    @property
    def condition(self) -> Expr:
        return self.branches.condition

    @property
    def chosen_by(self) -> tuple[tuple[str, Value], ...]:
        return () if self.branches.plain else tuple(self.branches.configuration.items())


@dataclass(frozen=True)
class Readings:
    """Reads a source. `symbols` are the macros that parameters set with their defaults' numbers; `kernels` the names of
    its kernels, `loops` where pragmas stand before nests."""

    source: Source
    words: Sequence[str]
    dialect: str
    symbols: Mapping[str, int | None]
    parameters: Sequence[Parameter]
    kernels: frozenset[str]
    loops: Sequence[Span]

    def read(self) -> list[Reading]:
        """That of the defaults first. Raises SourceError at an `#if` that cannot be followed."""
        unit = self._unit(self.symbols)
        choices = self._numbers(unit, {p.name: p.default for p in self.parameters})
        if any(self.symbols.get(name) != number for name, number in choices.items()):
            unit = self._unit({**self.symbols, **choices})
        matters = _Matters(unit.text.raw, self.kernels, self.loops)
        sets = branch_sets(unit, self.parameters, matters)
        return [self._reading(unit, branches) for branches in sorted(sets, key=lambda s: not s.plain)]

    def _reading(self, unit: Unit, branches: BranchSet) -> Reading:
        if not branches.plain:
            unit = self._unit({**self.symbols, **self._numbers(unit, dict(branches.configuration))})
        return Reading(unit, definitions(unit), branches)

    def _unit(self, symbols: Mapping[str, int | None]) -> Unit:
        return read(self.source, self.words, "c++" if self.dialect == "c++" else "c", symbols)

    def _numbers(self, unit: Unit, values: Mapping[str, Value]) -> dict[str, int | None]:
        """What `#if` reads for the parameters' macros: a choice that is a macro has its number."""
        found: dict[str, int | None] = {}
        for parameter in self.parameters:
            value = values.get(parameter.name, parameter.default)
            for name, assigned in parameter.assignments(value):
                number = whole_number(spelled(assigned))
                if number is None and isinstance(assigned, str) and assigned in unit.text.macros:
                    number = number_of_word(unit, assigned)
                if name in self.symbols:
                    found[name] = number
        return found


@dataclass(frozen=True)
class _Matters:
    """Whether an `#if` decides something that a prototype or a nest is made of."""

    raw: RawText
    kernels: frozenset[str]
    loops: Sequence[Span]

    @cached_property
    def scopes(self) -> list[tuple[int, int]]:
        return function_scopes(self.raw)

    def function_around(self, place: int) -> int:
        """Where the body of the function around the place opens, in whatever branch that stands."""
        before = bisect_right(self.scopes, place, key=lambda scope: scope[0])
        return self.scopes[before - 1][1] if before else AT_FILE_SCOPE

    @cached_property
    def functions(self) -> frozenset[int]:
        """Those with nests."""
        return frozenset(self.function_around(span.end) for span in self.loops) - {AT_FILE_SCOPE}

    @cached_property
    def known(self) -> frozenset[str]:
        """The names that prototypes and functions with nests are made of."""
        known = set(self.kernels) | set(self._words())
        declared = list(self._declared())
        while more := [names for names in declared if names & known and not names <= known]:
            known.update(*more)
        return frozenset(known)

    def __call__(self, alternative: Alternative) -> bool:
        if alternative.function != AT_FILE_SCOPE:
            return alternative.function in self.functions
        start, end = alternative.directives[0].start, alternative.end
        inside = [d for d in self.raw.directives if start <= d.start < end]
        names = {name for d in inside if d.kind in TEXTS for name in names_in(d.body)[:1]}
        names |= {t.text for branch in alternative.branches for t in outer_tokens(branch) if t.kind == "name"}
        return bool(names & self.known) or any(d.kind == "include" for d in inside)

    def _words(self) -> Iterator[str]:
        """Of the functions with nests, and of the heads of the kernels, in whatever branch these stand."""
        code = [token for section in self.raw.sections if section.outer is None for token in section.tokens]
        for at, token in enumerate(code[:-1]):
            if token.text in self.kernels and code[at + 1].at("("):
                end = next((n for n in range(at, len(code)) if code[n].at("{", ";")), len(code))
                begin = next((n for n in range(at, -1, -1) if code[n].at("}", ";")), 0)
                yield from (t.text for t in code[begin:end] if t.kind == "name")
        if self.functions:
            inside = (t for t in code if t.kind == "name" and self.function_around(t.start) in self.functions)
            yield from (t.text for t in inside)

    def _declared(self) -> Iterator[set[str]]:
        """The names of each macro's text and of each declaration at file scope."""
        for directive in self.raw.directives:
            if directive.kind == "define":
                yield set(names_in(directive.body))
        names: set[str] = set()
        code = [token for section in self.raw.sections if section.outer is None for token in section.tokens]
        for token in outer_tokens(code):
            if token.kind == "name":
                names.add(token.text)
            elif token.at(";"):
                yield names
                names = set()


def outer_tokens(code: Sequence[Token]) -> Iterator[Token]:
    """Without the bodies of functions: braces after `)`."""
    depth, body = 0, 0
    for at, token in enumerate(code):
        if token.at("{"):
            depth += 1
            if not body and at and code[at - 1].at(")"):
                body = depth
        elif token.at("}"):
            if depth == body:
                body = 0
                yield Token("op", ";", token.start, token.end)
            depth -= 1
        elif not body:
            yield token
