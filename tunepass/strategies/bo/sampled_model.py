"""The sampled deep Gaussian process as a model of the Bayesian loop, of one objective or of all.

Its rows are embedded, as those of the full process: categories and orders have their own distances in the first layer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tunepass.space.columns import Columns
from tunepass.space.features.embedding import Embedding
from tunepass.strategies.bo.deep_model import WarmStarts
from tunepass.strategies.bo.objective_models import JointModels
from tunepass.strategies.bo.surrogate_models import SurrogateModel
from tunepass.surrogates.base import Floats, JointSurrogate, Surrogate
from tunepass.surrogates.kernels import Features
from tunepass.surrogates.sampled_deep_gp import SampledDeepProcess
from tunepass.surrogates.sampled_training import SampledSettings


@dataclass(frozen=True, slots=True)
class EmbeddedRows:
    """The rows of an embedding, in place of encoded ones."""

    embedding: Embedding

    def encode(self, columns: Columns) -> Floats:
        return self.embedding.rows(columns)


def process_factory(embedding: Embedding, settings: SampledSettings) -> Callable[[], SampledDeepProcess]:
    """Makes processes of embedded rows."""
    features = Features.of(embedding.group, embedding.nominal)
    return lambda: SampledDeepProcess(features, settings)


class SampledModel(SurrogateModel):
    """Sampled deep processes of one loss, trained as WarmStarts says."""

    def __init__(self, embedding: Embedding, settings: SampledSettings):
        make = process_factory(embedding, settings)
        super().__init__(EmbeddedRows(embedding), make)
        self.settings, self._processes = settings, WarmStarts(make)

    def _fitted(self, x: Floats, loss: Floats) -> Surrogate:
        return self._processes.trained(x, loss[:, None])


class SampledModels(JointModels):
    """One sampled deep process of all losses, trained as WarmStarts says."""

    def __init__(self, embedding: Embedding, settings: SampledSettings):
        make = process_factory(embedding, settings)
        super().__init__(EmbeddedRows(embedding), make)
        self.settings, self._processes = settings, WarmStarts(make)

    def _fitted(self, x: Floats, losses: Floats) -> JointSurrogate:
        return self._processes.trained(x, losses)
