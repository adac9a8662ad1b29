"""The `#if`s that values of parameters decide, in a source and in its headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tunepass.diagnostics import Span
from tunepass.expr.nodes import Constant, Expr
from tunepass.frontends.cfamily.branches.booleans import FALSE, TRUE, conjunction, negated
from tunepass.frontends.cfamily.branches.condition_values import Conditions
from tunepass.frontends.cfamily.preprocessing.chains import Chain, branch_around, chains, condition_of
from tunepass.frontends.cfamily.preprocessing.directives import FileText, PlacedDirective
from tunepass.frontends.cfamily.preprocessing.macro_states import MacroStates, texts_of
from tunepass.frontends.cfamily.preprocessing.parametric import DEFINING, defined_name
from tunepass.frontends.cfamily.preprocessing.surroundings import AT_FILE_SCOPE, FileCode
from tunepass.frontends.cfamily.text.raw import Directive
from tunepass.frontends.cfamily.text.tokens import Token, names_in
from tunepass.frontends.cfamily.unit import Unit
from tunepass.space.parameter import Parameter


@dataclass(frozen=True, slots=True, eq=False)
class Alternative:
    """An `#if` with the conditions of its branches, None of one that cannot be told, and the branches' code.

    `around` is the place in the list of the alternative that it stands in, and in which branch. `function` is where the
    body of the function around it opens, or AT_FILE_SCOPE.
    """

    file: FileText
    chain: Chain
    conditions: tuple[Expr | None, ...]
    branches: tuple[tuple[Token, ...], ...]
    around: tuple[int, int] | None
    function: int

    @property
    def line(self) -> Span:
        return self.file.line_of(self.chain.directives[0])


@dataclass(frozen=True, slots=True)
class RefusedValues:
    """Values for which a source has an `#error`, at its line."""

    condition: Expr
    line: Span


@dataclass(frozen=True)
class Alternatives:
    """In the order in which a compiler reads them."""

    listed: tuple[Alternative, ...]
    refused: tuple[RefusedValues, ...]


def alternatives(unit: Unit, parameters: Sequence[Parameter]) -> Alternatives:
    """Those whose branch is not the same for all values; `#if`s between guards are none."""
    placed = unit.text.read_order
    if not any(unit.text.reads_parameter(p.directive) for p in placed):
        return Alternatives((), ())
    return _Walk.of(unit, placed, parameters).walk()


@dataclass(eq=False)
class _Walk:
    unit: Unit
    placed: Sequence[PlacedDirective]
    chains: list[Chain]
    states: MacroStates
    conditions: Conditions
    read: dict[int, list[Expr | None]] = field(default_factory=dict)  # of chains over parameters, by their places
    paths: dict[tuple[int, int], Expr | None] = field(default_factory=dict)

    @classmethod
    def of(cls, unit: Unit, placed: Sequence[PlacedDirective], parameters: Sequence[Parameter]) -> _Walk:
        parametric = unit.text.parametric
        defining = [(defined_name(p.directive), p.directive) for p in placed if p.directive.kind in DEFINING]
        texts = texts_of([(name, directive) for name, directive in defining if name in parametric])
        states = MacroStates(unit.text.macros, parametric, texts)
        return cls(unit, placed, chains(p.directive for p in placed), states, Conditions.of(unit, parameters, states))

    def walk(self) -> Alternatives:
        places = {id(d): (n, at) for n, chain in enumerate(self.chains) for at, d in enumerate(chain.directives)}
        parametric = self.unit.text.parametric
        refused: list[RefusedValues] = []
        current: tuple[int, int] | None = None
        for one in self.placed:
            directive = one.directive
            if id(directive) in places:
                current = self._enter(directive, *places[id(directive)])
            elif directive.kind in DEFINING and (name := defined_name(directive)) in parametric:
                if name not in self.unit.text.symbols.names:
                    self.states.meet(directive, name, self._path(current))
            elif directive.kind == "error":
                path = self._path(current)
                if path is not None and not isinstance(path, Constant):
                    refused.append(RefusedValues(path, one.file.line_of(directive)))
        return Alternatives(tuple(self._alternatives()), tuple(refused))

    def _enter(self, directive: Directive, number: int, at: int) -> tuple[int, int] | None:
        """The branch that it begins; the one around after the last."""
        chain = self.chains[number]
        if at == len(chain.heads):
            return chain.around
        if at == 0 and any(self.unit.text.reads_parameter(head) for head in chain.heads):
            self.read[number] = []
        if number in self.read and directive.kind != "else":
            self.read[number].append(self.conditions.read(condition_of(directive)))
        return number, at

    def _path(self, branch: tuple[int, int] | None) -> Expr | None:
        """The condition under which a branch is compiled; None where it cannot be told."""
        if branch is None:
            return TRUE
        if branch not in self.paths:
            self.paths[branch] = self._worked_out(*branch)
        return self.paths[branch]

    def _worked_out(self, number: int, at: int) -> Expr | None:
        outer = self._path(self.chains[number].around)
        if number not in self.read:
            return outer if self._is_possible(number, at) else FALSE
        conditions = self.read[number]
        parts = [None if c is None else negated(c) for c in conditions[:at]] + conditions[at : at + 1]
        known = [part for part in (outer, *parts) if part is not None]
        whole = conjunction(*known)
        return whole if whole == FALSE or len(known) > len(parts) else None

    def _is_possible(self, number: int, at: int) -> bool:
        """Whether a branch that no parameter decides may be compiled."""
        seen = self._activity.get((number, at))
        if seen:
            return True in seen
        heads = self.chains[number].heads
        before = any(self._settled(head) == TRUE for head in heads[:at])
        return not before and (heads[at].kind == "else" or self._settled(heads[at]) != FALSE)

    def _settled(self, head: Directive) -> Expr | None:
        """What a condition is whose macros are never defined; those that are may be defined later."""
        words = set(names_in(condition_of(head)))
        return None if words & self.unit.text.macros.keys() else self.conditions.read(condition_of(head))

    @cached_property
    def _activity(self) -> Mapping[tuple[int, int], set[bool]]:
        """Of the source's code, by the innermost branch around it."""
        own = {id(directive) for directive in self.unit.text.raw.directives}
        places = [number for number, chain in enumerate(self.chains) if id(chain.directives[0]) in own]
        listed = [self.chains[number] for number in places]
        found: dict[tuple[int, int], set[bool]] = {}
        for start, _, active in self.unit.text.activity:
            around = branch_around(listed, start)
            if around is not None:
                found.setdefault((places[around[0]], around[1]), set()).add(active)
        return found

    def _alternatives(self) -> list[Alternative]:
        files = {id(p.directive): p.file for p in self.placed}
        kept: dict[int, int] = {}
        found: list[Alternative] = []
        texts: dict[FileText, FileCode] = {}
        for number, conditions in sorted(self.read.items()):
            chain = self.chains[number]
            decided = all(isinstance(condition, Constant) for condition in conditions)
            if not chain.closed or decided or self._path(chain.around) == FALSE:
                continue
            file = files[id(chain.directives[0])]
            code = texts.setdefault(file, FileCode(file.raw))
            kept[number] = len(found)
            found.append(
                Alternative(
                    file, chain, tuple(conditions), code.branches(chain), self._kept_around(chain, kept),
                    code.before(chain).function if file.own else AT_FILE_SCOPE,
                )
            )  # fmt: skip
        return found

    def _kept_around(self, chain: Chain, kept: dict[int, int]) -> tuple[int, int] | None:
        around = chain.around
        while around is not None and around[0] not in kept:
            around = self.chains[around[0]].around
        return None if around is None else (kept[around[0]], around[1])
