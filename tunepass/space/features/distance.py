"""How far apart rows of an embedding are, parameter by parameter, natively (BaCO, §3.2 and §4.1).

Numeric parameters and permutations lie in [0, 1], differing categories are 1 apart; see `space.embedding`.
"""

from __future__ import annotations

import numpy as np

from tunepass._native import ffi, lib
from tunepass.space.features.embedding import Embedding
from tunepass.space.prior import Floats


def squared_distances(embedding: Embedding, x: Floats, z: Floats) -> Floats:
    """Squared distance of each group of features (p, n, m) between rows x (n, features) and z (m, features)."""
    x, z = np.ascontiguousarray(x, dtype=np.float64), np.ascontiguousarray(z, dtype=np.float64)
    features = len(embedding.group)
    if x.shape[1:] != (features,) or z.shape[1:] != (features,):
        raise ValueError(f"rows have {features} features, got {x.shape=}, {z.shape=}")
    group, nominal = embedding.group.astype(np.int32), embedding.nominal.astype(np.uint8)
    groups = int(embedding.group.max()) + 1
    out = np.empty((groups, len(x), len(z)))
    lib.tp_gp_distances(
        ffi.cast("double *", x.ctypes.data),
        len(x),
        ffi.cast("double *", z.ctypes.data),
        len(z),
        features,
        ffi.cast("int32_t *", group.ctypes.data),
        ffi.cast("uint8_t *", nominal.ctypes.data),
        groups,
        ffi.cast("double *", out.ctypes.data),
    )
    return out
