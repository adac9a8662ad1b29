"""Surrogates by name or factory, and any of them as a model of the Bayesian loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

import numpy as np

from tunepass import registry
from tunepass.acquisition.base import Acquisition
from tunepass.diagnostics import TunepassError
from tunepass.space.columns import Columns
from tunepass.strategies.bo.models import Model, TrainingSample, held_out_score, last_refit, raised
from tunepass.surrogates.base import Floats, Posterior, Surrogate

SurrogateFactory = Callable[..., Surrogate]  # without arguments
AcquisitionFactory = Callable[[float], Acquisition]  # from the incumbent's loss
MIXED = ("gp", "forest")  # what `mixed` is short for
FOLDS = 5  # of the cross-validation that tells what each row has by the others


def surrogate_factories(surrogate: str | SurrogateFactory) -> tuple[SurrogateFactory, ...]:
    """The surrogates of a name, of a path (`package.module:Class`), or the factory as it is; two for `mixed`."""
    if not isinstance(surrogate, str):
        return (surrogate,)
    names = MIXED if surrogate == "mixed" else (surrogate,)
    return tuple(cast(SurrogateFactory, registry.find("surrogates", name, paths=True)) for name in names)


def acquisition_factory(acquisition: str | AcquisitionFactory) -> AcquisitionFactory:
    """The acquisition of a name or a path, or the factory as it is."""
    if not isinstance(acquisition, str):
        return acquisition
    return cast(AcquisitionFactory, registry.find("acquisitions", acquisition, paths=True))


class RowEncoder(Protocol):
    """Configurations as rows of numbers."""

    def encode(self, columns: Columns) -> Floats: ...


class SurrogateModel(Model):
    """`SurrogateModel(encoding, Toy)`: a new `Toy()` for each fit of encoded rows; its held-out predictions and its
    score are those of a cross-validation."""

    def __init__(self, encoding: RowEncoder, make: SurrogateFactory):
        self.encoding, self.make = encoding, make
        self._surrogate: Surrogate | None = None
        self._x, self._loss = np.zeros((0, 0)), np.zeros(0)
        self._scores: dict[bytes, float] = {}

    def rows(self, columns: Columns) -> Floats:
        return self.encoding.encode(columns)

    def learn(self, sample: TrainingSample) -> None:
        part = sample.conditioning()
        x, loss, fantasies, bounds = part.x, part.loss, part.fantasies, part.bounds
        self._x, self._loss = x, loss
        if bounds is not None and bounds.any():
            loss = raised(loss, bounds, self._cross_validated(x, loss).mean)
        self._surrogate = fitted = self._fitted(x, loss)
        if len(fantasies):
            losses = np.concatenate([loss, fitted.posterior(fantasies).mean])
            self._surrogate = self._fitted(np.vstack([x, fantasies]), losses)

    def posterior(self, x: Floats) -> Posterior:
        assert self._surrogate is not None
        return self._surrogate.posterior(x)

    def left_out(self, x: Floats, loss: Floats) -> Posterior:
        if np.array_equal(self._x, x):
            return self._cross_validated(self._x, self._loss)
        return self.posterior(x)

    def score(self) -> float:
        """As of the last refit, so that it is not computed for every suggestion."""
        if not len(self._loss):
            return -np.inf
        n = last_refit(len(self._loss))
        x, loss = self._x[:n], self._loss[:n]
        if (key := loss.tobytes()) not in self._scores:
            self._scores = {key: held_out_score(self._cross_validated(x, loss), loss)}
        return self._scores[key]

    def _cross_validated(self, x: Floats, loss: Floats) -> Posterior:
        """What each row (n,) has by the rows of the other folds; the squared error of all joins the variance."""
        n = len(loss)
        if n < 2:
            return Posterior(loss.copy(), np.ones(n))
        mean, variance, fold = np.zeros(n), np.zeros(n), np.arange(n) % min(FOLDS, n)
        for number in range(min(FOLDS, n)):
            left = fold == number
            posterior = self._fitted(x[~left], loss[~left]).posterior(x[left])
            mean[left], variance[left] = posterior.mean, posterior.variance
        return Posterior(mean, variance + ((mean - loss) ** 2).mean())

    def _fitted(self, x: Floats, loss: Floats) -> Surrogate:
        surrogate = self.make()
        if not isinstance(surrogate, Surrogate):
            raise TunepassError(f"a factory of surrogates makes a Surrogate, got {type(surrogate).__name__}")
        surrogate.fit(np.ascontiguousarray(x), np.ascontiguousarray(loss))
        return surrogate
