"""A source for synthesis under each set of branches that parameters choose."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.cfamily.branches.condition_values import number_of_word
from tunepass.frontends.cfamily.branches.sets import BranchSet, branch_sets, holds, refusals
from tunepass.frontends.cfamily.preprocessing.alignment import PragmaTokens
from tunepass.frontends.cfamily.preprocessing.symbols import MacroValue, with_numbers
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.hls.file import HlsFile
from tunepass.frontends.hls.types import base_of
from tunepass.space.configuration import Value
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter


@dataclass(frozen=True)
class Files:
    """`files` are by the place of their set in `sets`; `allowed` are what the source's `#error`s leave."""

    sets: Sequence[BranchSet]
    files: Sequence[HlsFile]
    defaults: Mapping[str, Value]
    allowed: Sequence[Constraint] = ()

    @classmethod
    def of(
        cls,
        plain: HlsFile,
        words: Sequence[str],
        symbols: Mapping[str, MacroValue],
        parameters: Sequence[Parameter],
    ) -> Files:
        """`plain` was read with the defaults, which `symbols` have; choices that are macros have their numbers here.
        Raises SourceError at an `#if` that cannot be followed."""
        words_of = {p.name: p.default for p in parameters if p.default in plain.unit.text.macros}
        if words_of:
            symbols = with_numbers(symbols, {name: _number(plain, value) for name, value in words_of.items()})
            plain = HlsFile.read(plain.source, words, symbols)
        sets = branch_sets(plain.unit, parameters)
        files = [
            plain if s.plain else HlsFile.read(plain.source, words, with_numbers(symbols, _numbers(plain, s)))
            for s in sets
        ]
        return cls(sets, files, {p.name: p.default for p in parameters}, refusals(plain.unit, parameters, {}))

    @cached_property
    def plain(self) -> HlsFile:
        return next(file for file, chosen in zip(self.files, self.sets) if chosen.plain)

    @cached_property
    def others(self) -> list[int]:
        """The places of the sets that the defaults do not choose."""
        return [number for number, chosen in enumerate(self.sets) if not chosen.plain]

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters that choose branches."""
        return frozenset(self.sets[0].configuration) if self.others else frozenset()

    @property
    def line(self) -> Span:
        """The first `#if` that parameters decide."""
        common = set.intersection(*(set(chosen.lines) for chosen in self.sets))
        lines = (line for chosen in self.sets for line in chosen.lines if line not in common)
        return min(lines, key=lambda line: line.start)

    @cached_property
    def pragmas(self) -> tuple[PragmaTokens, ...]:
        """Of all branches, each once."""
        found = {pragma.start: pragma for file in reversed([self.plain, *self.files]) for pragma in file.pragmas}
        return tuple(found[start] for start in sorted(found))

    def is_allowed(self, values: Mapping[str, Value]) -> bool:
        known = {**self.defaults, **values}
        return all(holds(constraint.expression, known) for constraint in self.allowed)

    def number(self, values: Mapping[str, Value]) -> int:
        """The place of the set that these values, and the defaults of other parameters, choose. Raises SourceError
        where a condition has no value for them."""
        known = {**self.defaults, **values}
        number = next((n for n, chosen in enumerate(self.sets) if chosen.is_chosen(known)), None)
        if number is None:
            message = f"a condition over parameters has no value with {_listed(known, self.names)}"
            raise SourceError(message, self.line, "no compiler takes that: divide by numbers other than 0")
        return number

    def function(self, function: Function, number: int) -> Function:
        """The function in the file at this place. Raises SourceError where it is in none of its branches."""
        found = self.files[number].functions.get(base_of(function.name.text), [])
        same = next((f for f in found if f.name.start == function.name.start), None)
        if same is None and not found:
            lines = self.sets[number].lines
            usual = next(chosen.lines for chosen in self.sets if chosen.plain)
            line = next(line for line in lines if line not in usual)
            chosen = self.sets[number].configuration
            message = f"`{function.name.text}` is not there with {_listed(chosen, chosen)}"
            raise SourceError(message, line, "define it in every branch")
        return same or found[0]

    def check_numbers(self, domains: Mapping[str, Sequence[object]]) -> None:
        """Raises SourceError where a parameter that chooses branches is no whole number."""
        other = next((name for name in sorted(self.names) if name not in domains), None)
        if other is not None:
            hint = "give it whole numbers as values"
            raise SourceError(f"`{other}`, which chooses branches, is no whole number", self.line, hint)


def _listed(values: Mapping[str, Value], names: Collection[str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items() if name in names)


def _numbers(file: HlsFile, chosen: BranchSet) -> dict[str, int | None]:
    return {name: _number(file, value) for name, value in chosen.configuration.items()}


def _number(file: HlsFile, value: Value) -> int | None:
    if isinstance(value, str):
        return number_of_word(file.unit, value)
    return int(value) if isinstance(value, int) else None
