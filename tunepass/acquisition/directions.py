"""Evenly spread points and reference directions, of any number of coordinates.

The points are an additive recurrence, x_i = (x_0 + i a) mod 1 with a_j = 1 / phi^j, where phi is the positive root of
phi^(k + 1) = phi + 1 (Roberts 2018, "The unreasonable effectiveness of quasirandom sequences").
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tunepass.surrogates.base import Floats


def even_points(k: int, count: int, start: Floats | float = 0.5) -> Floats:
    """Points (count, k) of the unit cube; `start` (k,) is the first of them."""
    phi = 2.0
    for _ in range(60):
        phi = (1 + phi) ** (1 / (k + 1))
    step = phi ** -np.arange(1.0, k + 1)
    return np.asarray((start + np.arange(count)[:, None] * step) % 1.0)


@lru_cache(maxsize=8)
def even_directions(k: int, count: int) -> Floats:
    """Directions (count, k) of length 1 and positive components, evenly over the sphere: normal quantiles of points."""
    from scipy.special import ndtri

    normal = np.maximum(ndtri(0.5 + even_points(k, count) / 2), 1e-9)
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))
