"""How many of a space's good configurations a search has found (HiPerBOt, §IV-B); losses, so smaller is better."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def recall(found: ArrayLike, every: ArrayLike, *, percentile: float) -> float:
    """Share of the best `percentile` per cent of `every` loss that is among the `found` ones (Eq. 11)."""
    if not 0 < percentile <= 100:
        raise ValueError(f"a percentile is above 0 and at most 100, got {percentile}")
    losses = _finite(every)
    return _share(found, losses, float(np.sort(losses)[max(0, int(np.ceil(len(losses) * percentile / 100)) - 1)]))


def recall_within(found: ArrayLike, every: ArrayLike, *, tolerance: float) -> float:
    """Share of the losses within `tolerance` (0.05: 5%) of the best that is among the `found` ones (Eq. 12).

    The tolerance is a share of the best's magnitude, which for the positive losses of the paper is the same.
    """
    if tolerance < 0:
        raise ValueError(f"a tolerance is at least 0, got {tolerance}")
    losses = _finite(every)
    best = float(losses.min())
    return _share(found, losses, best + tolerance * abs(best))


def _finite(every: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    losses = np.asarray(every, dtype=np.float64)
    losses = losses[np.isfinite(losses)]
    if not len(losses):
        raise ValueError("recall needs at least one finite loss of the whole space")
    return losses


def _share(found: ArrayLike, every: ArrayLike, threshold: float) -> float:
    good = int((np.asarray(every) <= threshold).sum())
    return int((np.asarray(found, dtype=np.float64) <= threshold).sum()) / good
