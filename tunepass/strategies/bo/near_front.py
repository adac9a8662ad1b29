"""Which trials a process of several objectives rests on, where there are too many for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats


def near_front(losses: Floats, limit: int) -> NDArray[np.int64] | None:
    """Indices (sorted) of `limit` rows: half of them those nearest to being undominated, by how far all objectives
    would have to fall, then the latest. None if there are at most `limit` rows."""
    if len(losses) <= limit:
        return None
    front = losses[nondominated(losses)]
    behind = np.max([np.min(losses - member, axis=1) for member in front], axis=0)
    near = np.argsort(behind, kind="stable")[: limit // 2]
    rest = np.setdiff1d(np.arange(len(losses)), near)[-(limit - len(near)) :]
    return np.sort(np.concatenate([near, rest]))
