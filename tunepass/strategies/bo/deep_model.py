"""The deep Gaussian process as a model of the Bayesian loop: trained anew at refits, and further in between."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.space.features.encoding import Encoding
from tunepass.strategies.bo.models import last_refit
from tunepass.strategies.bo.surrogate_models import SurrogateModel
from tunepass.surrogates.base import Floats, Surrogate
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.deep_layer import Layer
from tunepass.surrogates.deep_training import DeepSettings

STARTS = 8  # trained layers that are kept: of all rows, and of each fold of a cross-validation


class DeepModel(SurrogateModel):
    """Deep processes of losses. Of n rows, those of the last refit are trained on from the start and all n from there,
    so that parameters never depend on the path taken. Rows are encoded: the closed forms are of numbers, categories are
    indicators."""

    def __init__(self, encoding: Encoding, settings: DeepSettings):
        super().__init__(encoding, lambda: DeepProcess(settings))
        self.settings = settings
        self._starts: dict[bytes, Sequence[Layer] | None] = {}

    def _fitted(self, x: Floats, loss: Floats) -> Surrogate:
        x, loss = np.ascontiguousarray(x), np.ascontiguousarray(loss)
        process, n = DeepProcess(self.settings), last_refit(len(loss))
        key = x[:n].tobytes() + loss[:n].tobytes()
        if key not in self._starts or n == len(loss):
            process.fit(x[:n], loss[:n])
            self._starts = {**dict(list(self._starts.items())[1 - STARTS :]), key: process.layers}
        if n < len(loss):
            process.refit(x, loss, self._starts[key])
        return process
