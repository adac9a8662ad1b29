"""An acquisition under hidden constraints: log utility + log P(feasible), above a random limit (BaCO, §4.2)."""

from __future__ import annotations

import numpy as np

from tunepass.surrogates.base import Floats


def feasible_utility(log_utility: Floats, probability: Floats, limit: float) -> Floats:
    """log(utility * P(feasible)) where P >= `limit`; below it, -inf unless that leaves nothing.

    When every candidate is below the limit, the probability alone decides: the search must find any feasible point.
    """
    likely = probability >= limit
    log_p = np.log(np.maximum(probability, 1e-300))
    return np.where(likely, log_utility + log_p, -np.inf) if likely.any() else log_p


def draw_limit(rng: np.random.Generator, high: float) -> float:
    """ε_f: 0 with probability 1/10 (so that nothing is cut off for ever), else uniform in (0, `high`)."""
    return 0.0 if rng.random() < 0.1 else float(rng.uniform(0, high))
