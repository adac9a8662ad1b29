"""Instances: the inputs on which a configuration is judged, and the rule by which a race over them ends early.

    symbol   meaning
    n        instances
    k        those on which the challenger was evaluated: the first k in the order of races
    l, b     losses of the challenger (k,) and of the incumbent (n,), by instance
    g        log(l / b) of the first k; where the losses have several signs, l - b
    m, s     mean and standard deviation of g
    s0       root of the mean of the squared s of earlier configurations that were evaluated on all instances
    d0       how many degrees of freedom s0 counts as: PRIOR_FREEDOM; 0 without such configurations
    d        d0 + k - 1

On the other instances the challenger is expected to be as much better or worse than the incumbent as on the first k.
The mean of n - k further g lies above m - t s~ sqrt(1/k + 1/(n - k)), and a single one above m - t s~ sqrt(1/k + 1),
with t of Student's distribution with d degrees of freedom and s~^2 = (d0 s0^2 + (k - 1) s^2) / d, a moderated variance
as in Smyth 2004, "Linear models and empirical Bayes methods". The challenger leaves the race where even with these
ends, put in for what was not measured, it is judged worse than the incumbent. That mean of logarithms stands for each
instance's own: an approximation that is exact for the geometric mean.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import StudyError
from tunepass.space.plain_values import as_real
from tunepass.study.objective import Objective

Across = Literal["mean", "worst", "geometric mean"]
Instance = str | int | float
Losses = NDArray[np.float64]
PRIOR_FREEDOM = 3.0


@dataclass(frozen=True, slots=True)
class Instances:
    """Inputs on which each configuration is judged together.

    A configuration is evaluated on them one after the other, in an order that depends on their names alone. It leaves
    the race when it is judged worse than the best configuration so far whatever the other instances bring, at the
    stated confidence.

    Args:
        instances: names of files, sizes, problems: distinct texts or numbers.
        across: how values of several instances are one: their `mean`, the `worst` of them, or the `geometric mean`,
            which weighs instances alike however long they take.
        confidence: of what is predicted before a configuration leaves the race; None: all are evaluated on all.

    Raises:
        StudyError: an argument breaks its rule.

    Example:
        >>> instances = tp.Instances(["small", "large"], across="worst")
        >>> study = tp.Study(space, [tp.Objective("time")], instances=instances)
        >>> study.optimize(lambda trial: trial["tile"] * (2 if trial.instance == "large" else 1), n_trials=3)
        >>> study.trials[0].outcome.values
        {'time': 16.0}
    """

    instances: Sequence[Instance]
    across: Across = "mean"
    confidence: float | None = 0.95

    def __post_init__(self) -> None:
        object.__setattr__(self, "instances", _distinct(self.instances))
        if not isinstance(self.across, str) or self.across not in get_args(Across):
            raise StudyError(f"across is one of {', '.join(get_args(Across))}, got {self.across!r}")
        confidence = None if self.confidence is None else as_real(self.confidence)
        if self.confidence is not None and (confidence is None or not 0.5 < confidence < 1):
            raise StudyError(f"0.5 < confidence < 1 must hold, or None, got {self.confidence!r}")

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def order(self) -> tuple[Instance, ...]:
        """The instances in the order of races: the same for every study and machine, and no order of sizes."""
        return tuple(sorted(self.instances, key=lambda i: hashlib.sha256(json.dumps(i).encode()).hexdigest()))

    def identity(self) -> dict[str, str]:
        """Texts for a study's identity."""
        return {"instances": ", ".join(sorted(json.dumps(i) for i in self.instances)), "across": self.across}

    def judged(self, losses: Sequence[float]) -> float:
        """The one loss that losses on all instances stand for.

        Args:
            losses: one an instance.

        Returns:
            Their mean, the largest, or their geometric mean.

        Raises:
            StudyError: a geometric mean is of losses of several signs.

        Example:
            >>> tp.Instances(["small", "large"], across="geometric mean").judged([1.0, 4.0])
            2.0
        """
        array = np.array(losses, np.float64)
        if self.across == "geometric mean" and not _sign(array):
            raise StudyError(
                f"a geometric mean is of positive values, got one of {float(np.abs(array).min()):g}",
                hint='write across="mean"',
            )
        return _across(array, self.across)

    def predicted(
        self,
        losses: Sequence[float],
        best: Sequence[float],
        others: Sequence[Sequence[float]] = (),
        *,
        end: bool = False,
    ) -> float:
        """Predict the loss by which a challenger will be judged.

        Args:
            losses: of the challenger, on the first instances of the order; at least one.
            best: of the incumbent, on all.
            others: of further configurations, on all.
            end: the end of the prediction that is best for the challenger, at the confidence; else its middle.

        Returns:
            The loss.

        Example:
            >>> tp.Instances(["small", "large", "huge"]).predicted([2.0], [1.0, 5.0, 6.0])
            8.0
        """
        seen, incumbent = np.array(losses, np.float64), np.array(best, np.float64)
        k, n = len(seen), len(incumbent)
        sign = _sign(np.concatenate([seen, incumbent]))
        changes = _changes(seen, incumbent[:k], sign)
        known = [_changes(np.array(other, np.float64), incumbent, sign) for other in others]
        change = float(changes.mean()) - (self._reach(changes, known, n) * (sign or 1) if end else 0.0)
        with np.errstate(over="ignore"):
            rest = incumbent[k:] * np.exp(change) if sign else incumbent[k:] + change
        across = "mean" if self.across == "geometric mean" and not sign else self.across
        return _across(np.concatenate([seen, rest]), across)

    def _reach(self, changes: Losses, others: Sequence[Losses], n: int) -> float:
        """How far the changes of the other instances may lie from the mean of these, at the confidence."""
        from scipy.special import stdtrit  # which the import of a study does without

        k = len(changes)
        known = [float(other.var(ddof=1)) for other in others if len(other) > 1 and np.isfinite(other).all()]
        prior = PRIOR_FREEDOM if known else 0.0
        freedom = prior + k - 1
        if freedom == 0 or self.confidence is None:
            return math.inf
        squares = prior * float(np.mean(known)) if known else 0.0
        squares += float(((changes - changes.mean()) ** 2).sum())
        further = 1 if self.across == "worst" else n - k
        return float(stdtrit(freedom, self.confidence)) * math.sqrt(squares / freedom * (1 / k + 1 / further))


def valid_instances(
    instances: Instances | Sequence[Instance] | None, objectives: Sequence[Objective]
) -> Instances | None:
    """The argument of a study, which has one objective then."""
    if instances is None:
        return None
    if len(objectives) > 1:
        names = ", ".join(objective.name for objective in objectives)
        raise StudyError(f"instances are raced by one objective, and the study has {names}")
    return instances if isinstance(instances, Instances) else Instances(_distinct(instances))


def _distinct(instances: object) -> tuple[Instance, ...]:
    """The instances of the argument; a NumPy number as Python's."""
    if isinstance(instances, (str, bytes, Mapping)) or not isinstance(instances, Iterable):
        raise StudyError(f"instances are a list of texts or numbers, got {instances!r}", hint="write instances=[...]")
    listed = tuple(i if isinstance(i, (str, int)) else as_real(i) for i in instances)
    for i, given in zip(listed, instances):
        if i is None or isinstance(i, bool) or (isinstance(i, float) and not math.isfinite(i)):
            raise StudyError(f"an instance is a text or a finite number, got {given!r}")
    if not listed or len(set(listed)) < len(listed):
        raise StudyError(f"instances are distinct, and at least one, got {list(listed)!r}")
    return tuple(i for i in listed if i is not None)


def _sign(losses: Losses) -> int:
    """1 or -1, the sign of all losses; 0 where they differ or one is 0."""
    return 1 if (losses > 0).all() else -1 if (losses < 0).all() else 0


def _changes(losses: Losses, best: Losses, sign: int) -> Losses:
    """Logarithms of ratios where all have the same sign, else differences."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(losses / best) if sign else losses - best, np.float64)


def _across(losses: Losses, across: Across) -> float:
    """The losses as one. In a geometric mean they have one sign, but may be 0 or infinite."""
    if across == "worst":
        return float(losses.max())
    if across == "geometric mean":
        with np.errstate(divide="ignore"):
            return float(np.sign(losses[0]) * np.exp(np.log(np.abs(losses)).mean()))
    return float(losses.mean())
