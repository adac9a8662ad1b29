"""How far a prior mean can be trusted: the rank correlation of what it says and what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Trust:
    """`rank_correlation` (Spearman, -1 to 1) of the prior mean and what was measured, over `trials` measured ones;
    `weight` (0 to 1) is how much of the strategy's prediction rests on the prior now, None where it uses none. `shares`
    are the weights of the sources that a prior mean of several has."""

    rank_correlation: float
    weight: float | None
    trials: int
    shares: tuple[float, ...] = ()


def rank_correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's, ties sharing their mean rank; 0 where either is constant."""
    x, y = _ranks(np.asarray(a, np.float64)), _ranks(np.asarray(b, np.float64))
    if len(x) < 2:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    norm = math.sqrt(float((x * x).sum() * (y * y).sum()))
    return float((x * y).sum()) / norm if norm > 0 else 0.0


def _ranks(a: NDArray[np.float64]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(a, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse.ravel()], np.float64)
