"""The sets of branches that parameters choose: which parts of a source are read for which values.

An `#if` that reads a parameter has a branch for each value of it. A source is read once for each set of branches that
some values choose, and what one reading says holds under the condition of its set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import Constant, Expr, free_names
from tunepass.expr.printer import to_text
from tunepass.expr.python_eval import OverflowValue, UndefinedValue, evaluate
from tunepass.frontends.cfamily.branches.alternatives import Alternative, alternatives
from tunepass.frontends.cfamily.branches.booleans import TRUE, conjunction, negated
from tunepass.frontends.cfamily.branches.combinations import MOST_COMBINATIONS, Combinations, TooManyError
from tunepass.frontends.cfamily.unit import Unit
from tunepass.space.configuration import Configuration, Value
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

MOST_SETS = 16
NOT_REACHED = -1
UNREADABLE_HINT = "compare parameters with numbers, macros that are numbers, or each other"
MANY_HINT = "give its parameters fewer values, or let code choose with `if` where the `#if`s are independent"
VALUES_HINT = "compare each of them with numbers alone, or give them fewer values"


@dataclass(frozen=True, slots=True)
class BranchSet:
    """Values that choose the set, and the condition under which it is chosen. `plain`: by the defaults. `lines` are
    those that begin its branches, `#if` or another; of an `#if` without such a branch its `#endif`."""

    configuration: Configuration
    condition: Expr
    plain: bool
    lines: tuple[Span, ...] = ()

    def is_chosen(self, values: Mapping[str, Value]) -> bool:
        return holds(self.condition, values)


def always(alternative: Alternative) -> bool:
    """Every `#if` over parameters matters."""
    return True


def branch_sets(
    unit: Unit, parameters: Sequence[Parameter], matters: Callable[[Alternative], bool] = always
) -> list[BranchSet]:
    """Those of the `#if`s that matter, in the order of their branches; one alone where nothing depends on parameters.

    None has values that the source refuses by an `#error`. Raises SourceError at the `#if` that cannot be followed, or
    that makes more than MOST_SETS sets.
    """
    found = alternatives(unit, parameters)
    chains = _chains(found.listed, matters)
    conditions = [condition for chain in chains for condition in chain.conditions]
    read = {name for condition in conditions for name in free_names(condition)}
    refused = [one.condition for one in found.refused if read & free_names(one.condition)]
    read.update(name for condition in refused for name in free_names(condition))
    involved = [p for p in parameters if p.name in read]
    default = Configuration({p.name: p.default for p in involved})
    if not involved:
        return [BranchSet(default, TRUE, True)]
    try:
        combinations = Combinations.of(involved, [*conditions, *refused])
    except TooManyError:
        raise _too_many_values(chains, involved) from None
    chosen = _chosen(chains, combinations, refused)
    _check_few(chains, chosen.branches)
    sets = chosen.sets(chains)
    if not any(chosen.plain for chosen in sets):
        line = chains[0].alternative.line
        raise SourceError("a condition over parameters has no value with their defaults", line, UNREADABLE_HINT)
    return sets


def refusals(unit: Unit, parameters: Sequence[Parameter], fixed: Mapping[str, Value]) -> tuple[Constraint, ...]:
    """What values are left by the `#error`s of a source. `fixed` are those of parameters that do not vary here."""
    values: dict[str, Expr] = {
        name: typing.constant(value) for name, value in fixed.items() if not isinstance(value, tuple)
    }
    found: list[Constraint] = []
    for one in alternatives(unit, parameters).refused:
        allowed = negated(algebra.substitute(one.condition, values))
        if not isinstance(allowed, Constant):
            found.append(Constraint(allowed, to_text(allowed), one.line, derived=True))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Chain:
    """An `#if` whose conditions are expressions; `around` is the number of another and its branch."""

    alternative: Alternative
    conditions: tuple[Expr, ...]
    around: tuple[int, int] | None


def _chains(listed: Sequence[Alternative], matters: Callable[[Alternative], bool]) -> list[_Chain]:
    chains: list[_Chain] = []
    places: dict[int, int] = {}  # in `chains`, by the place in `listed`
    for place, alternative in enumerate(listed):
        around = alternative.around
        if (around is not None and around[0] not in places) or not matters(alternative):
            continue
        known = tuple(condition for condition in alternative.conditions if condition is not None)
        if len(known) < len(alternative.conditions):
            place = alternative.conditions.index(None)
            text, line = alternative.chain.conditions[place], alternative.chain.heads[place]
            message = f"what `{text}` is for each value of the parameters cannot be told"
            raise SourceError(message, alternative.file.line_of(line), UNREADABLE_HINT)
        places[place] = len(chains)
        chains.append(_Chain(alternative, known, None if around is None else (places[around[0]], around[1])))
    return chains


def holds(condition: Expr, values: Mapping[str, Value]) -> bool:
    """Whether it has a value and is true."""
    try:
        return bool(evaluate(condition, dict(values)))
    except (UndefinedValue, OverflowValue):
        return False


def _too_many_values(chains: Sequence[_Chain], involved: Sequence[Parameter]) -> SourceError:
    names = ", ".join(f"`{parameter.name}`" for parameter in involved)
    message = f"{names}, which `#if`s read, have more than {MOST_COMBINATIONS} combinations of values"
    return SourceError(message, chains[0].alternative.line, VALUES_HINT)


@dataclass(frozen=True)
class _Chosen:
    """`branches` (chains, n) that each of the `combinations` chooses: the number of conditions where none holds,
    NOT_REACHED inside another branch."""

    combinations: Combinations
    branches: NDArray[np.int64]

    def sets(self, chains: Sequence[_Chain]) -> list[BranchSet]:
        """Each with its values that differ least from the defaults."""
        changes = self.combinations.changes()
        order = np.argsort(changes, kind="stable")
        _, first = np.unique(self.branches[:, order], axis=1, return_index=True)
        return [self._set(chains, int(row), changes[row] == 0) for row in order[first]]

    def _set(self, chains: Sequence[_Chain], row: int, plain: bool) -> BranchSet:
        branches = self.branches[:, row].tolist()
        parts = [part for chain, branch in zip(chains, branches) for part in _condition(chain, branch)]
        begun = [(chain, branch) for chain, branch in zip(chains, branches) if branch != NOT_REACHED]
        lines = tuple(
            chain.alternative.file.line_of(chain.alternative.chain.directives[branch]) for chain, branch in begun
        )
        return BranchSet(self.combinations.configuration(row), conjunction(*parts), plain, lines)


def _chosen(chains: Sequence[_Chain], combinations: Combinations, refused: Sequence[Expr]) -> _Chosen:
    """Of the combinations for which each condition that is reached has a value, and that the source does not refuse: no
    compiler takes the others."""
    everything = np.arange(combinations.n)
    valued = np.ones(combinations.n, np.bool_)
    for condition in refused:
        evaluated = combinations.evaluate(condition)
        valued &= ~(evaluated.defined & evaluated.values.astype(np.bool_))
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


def _check_few(chains: Sequence[_Chain], branches: NDArray[np.int64]) -> None:
    sets = [np.unique(branches[: number + 1], axis=1).shape[1] for number in range(len(chains))]
    if sets[-1] <= MOST_SETS:
        return
    first = next(number for number, count in enumerate(sets) if count > MOST_SETS)
    message = f"the branches of `#if`s make {sets[-1]} sets over the parameters, more than {MOST_SETS}"
    raise SourceError(message, chains[first].alternative.line, MANY_HINT)


def _condition(chain: _Chain, branch: int) -> list[Expr]:
    if branch == NOT_REACHED:
        return []
    return [*map(negated, chain.conditions[:branch]), *chain.conditions[branch : branch + 1]]
