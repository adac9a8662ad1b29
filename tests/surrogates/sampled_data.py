"""Data of numbers, a category and an order for sampled deep processes, and layers away from any optimum."""

from __future__ import annotations

import itertools

import numpy as np

from tunepass.space.columns import Columns
from tunepass.space.features.embedding import Embedding
from tunepass.space.parameter import Categorical, Permutation, Real
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats, Mask
from tunepass.surrogates.deep_layer import flattened, unflattened
from tunepass.surrogates.inducing import Expansion
from tunepass.surrogates.kernels import Features
from tunepass.surrogates.sampled_layer import SampledLayer
from tunepass.surrogates.sampled_training import (
    SampledBound,
    SampledSettings,
    initial_sampled_layers,
    sparse_theta,
)

SPACE = Space([Real("ratio", 0.0, 1.0), Categorical("policy", ["a", "b", "c"]), Permutation("order", 4)])
EMBEDDING = Embedding(SPACE.parameters)
FEATURES = Features.of(EMBEDDING.group, EMBEDDING.nominal)


def ordered_losses(columns: Columns) -> Floats:
    """Inversions of the order, weighed by the category, and a wave of the number (n,)."""
    position = np.argsort(columns["order"], axis=1)
    inversions = sum(
        (position[:, a] > position[:, b]).astype(np.float64) for a, b in itertools.combinations(range(4), 2)
    )
    weight = np.array([1.0, 0.3, -0.5])[columns["policy"].astype(np.int64)]
    return np.asarray(weight * inversions + np.sin(4 * columns["ratio"]))


def mixed_rows(n: int, seed: int = 0) -> tuple[Floats, Floats, Mask]:
    """Rows of SPACE, two standardised losses and which of them are observed."""
    rng = np.random.default_rng(seed)
    columns = SPACE.sample_columns(n, rng)
    y = np.column_stack([ordered_losses(columns), columns["ratio"] ** 2])
    return EMBEDDING.rows(columns), (y - y.mean(axis=0)) / y.std(axis=0), rng.random(y.shape) > 0.2


def shifted_layers(
    x: Floats, y: Floats, observed: Mask, settings: SampledSettings, shift: float = 0.1
) -> tuple[SampledBound, list[SampledLayer]]:
    """The bound of mixed rows, and layers that differ from those that training begins with by `shift` draws."""
    expansion = Expansion.of(x, FEATURES)
    rows, theta = expansion.rows(x), sparse_theta(x, y, observed, FEATURES, settings)
    layers = initial_sampled_layers(rows, expansion.group, y, observed, theta, settings)
    flat = flattened(layers)
    moved = flat + shift * np.random.default_rng(1).normal(size=len(flat))
    return SampledBound(rows, y, observed), unflattened(moved, layers)
