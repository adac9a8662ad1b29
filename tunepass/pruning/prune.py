"""What limits leave of a space: each alone, all together, which of them binds, and why nothing is left."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tunepass.pruning.base import Count, Limit, Remaining, Solver
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter


@dataclass(frozen=True, slots=True)
class Effect:
    """What one limit leaves by itself, and what all the others leave without it."""

    limit: Limit
    alone: Count
    without: Count


@dataclass(frozen=True, slots=True)
class Pruned:
    """`before` is what the source's own constraints leave of `dense` assignments, `remaining` what the limits leave of
    that. `conflict`: where nothing is left, conditions none of which can go that no configuration meets together."""

    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...]
    dense: int
    before: Count
    effects: tuple[Effect, ...]
    remaining: Remaining
    conflict: tuple[Constraint, ...] = ()

    @property
    def left(self) -> Count:
        return self.remaining.count

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
) -> Pruned:
    """The whole answer. `stop` ends each of the solver's searches early, with counts that are bounds then."""

    def left(*kept: Constraint) -> Remaining:
        return solver.remaining(parameters, (*constraints, *kept), stop=stop)

    conditions = [limit.constraint for limit in limits]
    remaining, before = left(*conditions), left().count
    effects = []
    for i, limit in enumerate(limits):
        alone = left(limit.constraint).count if len(limits) > 1 else remaining.count
        others = conditions[:i] + conditions[i + 1 :]
        effects.append(Effect(limit, alone, left(*others).count if others else before))
    return Pruned(
        parameters=tuple(parameters),
        constraints=tuple(constraints),
        dense=math.prod(p.size for p in parameters if p.size is not None),
        before=before,
        effects=tuple(effects),
        remaining=remaining,
        conflict=() if remaining.count.high else conflicting(parameters, (*constraints, *conditions), solver),
    )


def conflicting(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint], solver: Solver
) -> tuple[Constraint, ...]:
    """Of constraints that leave nothing together those that still do, none of which can go. The later ones stay."""
    kept = list(constraints)
    for c in constraints:
        without = [k for k in kept if k is not c]
        if not solver.remaining(parameters, without).count.high:
            kept = without
    return tuple(kept)
