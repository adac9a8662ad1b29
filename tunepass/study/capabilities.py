"""Capabilities of strategies and prior means besides their roles. Callers ask with `tunepass.capabilities`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.numpy_eval import Columns
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.recommendation import Beliefs
from tunepass.study.trial import Trial

# -- of strategies


@runtime_checkable
class ReportsPriorWeight(Protocol):
    """A strategy that says how much it relies on the prior mean."""

    @property
    def prior_weight(self) -> float | None: ...


@runtime_checkable
class ReportsFeasibleRecall(Protocol):
    """A strategy that says how many of the feasible trials it would have predicted to be feasible."""

    @property
    def feasible_recall(self) -> float | None: ...


@runtime_checkable
class Revises(Protocol):
    """A strategy that takes in a trial that was measured again; another one is made anew from all trials."""

    def revise(self, trial: Trial, /) -> None: ...


@runtime_checkable
class Believes(Protocol):
    """A strategy that says what is to be believed of the measured trials (those it observed, in order) of one
    objective; None where no trial says what the noise is."""

    def beliefs(self) -> Beliefs | None: ...


STRATEGY_CAPABILITIES: tuple[type, ...] = (ReportsPriorWeight, ReportsFeasibleRecall, Revises, Believes)

# -- of prior means


@runtime_checkable
class HasSources(Protocol):
    """A prior mean of several sources that says how much each of them weighs, as of the last suggestion."""

    @property
    def weights(self) -> NDArray[np.float64]: ...


@runtime_checkable
class WeighsSources(Protocol):
    """A prior mean of several sources that weighs them by what was measured."""

    def weigh(self, space: Space, columns: Columns, values: NDArray[np.float64], /) -> bool:
        """Take in `values` (n,) of the objective at `columns`; whether the weights changed."""


@runtime_checkable
class Renews(Protocol):
    """A prior mean that learns while a search goes on. Between two calls of `renew` it is one function."""

    def renew(self) -> bool:
        """Take in what became known since; whether its values may be others now."""


@runtime_checkable
class KnowsConfigurations(Protocol):
    """A prior mean that was made from configurations."""

    def known(self, space: Space, most: int, /, *, largest: bool) -> list[Configuration]:
        """At most `most` of them that are in `space`, of small (large) values first."""


PRIOR_MEAN_CAPABILITIES: tuple[type, ...] = (HasSources, WeighsSources, Renews, KnowsConfigurations)
