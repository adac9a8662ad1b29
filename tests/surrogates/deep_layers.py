"""Layers with random parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_layer import Layer


def random_layers(widths: Sequence[int], inducing: int = 4, seed: int = 0) -> list[Layer]:
    """Layers of `widths`, the first being the inputs'."""
    rng = np.random.default_rng(seed)

    def layer(inputs: int, nodes: int) -> Layer:
        scales, amplitude, noise = rng.normal(0, 0.3, inputs), rng.normal(0, 0.3, 1), rng.normal(-2, 0.3, nodes)
        factor = np.triu(rng.normal(0, 0.4, (nodes, inducing, inducing)))
        return Layer(
            scales, amplitude, noise, rng.normal(size=(inducing, inputs)), factor, rng.normal(size=(nodes, inducing))
        )

    return [layer(inputs, nodes) for inputs, nodes in pairwise(widths)]


def random_rows(inputs: int, outputs: int, n: int = 9, seed: int = 1) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, inputs)), rng.normal(size=(n, outputs))


def reordered(layer: Layer, order: NDArray[np.int64]) -> Layer:
    """With the inducing inputs in another order, each node's T1 and t likewise."""
    factors = []
    for node in range(layer.nodes):
        precision = layer.precision_root(node).T @ layer.precision_root(node)
        upper = np.linalg.cholesky(precision[np.ix_(order, order)]).T
        factors.append(np.triu(upper, 1) + np.diag(np.log(np.diagonal(upper))))
    return replace(layer, z=layer.z[order], factor=np.stack(factors), shift=layer.shift[:, order])


def selected(layer: Layer, nodes: Sequence[int]) -> Layer:
    """With those nodes, in that order."""
    index = list(nodes)
    return replace(layer, noise=layer.noise[index], factor=layer.factor[index], shift=layer.shift[index])
