"""How far a prior mean, and a model of what fails, can be trusted: measured, trial by trial."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Trust:
    """`rank_correlation` (Spearman, -1 to 1) of the prior mean and what was measured, over `trials` measured ones;
    `weight` (0 to 1) is how much of the strategy's prediction rests on the prior now, None where it uses none."""

    rank_correlation: float
    weight: float | None
    trials: int


@runtime_checkable
class Weighing(Protocol):
    """A strategy that says how much it relies on the prior mean."""

    @property
    def prior_weight(self) -> float | None: ...


@runtime_checkable
class Foreseeing(Protocol):
    """A strategy that says how many of the feasible trials it would have believed feasible."""

    @property
    def feasible_recall(self) -> float | None: ...


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
