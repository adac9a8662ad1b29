"""How far a prior mean can be trusted: the rank correlation of what it says and what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Trust:
    """How well a prior mean agrees with the trials.

    Args:
        rank_correlation: Spearman's, -1 to 1, of the prior mean and the measured values.
        weight: the share of the strategy's prediction that rests on the prior mean now, 0 to 1; None without one.
        trials: the number of measured trials.
        shares: the weights of the sources of a SeveralPriorMeans.

    Example:
        >>> study = tp.Study(space, [tp.Objective("time")], prior_mean=tp.PriorMean.from_expression("64 / tile"))
        >>> study.trust.trials
        0
    """

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
