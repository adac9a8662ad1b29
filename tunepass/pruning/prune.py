"""Effects of limits on a space: each alone, all together, the binding ones, and conflicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tunepass.pruning.base import Count, Limit, Remaining, Solver
from tunepass.pruning.intervals import IntervalSolver
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

MOST_BOXES = 20_000  # looked at to tell that a condition is not needed


@dataclass(frozen=True, slots=True)
class LimitEffect:
    """Counts that one limit leaves by itself, and that all others leave without it."""

    limit: Limit
    alone: Count
    without: Count


@dataclass(frozen=True, slots=True)
class PruningResult:
    """`before` is what the source's own constraints leave of `dense` assignments, `remaining` what the limits leave of
    that. `conflict`: where nothing is left, conditions none of which can go that no configuration meets together."""

    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...]
    dense: int
    before: Count
    effects: tuple[LimitEffect, ...]
    remaining: Remaining
    conflict: tuple[Constraint, ...] = ()

    @property
    def left(self) -> Count:
        return _within(self.remaining.count, self.before)

    @property
    def binding(self) -> Limit | None:
        """The limit whose lifting would bring most configurations back; None where no limit by itself brings any."""
        gains = [(effect.without.low - self.left.high, effect) for effect in self.effects]
        most = max((gain for gain, _ in gains), default=0)
        return next((effect.limit for gain, effect in gains if gain == most), None) if most > 0 else None


def prune(
    parameters: Sequence[Parameter],
    constraints: Sequence[Constraint],
    limits: Sequence[Limit],
    solver: Solver,
    *,
    stop: Callable[[], bool] | None = None,
) -> PruningResult:
    """The whole answer. `stop` ends each of the solver's searches early, with counts that are bounds then."""

    conditions = [limit.constraint for limit in limits]
    others = [[c for c in conditions if c is not condition] for condition in conditions]
    selections = [conditions, [], *([condition] for condition in conditions), *others]
    remaining, before, *rest = solver.each(parameters, constraints, selections, stop=stop)
    counts = [_within(left.count, before.count) for left in rest]
    effects = map(LimitEffect, limits, counts[: len(limits)], counts[len(limits) :])
    return PruningResult(
        parameters=tuple(parameters),
        constraints=tuple(constraints),
        dense=math.prod(p.size for p in parameters if p.size is not None),
        before=before.count,
        effects=tuple(effects),
        remaining=remaining,
        conflict=() if remaining.count.high else conflicting(parameters, conditions, constraints),
    )


def _within(count: Count, all_of: Count) -> Count:
    """A count of some of these: where it is bounded, no more than there are."""
    return Count(count.low, min(count.high, max(count.low, all_of.high)))


def conflicting(
    parameters: Sequence[Parameter], limits: Sequence[Constraint], constraints: Sequence[Constraint]
) -> tuple[Constraint, ...]:
    """Of conditions that leave nothing together those that still do, none of which can go as far as boxes prove it.
    Limits go before the source's constraints, the first ones first."""
    required = [*constraints, *limits]
    for c in (*limits, *constraints):
        without = [k for k in required if k is not c]
        if not IntervalSolver(MOST_BOXES).remaining(parameters, without).count.high:
            required = without
    return tuple(required)
