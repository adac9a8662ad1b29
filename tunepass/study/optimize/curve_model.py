"""A pruner by a model of curves: the final loss of an evaluation is predicted from its loss now.

    symbol   meaning
    n        evaluations that ran to their end and had reported by the same step
    x, y     their losses at that step and at their end (n,), as logarithms where all are positive
    x0       the loss of the evaluation that is judged
    s        deviation of the residuals of y = a + b x
    S        sum of squares of x about their mean m

The prediction at x0 is a + b x0 + t s sqrt(1 + 1/n + (x0 - m)^2 / S), t of Student's distribution with n - 2 degrees of
freedom: the textbook interval of a simple linear regression. The evaluation is pruned where even its lower end is worse
than the incumbent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.diagnostics import StudyError
from tunepass.space.plain_values import as_real, as_whole
from tunepass.study.optimize.pruner import Curve, best_final

LEAST_CURVES = 3  # that a line with a residual needs


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveModel:
    """Prune an evaluation whose final loss, predicted from its loss now, is worse than the incumbent's.

    A regression over the evaluations that ran to their end says how the losses of a step foretell final ones.

    Args:
        first_step: before it, nothing is pruned.
        first_curves: evaluations that run to their end before anything is pruned, at least 3.
        confidence: of the prediction that a pruned evaluation would not have beaten the incumbent.

    Raises:
        StudyError: an argument breaks its rule.

    Example:
        >>> study = tp.Study(space, [tp.Objective("loss")], pruner=tp.CurveModel(first_curves=5))
        >>> def train(trial):
        ...     for epoch in range(1, 5):
        ...         trial.report(epoch, trial["tile"] + 1 / epoch)
        ...         if trial.should_prune():
        ...             raise tp.Pruned
        ...     return float(trial["tile"])
        >>> study.optimize(train, n_trials=10)
        >>> study.trials[0].censored, any(trial.censored for trial in study.trials)
        (False, True)
    """

    first_step: int = 1
    first_curves: int = 5
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name, least in (("first_step", 0), ("first_curves", LEAST_CURVES)):
            whole = as_whole(getattr(self, name))
            if whole is None or whole < least:
                raise StudyError(f"{name} is a whole number >= {least}, got {getattr(self, name)!r}")
            object.__setattr__(self, name, whole)
        confidence = as_real(self.confidence)
        if confidence is None or not (0.5 < confidence < 1):
            raise StudyError(f"0.5 < confidence < 1 must hold, got {self.confidence!r}")

    def bound(self, curve: Curve, others: Sequence[Curve]) -> float | None:
        """See Pruner. The bound is the lower end of the prediction."""
        step, incumbent = curve.steps[-1], best_final(others)
        pairs = [(x, c.final) for c in others if c.final is not None and (x := c.at(step)) is not None]
        if incumbent is None or step < self.first_step or len(pairs) < self.first_curves:
            return None
        least = self._lower_end(curve.losses[-1], np.array(pairs))
        return least if least > incumbent else None

    def _lower_end(self, loss: float, pairs: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
        from scipy.special import stdtrit  # which the import of a study does without

        log = loss > 0 and bool((pairs > 0).all())
        x, y = (np.log(pairs) if log else pairs).T
        x0, n = math.log(loss) if log else loss, len(x)
        m, squares = float(x.mean()), float(((x - x.mean()) ** 2).sum())
        slope = float((x - m) @ (y - y.mean())) / squares if squares > 0 else 0.0
        predicted = float(y.mean()) + slope * (x0 - m)
        residuals = y - (y.mean() + slope * (x - m))
        deviation = math.sqrt(float(residuals @ residuals) / (n - 2))
        distance = (x0 - m) ** 2 / squares if squares > 0 else 0.0
        reach = float(stdtrit(n - 2, self.confidence)) * deviation * math.sqrt(1 + 1 / n + distance)
        return math.exp(min(predicted - reach, 700.0)) if log else predicted - reach
