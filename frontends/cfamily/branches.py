"""The sets of branches that parameters choose: which parts of a source are read for which values.

An `#if` that reads a parameter has a branch for each value of it. A source is read once for each set of branches that
some values choose, and what one reading says holds under the condition of its set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import Constant, Expr, free_names
from tunepass.expr.python_eval import OverflowValue, UndefinedValue, evaluate
from tunepass.frontends.cfamily.combinations import MOST_COMBINATIONS, Combinations, TooManyError
from tunepass.frontends.cfamily.condition_values import Conditions
from tunepass.frontends.cfamily.guards import Alternative, alternatives
from tunepass.frontends.cfamily.raw import Directive
from tunepass.frontends.cfamily.unit import Unit
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter

MOST_SETS = 16
NOT_REACHED = -1
UNREADABLE_HINT = "compare parameters with numbers, macros that are numbers, or each other"
MANY_HINT = "give its parameters fewer values, or let code choose with `if` where the `#if`s are independent"
VALUES_HINT = "compare each of them with numbers alone, or give them fewer values"
LINE = re.compile(r"[^\n]*")


@dataclass(frozen=True, slots=True)
class BranchSet:
    """Values that choose the set, and the condition under which it is chosen. `plain`: by the defaults. `lines` are
    those that begin its branches, `#if` or another; of an `#if` without such a branch its `#endif`."""

    configuration: Configuration
    condition: Expr
    plain: bool
    lines: tuple[Span, ...] = ()

    def is_chosen(self, values: Mapping[str, Value]) -> bool:
        return _holds(self.condition, values)


def always(alternative: Alternative) -> bool:
    """Every `#if` over parameters matters."""
    return True


def branch_sets(
    unit: Unit, parameters: Sequence[Parameter], matters: Callable[[Alternative], bool] = always
) -> list[BranchSet]:
    """Those of the `#if`s that matter, in the order of their branches; one alone where nothing depends on parameters.

    Raises SourceError at the `#if` that cannot be followed, or that makes more than MOST_SETS sets.
    """
    chains = _chains(unit, parameters, matters)
    read = {name for chain in chains for condition in chain.conditions for name in free_names(condition)}
    involved = [p for p in parameters if p.name in read]
    default = Configuration({p.name: p.default for p in involved})
    if not involved:
        return [BranchSet(default, typing.constant(True), True)]
    conditions = [condition for chain in chains for condition in chain.conditions]
    try:
        combinations = Combinations.of(involved, conditions)
    except TooManyError:
        raise _too_many_values(unit, chains, involved) from None
    chosen = _chosen(chains, combinations)
    _check_few(unit, chains, chosen.branches)
    sets = chosen.sets(unit, chains)
    if not any(chosen.plain for chosen in sets):
        line = line_of(unit, chains[0].alternative.directives[0])
        raise SourceError("a condition over parameters has no value with their defaults", line, UNREADABLE_HINT)
    return sets


@dataclass(frozen=True, slots=True)
class _Chain:
    """An `#if` whose conditions are expressions; `around` is the number of another and its branch."""

    alternative: Alternative
    conditions: tuple[Expr, ...]
    around: tuple[int, int] | None


def _chains(unit: Unit, parameters: Sequence[Parameter], matters: Callable[[Alternative], bool]) -> list[_Chain]:
    """Those that matter and whose branch is not the same for all values."""
    listed = alternatives(unit.text.raw, unit.text.symbols.names)
    reader = Conditions.of(unit, parameters)
    chains: list[_Chain] = []
    places: dict[int, int] = {}  # in `chains`, by the place in `listed`
    for place, alternative in enumerate(listed):
        around = alternative.around
        if around is not None and around[0] not in places:
            continue  # the one around does not matter, or this one is never reached
        if not matters(alternative):
            continue
        conditions = [reader.read(text) for text in alternative.conditions]
        known = tuple(condition for condition in conditions if condition is not None)
        outer = (places[around[0]], around[1]) if around is not None else None
        if len(known) < len(conditions):
            raise _unreadable(unit, alternative, alternative.conditions[conditions.index(None)])
        if around is None and _is_left_out(unit, alternative, known, {p.name: p.default for p in parameters}):
            continue
        places[place] = len(chains)
        chains.append(_Chain(alternative, known, outer))
    return chains


def _is_left_out(unit: Unit, alternative: Alternative, conditions: Sequence[Expr], defaults: dict[str, Value]) -> bool:
    """Whether an `#if` that no parameter decides leaves it out: the compiler does not see the defaults' branch."""
    branch = next((n for n, condition in enumerate(conditions) if _holds(condition, defaults)), len(conditions))
    code = alternative.branches[branch] if branch < len(alternative.branches) else ()
    spans = unit.text.activity if code else ()
    return bool(code) and not any(active and start <= code[0].start < end for start, end, active in spans)


def _holds(condition: Expr, values: Mapping[str, Value]) -> bool:
    try:
        return bool(evaluate(condition, dict(values)))
    except (UndefinedValue, OverflowValue):
        return False


def _unreadable(unit: Unit, alternative: Alternative, condition: str) -> SourceError:
    message = f"what `{condition}` is for each value of the parameters cannot be told"
    return SourceError(message, line_of(unit, alternative.directives[0]), UNREADABLE_HINT)


def line_of(unit: Unit, directive: Directive) -> Span:
    """The directive's first line."""
    start = directive.start
    line = LINE.match(unit.source.text, start)
    assert line is not None
    return unit.source.span(start, start + len(line.group().rstrip()))


def _too_many_values(unit: Unit, chains: Sequence[_Chain], involved: Sequence[Parameter]) -> SourceError:
    names = ", ".join(f"`{parameter.name}`" for parameter in involved)
    message = f"{names}, which `#if`s read, have more than {MOST_COMBINATIONS} combinations of values"
    return SourceError(message, line_of(unit, chains[0].alternative.directives[0]), VALUES_HINT)


@dataclass(frozen=True)
class _Chosen:
    """`branches` (chains, n) that each of the `combinations` chooses: the number of conditions where none holds,
    NOT_REACHED inside another branch."""

    combinations: Combinations
    branches: NDArray[np.int64]

    def sets(self, unit: Unit, chains: Sequence[_Chain]) -> list[BranchSet]:
        """Each with its values that differ least from the defaults."""
        changes = self.combinations.changes()
        order = np.argsort(changes, kind="stable")
        _, first = np.unique(self.branches[:, order], axis=1, return_index=True)
        return [self._set(unit, chains, int(row), changes[row] == 0) for row in order[first]]

    def _set(self, unit: Unit, chains: Sequence[_Chain], row: int, plain: bool) -> BranchSet:
        branches = self.branches[:, row].tolist()
        parts = [part for chain, branch in zip(chains, branches) for part in _condition(chain, branch)]
        begun = [(chain, branch) for chain, branch in zip(chains, branches) if branch != NOT_REACHED]
        lines = tuple(line_of(unit, chain.alternative.directives[branch]) for chain, branch in begun)
        return BranchSet(self.combinations.configuration(row), algebra.both(*dict.fromkeys(parts)), plain, lines)


def _chosen(chains: Sequence[_Chain], combinations: Combinations) -> _Chosen:
    """Of the combinations for which each condition that is reached has a value: no compiler takes the others."""
    everything = np.arange(combinations.n)
    valued = np.ones(combinations.n, np.bool_)
    branches: list[NDArray[np.int64]] = []
    for chain in chains:
        reached = valued.copy()
        if chain.around is not None:
            reached &= branches[chain.around[0]] == chain.around[1]
        branch = np.where(reached, len(chain.conditions), NOT_REACHED)
        for number, condition in enumerate(chain.conditions):
            evaluated = combinations.evaluate(condition)
            valued &= ~reached | evaluated.defined
            holds = reached & evaluated.defined & evaluated.values.astype(np.bool_)
            branch[holds] = number
            reached &= ~holds
        branches.append(branch)
    rows = everything[valued]
    return _Chosen(combinations.at(rows), np.array(branches)[:, rows])


def _check_few(unit: Unit, chains: Sequence[_Chain], branches: NDArray[np.int64]) -> None:
    sets = [np.unique(branches[: number + 1], axis=1).shape[1] for number in range(len(chains))]
    if sets[-1] <= MOST_SETS:
        return
    first = next(number for number, count in enumerate(sets) if count > MOST_SETS)
    message = f"the branches of `#if`s make {sets[-1]} sets over the parameters, more than {MOST_SETS}"
    raise SourceError(message, line_of(unit, chains[first].alternative.directives[0]), MANY_HINT)


def _condition(chain: _Chain, branch: int) -> list[Expr]:
    if branch == NOT_REACHED:
        return []
    no = [typing.unary("not", c) for c in chain.conditions[:branch] if not isinstance(c, Constant)]
    return [*no, *chain.conditions[branch : branch + 1]]
