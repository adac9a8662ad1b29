"""Capabilities of strategies and prior means besides their roles. Callers ask with `tunepass.capabilities`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.numpy_eval import Columns
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.results.recommendation import Beliefs
from tunepass.study.trial import Trial

# -- of strategies


@runtime_checkable
class ReportsPriorWeight(Protocol):
    """A strategy that says how much it relies on the prior mean.

    Example:
        >>> tp.capability(tp.Bayesian(task), extension.ReportsPriorWeight).prior_weight is None
        True
    """

    @property
    def prior_weight(self) -> float | None:
        """The share of the prediction that rests on the prior mean, 0 to 1; None without one."""


@runtime_checkable
class ReportsFeasibleRecall(Protocol):
    """A strategy that says how many of the feasible trials it would have predicted to be feasible.

    Example:
        >>> tp.capability(tp.Bayesian(task), extension.ReportsFeasibleRecall).feasible_recall is None
        True
    """

    @property
    def feasible_recall(self) -> float | None:
        """The share of them; None while nothing failed."""


@runtime_checkable
class Revises(Protocol):
    """A strategy that takes in a trial that was measured again; another one is made anew from all trials.

    Example:
        >>> strategy = tp.Bayesian(task)
        >>> strategy.observe(tp.Trial(0, space.default, tp.Measured({"time": 3.0})))
        >>> trial = tp.Trial(0, space.default, tp.Measured({"time": 2.0}))
        >>> tp.capability(strategy, extension.Revises).revise(trial)
    """

    def revise(self, trial: Trial, /) -> None:
        """Learn the new outcome of a trial that was observed."""


@runtime_checkable
class Believes(Protocol):
    """A strategy that estimates the true losses of the measured trials of one objective.

    Example:
        >>> tp.capability(tp.Bayesian(task), extension.Believes).beliefs() is None
        True
    """

    def beliefs(self) -> Beliefs | None:
        """Beliefs about the trials that it observed, in order; None where no trial says how large the noise is."""


@runtime_checkable
class NotesPending(Protocol):
    """A strategy that takes configurations into account which others evaluate.

    Example:
        >>> strategy = tp.Random(task)
        >>> tp.capability(strategy, extension.NotesPending).note_pending([space.default])
        >>> space.default in strategy.suggest(3)
        False
    """

    def note_pending(self, configurations: Sequence[Configuration], /) -> None:
        """Treat configurations that are under evaluation elsewhere as its own suggestions."""


@runtime_checkable
class RatesParameters(Protocol):
    """A strategy that says how much each parameter decides between good and bad trials.

    Example:
        >>> strategy = tp.DensityRatio(task)
        >>> for number, tile in enumerate([8, 16, 32]):
        ...     configuration = tp.Configuration({"tile": tile, "unroll": 1})
        ...     strategy.observe(tp.Trial(number, configuration, tp.Measured({"time": float(tile)})))
        >>> list(tp.capability(strategy, extension.RatesParameters).importance())
        ['tile', 'unroll']
    """

    def importance(self) -> dict[str, float]:
        """The share by parameter, most first, from 0 to 1."""


STRATEGY_CAPABILITIES: tuple[type, ...] = (
    ReportsPriorWeight,
    ReportsFeasibleRecall,
    Revises,
    Believes,
    NotesPending,
    RatesParameters,
)

# -- of prior means


@runtime_checkable
class HasSources(Protocol):
    """A prior mean of several sources that says how much each of them weighs, as of the last suggestion.

    Example:
        >>> both = tp.SeveralPriorMeans([tp.PriorMean.from_expression(text) for text in ("tile", "64 / tile")])
        >>> tp.capability(both, extension.HasSources).weights.tolist()
        [0.5, 0.5]
    """

    @property
    def weights(self) -> NDArray[np.float64]:
        """(k,), one a source."""


@runtime_checkable
class WeighsSources(Protocol):
    """A prior mean of several sources that weighs them by the measured values.

    Example:
        >>> both = tp.SeveralPriorMeans([tp.PriorMean.from_expression(text) for text in ("tile", "64 / tile")])
        >>> columns = space.columns(list(space.enumerate()))
        >>> tp.capability(both, extension.WeighsSources).weigh(space, columns, columns["tile"].astype(float))
        True
    """

    def weigh(self, space: Space, columns: Columns, values: NDArray[np.float64], /) -> bool:
        """Take in `values` (n,) of the objective at `columns`; whether the weights changed."""


@runtime_checkable
class Renews(Protocol):
    """A prior mean that learns while a search goes on. Between two calls of `renew` it is one function.

    Example:
        >>> class Learning(tp.PriorMean):
        ...     def values(self, space, columns):
        ...         return columns["tile"].astype(float)
        ...     def renew(self):
        ...         return False
        >>> tp.capability(Learning(), extension.Renews).renew()
        False
    """

    def renew(self) -> bool:
        """Take in what became known since; whether its values may be others now."""


@runtime_checkable
class KnowsConfigurations(Protocol):
    """A prior mean that was made from configurations.

    Example:
        >>> earlier = tp.PriorMean.from_observations([{"tile": 4, "unroll": 1}, {"tile": 8, "unroll": 2}], [3.0, 2.0])
        >>> tp.capability(earlier, extension.KnowsConfigurations).known(space, 1, largest=False)
        [Configuration(tile=8, unroll=2)]
    """

    def known(self, space: Space, most: int, /, *, largest: bool) -> list[Configuration]:
        """At most `most` of them that are in `space`, of small (large) values first."""


PRIOR_MEAN_CAPABILITIES: tuple[type, ...] = (HasSources, WeighsSources, Renews, KnowsConfigurations)
