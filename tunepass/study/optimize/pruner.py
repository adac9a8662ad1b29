"""Pruners: rules that end an evaluation early, by its intermediate values and those of other evaluations.

    symbol   meaning
    r        least step at which a pruner decides
    eta      one in eta evaluations goes on past a rung
    rung k   step r eta^k

Asynchronous successive halving: Li et al. 2020, "A System for Massively Parallel Hyperparameter Tuning", Alg. 2, in its
form for evaluations that are stopped but never paused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tunepass.diagnostics import StudyError
from tunepass.space.plain_values import as_whole


@dataclass(frozen=True, slots=True)
class Curve:
    """Intermediate losses of one evaluation.

    Args:
        steps: at which the losses were reported, ascending.
        losses: one a step; smaller is better.
        final: the loss of an evaluation that ran to its end; None for one that runs or was pruned.

    Example:
        >>> extension.Curve((1, 3), (0.9, 0.6)).at(2)
        0.9
    """

    steps: tuple[int, ...]
    losses: tuple[float, ...]
    final: float | None = None

    def at(self, step: int) -> float | None:
        """The latest loss that was reported at `step` or before; None without one."""
        return next((loss for s, loss in zip(self.steps[::-1], self.losses[::-1]) if s <= step), None)

    def from_step(self, step: int) -> float | None:
        """The first loss that was reported at `step` or later; None without one."""
        return next((loss for s, loss in zip(self.steps, self.losses) if s >= step), None)


def best_final(curves: Sequence[Curve]) -> float | None:
    """The least loss of the evaluations that ran to their end."""
    return min((curve.final for curve in curves if curve.final is not None), default=None)


class Pruner(Protocol):
    """A rule that ends evaluations early. It has no state, so that a resumed study prunes as the first one did.

    Example:
        >>> class Hopeless:
        ...     def bound(self, curve, others):
        ...         return 100.0 if curve.losses[-1] > 100 else None
        >>> study = tp.Study(space, [tp.Objective("time")], pruner=Hopeless())
    """

    def bound(self, curve: Curve, others: Sequence[Curve], /) -> float | None:
        """The least loss that the evaluation of `curve` would end with, if it is to be pruned now; None: it goes on.
        `others` are the curves of the other evaluations that did not fail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessiveHalving:
    """Prune an evaluation that is not among the best of its rung: one in `factor` goes on.

    Rungs are at `first_step`, `first_step * factor`, and so on. An evaluation is compared once at each rung, with all
    that have reached it.

    Args:
        first_step: the first rung.
        factor: between rungs; also how many evaluations there are for each that goes on.

    Raises:
        StudyError: `first_step` is below 1, or `factor` below 2.

    Example:
        >>> study = tp.Study(space, [tp.Objective("loss")], pruner=tp.SuccessiveHalving(first_step=1, factor=3))
        >>> def train(trial):
        ...     for epoch in range(1, 10):
        ...         loss = trial["tile"] / epoch
        ...         trial.report(epoch, loss)
        ...         if trial.should_prune():
        ...             raise tp.Pruned
        ...     return loss
        >>> study.optimize(train, n_trials=6)
        >>> sum(trial.censored for trial in study.trials) > 0
        True
    """

    first_step: int = 1
    factor: int = 3

    def __post_init__(self) -> None:
        for name, least in (("first_step", 1), ("factor", 2)):
            whole = as_whole(getattr(self, name))
            if whole is None or whole < least:
                raise StudyError(f"{name} is a whole number >= {least}, got {getattr(self, name)!r}")
            object.__setattr__(self, name, whole)

    def bound(self, curve: Curve, others: Sequence[Curve]) -> float | None:
        """See Pruner. The bound is the incumbent's loss; without an incumbent, the evaluation's latest one."""
        rung = self._reached(curve)
        if rung is None:
            return None
        loss = curve.losses[-1]
        losses = sorted([loss, *(other for c in others if (other := c.from_step(rung)) is not None)])
        if loss <= losses[max(1, len(losses) // self.factor) - 1]:
            return None
        least = best_final(others)
        return loss if least is None else least

    def _reached(self, curve: Curve) -> int | None:
        """The last rung that the latest report is the first one at or past."""
        before = curve.steps[-2] if len(curve.steps) > 1 else -1
        rung, reached = self.first_step, None
        while rung <= curve.steps[-1]:
            reached = rung if rung > before else reached
            rung *= self.factor
        return reached
