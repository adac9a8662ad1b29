"""The numbers that a generated harness draws, drawn again with NumPy (tp_random of frontends/c/harness/runtime.h).

z = splitmix64(seed, array, index)     the same in every process
u = (z >> 11) / 2^53                   in [0, 1)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunepass.evaluators.measure.tolerance import Array

SEED, ARRAY, INDEX = 0xD1342543DE82EF95, 0xDA942042E4DD58B5, 0x9E3779B97F4A7C15
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def drawn(seed: int, array: int, count: int, dtype: np.dtype[np.generic], lo: float, hi: float) -> Array:
    """The elements (count,) of array number `array` of the harness, uniform in [lo, hi]."""
    bits = _random_bits(seed, array, count)
    if dtype.kind != "f":
        return (int(lo) + (bits % np.uint64(hi - lo + 1)).astype(np.int64)).astype(dtype)
    unit = (bits >> np.uint64(11)).astype(np.float64) * (1.0 / 9007199254740992.0)
    return (lo + (hi - lo) * unit).astype(dtype)


def _random_bits(seed: int, array: int, count: int) -> NDArray[np.uint64]:
    start = (seed * SEED + array * ARRAY) % 2**64
    with np.errstate(over="ignore"):
        z = np.uint64(start) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(INDEX)
        z = (z ^ (z >> np.uint64(30))) * FIRST
        z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))
