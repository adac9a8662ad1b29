"""Problems of a number, a category and an order, and the models that read them.

tour     a round over five points in an order, each leg's length by one of three ways of measuring it, times 1 + ratio
buffer   a working set by which of two pairs of loops are in order, beyond a capacity of which each access costs more
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tests.benchmarks.accelerator.deep_models import log_density
from tunepass.space.columns import Columns
from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.space.parameter import Categorical, Permutation, Real
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.gp import GaussianProcess
from tunepass.surrogates.kernels import Features
from tunepass.surrogates.sampled_deep_gp import SampledDeepProcess
from tunepass.surrogates.sparse_gp import SparseProcess

ORDER_MODELS = ("gp matern, MAP", "sparse", "deep", "sampled_deep")
POINTS = np.array([[0.1, 0.2], [0.9, 0.3], [0.4, 0.9], [0.6, 0.1], [0.2, 0.6]])
ITEMS, TRAINED, PREDICTED = len(POINTS), 60, 200
SPACE = Space([Real("ratio", 0.0, 1.0), Categorical("way", ["a", "b", "c"]), Permutation("order", ITEMS)])


def tour(columns: Columns) -> Floats:
    visited = POINTS[columns["order"]]
    leg = np.abs(visited - np.roll(visited, 1, axis=1))
    lengths = np.stack([leg.sum(axis=2), np.sqrt((leg**2).sum(axis=2)), leg.max(axis=2)])  # (3, n, ITEMS)
    way = columns["way"].astype(np.int64)
    return np.asarray(lengths[way, np.arange(len(way))].sum(axis=1) * (1 + columns["ratio"]))


def buffer(columns: Columns) -> Floats:
    position = np.argsort(columns["order"], axis=1)
    reused = (position[:, 0] < position[:, 1]) * 4.0 + (position[:, 2] < position[:, 3]) * 2.0
    way = np.array([1.0, 1.5, 2.0])[columns["way"].astype(np.int64)]
    working_set = way * (1 + 3 * columns["ratio"]) * (7 - reused)
    return np.asarray(np.log(way * (7 - reused) + np.where(working_set > 9.0, 20.0, 0.0)))


PROBLEMS: Mapping[str, Callable[[Columns], Floats]] = {"tour": tour, "buffer": buffer}


def order_predictions(problem: str, model: str, seed: int) -> dict[str, float | list[float]]:
    """Log density and RMSE, in deviations, of new configurations, given TRAINED ones."""
    rng = np.random.default_rng([seed, 0x6F7264])
    train, test = SPACE.sample_columns(TRAINED, rng), SPACE.sample_columns(PREDICTED, rng)
    embedding, encoding = Embedding(SPACE.parameters), Encoding(SPACE)
    features = Features.of(embedding.group, embedding.nominal)
    y, truth = PROBLEMS[problem](train), PROBLEMS[problem](test)
    y, truth = (y - y.mean()) / y.std(), (truth - y.mean()) / y.std()
    if model.startswith("gp"):
        process = GaussianProcess(features)
        process.fit(embedding.rows(train), y)
        posterior, noise = process.posterior(embedding.rows(test)), process.fitted.kernel.noise
    else:
        rows = encoding.encode if model == "deep" else embedding.rows
        other = {"sparse": lambda: SparseProcess(features), "deep": DeepProcess}.get(
            model, lambda: SampledDeepProcess(features)
        )()
        other.fit(rows(train), y)
        posterior, noise = other.posterior(rows(test)), float(np.atleast_1d(other.noise)[0])
    density = log_density(posterior.mean[:, None], posterior.variance[:, None] + noise, truth[:, None])
    return {"density": float(density[0]), "rmse": float(np.sqrt(np.mean((posterior.mean - truth) ** 2)))}
