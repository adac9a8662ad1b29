"""The readings of a C source: one for each set of branches that parameters choose, where that matters to its kernels.

An `#if` matters where it decides what a kernel's prototype or a nest is made of. All others are the compiler's: it
settles them for each candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Source, Span
from tunepass.expr.nodes import Expr
from tunepass.frontends.c.lowering import spelled
from tunepass.frontends.c.parameters.macros import whole_number
from tunepass.frontends.c.relevance import Relevance
from tunepass.frontends.cfamily.branches.booleans import TRUE
from tunepass.frontends.cfamily.branches.condition_values import number_of_word
from tunepass.frontends.cfamily.branches.sets import BranchSet, branch_sets
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition, definitions
from tunepass.frontends.cfamily.preprocessing.symbols import MacroValue, with_numbers
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.unit import Unit
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter


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
    its kernels, `loops` where pragmas stand before nests. Where a parameter is wrong (not `sound`), which is told
    later, branches are those of the defaults."""

    source: Source
    words: Sequence[str]
    dialect: str
    symbols: Mapping[str, MacroValue]
    parameters: Sequence[Parameter]
    kernels: frozenset[str]
    loops: Sequence[Span]
    sound: bool = True

    def read(self) -> list[Reading]:
        """That of the defaults first. Raises SourceError at an `#if` that cannot be followed."""
        unit = self._unit(self.symbols)
        unit = self._unit(with_numbers(self.symbols, self._numbers(unit, {p.name: p.default for p in self.parameters})))
        if not self.sound:
            return [self._reading(unit, BranchSet(Configuration({}), TRUE, True))]
        matters = Relevance.of(unit, self.kernels, self.loops)
        sets = branch_sets(unit, self.parameters, matters)
        return [self._reading(unit, branches) for branches in sorted(sets, key=lambda s: not s.plain)]

    def _reading(self, unit: Unit, branches: BranchSet) -> Reading:
        if not branches.plain:
            unit = self._unit(with_numbers(self.symbols, self._numbers(unit, dict(branches.configuration))))
        return Reading(unit, definitions(unit), branches)

    def _unit(self, symbols: Mapping[str, MacroValue]) -> Unit:
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
