"""Features of orders whose distances are those of BaCO, §4.1, for each of its five ways to compare orders."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tunepass.space.columns import Indices
from tunepass.space.prior import Floats

PermutationDistance = Literal["spearman", "kendall", "hamming", "naive", "positions"]
Role = Literal["linear", "log", "flag", "category", "order", "derived"]  # what a lengthscale is of


@dataclass(frozen=True, slots=True)
class FeatureLayout:
    """The embedding of one parameter: `width` features, compared by equality if `nominal`, each with a lengthscale of
    its own if `separate`, else with one for all. `flag`: whatever has two values."""

    role: Role = "linear"
    width: int = 1
    nominal: bool = False
    separate: bool = False


def order_layout(k: int, distance: PermutationDistance) -> FeatureLayout:
    """How orders of `k` items are embedded."""
    width = {"naive": 1, "kendall": k * (k - 1) // 2}.get(distance, k)
    return FeatureLayout("order", width, nominal=distance in ("hamming", "naive"), separate=distance == "positions")


def order_features(items: Indices, distance: PermutationDistance) -> Floats:
    """Features (n, width) of orders (n, k) of items, for every distance but `naive`."""
    k = items.shape[1]
    if distance == "hamming":
        return items.astype(np.float64)  # k changed positions at most; the count itself is the distance
    position = np.argsort(items, axis=1)
    if distance == "positions":
        return np.asarray(position / max(1, k - 1), dtype=np.float64)
    if distance == "spearman":
        largest = k * (k * k - 1) / 3  # sum of squared moves of a reversal
        return np.asarray(position / math.sqrt(max(largest, 1.0)))
    before = [position[:, a] < position[:, b] for a, b in itertools.combinations(range(k), 2)]
    return np.column_stack(before).astype(np.float64) / math.sqrt(max(k * (k - 1) / 2, 1))
