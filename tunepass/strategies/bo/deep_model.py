"""The deep Gaussian process as a model of the Bayesian loop: trained anew at refits, and further in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import numpy as np

from tunepass.space.features.encoding import Encoding
from tunepass.strategies.bo.models import last_refit
from tunepass.strategies.bo.surrogate_models import SurrogateModel
from tunepass.surrogates.base import Floats, Surrogate
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.deep_training import DeepSettings

STARTS = 8  # trained layers that are kept: of all rows, and of each fold of a cross-validation
Layers = TypeVar("Layers")


class Refittable(Protocol[Layers]):
    """A process whose training goes on from the layers of a fit to fewer rows."""

    @property
    def layers(self) -> Layers | None: ...
    def refit(self, x: Floats, losses: Floats, start: Layers | None) -> None: ...


Process = TypeVar("Process", bound=Refittable)  # type: ignore[type-arg]


class WarmStarts(Generic[Process]):
    """Processes of rows and losses. Of n rows, those of the last refit are trained on from the start and all n from
    there, so that parameters never depend on the path taken."""

    def __init__(self, make: Callable[[], Process]):
        self.make = make
        self._starts: dict[bytes, object] = {}

    def trained(self, x: Floats, losses: Floats) -> Process:
        """A new process of rows (n, f) and their losses."""
        x, losses = np.ascontiguousarray(x), np.ascontiguousarray(losses)
        process, n = self.make(), last_refit(len(losses))
        key = x[:n].tobytes() + losses[:n].tobytes()
        if key not in self._starts or n == len(losses):
            process.refit(x[:n], losses[:n], None)
            self._starts = {**dict(list(self._starts.items())[1 - STARTS :]), key: process.layers}
        if n < len(losses):
            process.refit(x, losses, self._starts[key])
        return process


class DeepModel(SurrogateModel):
    """Deep processes of losses, trained as WarmStarts says. Rows are encoded: the closed forms are of numbers,
    categories are indicators."""

    def __init__(self, encoding: Encoding, settings: DeepSettings):
        super().__init__(encoding, lambda: DeepProcess(settings))
        self.settings, self._processes = settings, WarmStarts(lambda: DeepProcess(settings))

    def _fitted(self, x: Floats, loss: Floats) -> Surrogate:
        return self._processes.trained(x, loss)
