"""How far apart configurations are, parameter by parameter, for models that learn a length for each (BaCO, §3.2, §4.1).

    kind           distance, normalised to [0, 1]
    numeric        |x - x'| on the parameter's scale (log if `log`)
    categorical    1 where values differ (Hamming)
    permutation    spearman: sum over items of (position - position')^2; kendall: pairs in the other order;
                   hamming: positions that hold another item; the first is the default, as in BaCO

BaCO's permutation semimetrics are squared distances of embeddings: positions, pair orders, indicator vectors. `rows`
embeds configurations so that each parameter's squared Euclidean distance is its numeric distance squared, or its
semimetric; kernels over such rows are positive semi-definite.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tunepass._native import ffi, lib
from tunepass.space.encoding import positions
from tunepass.space.group import Columns
from tunepass.space.parameter import Categorical, Column, Parameter, Permutation
from tunepass.space.prior import Floats
from tunepass.space.space import Space

PermutationMetric = Literal["spearman", "kendall", "hamming"]


class Metric:
    """`group` (features,): whose parameter each feature of `rows` is; `nominal` (features,): compared by Hamming."""

    def __init__(self, space: Space, permutation: PermutationMetric = "spearman"):
        self.parameters, self.permutation = space.parameters, permutation
        widths = [self._width(p) for p in self.parameters]
        self.group: NDArray[np.int64] = np.repeat(np.arange(len(widths)), widths)
        self.nominal: NDArray[np.bool_] = np.repeat([isinstance(p, Categorical) for p in self.parameters], widths)

    def _width(self, p: Parameter) -> int:
        if not isinstance(p, Permutation):
            return 1
        k = len(p.items)
        return {"spearman": k, "kendall": max(1, k * (k - 1) // 2), "hamming": k * k}[self.permutation]

    def rows(self, columns: Columns) -> Floats:
        """The embedding (n, features)."""
        return np.concatenate([self._embedded(p, columns[p.name]) for p in self.parameters], axis=1)

    def _embedded(self, p: Parameter, column: Column) -> Floats:
        if isinstance(p, Categorical):
            return p.find(column)[:, None].astype(np.float64)
        if not isinstance(p, Permutation):
            return p.unit(column)[:, None]
        at, k = positions(column), len(p.items)
        if k == 1:
            return np.zeros((len(at), self._width(p)))
        if self.permutation == "spearman":
            return np.asarray(
                at / np.sqrt(k * (k * k - 1) / 3), dtype=np.float64
            )  # the squares of the reversed order's moves add up to this
        if self.permutation == "hamming":
            held = np.equal(np.asarray(column)[:, :, None], np.arange(k))
            return np.asarray(held.reshape(len(at), k * k) / np.sqrt(2.0 * k), dtype=np.float64)
        first, second = np.triu_indices(k, 1)
        return np.asarray((at[:, first] < at[:, second]) / np.sqrt(len(first)), dtype=np.float64)

    def squared(self, x: Floats, z: Floats) -> Floats:
        """Squared distance of each parameter (p, n, m) between rows x (n, features) and z (m, features)."""
        x, z = np.ascontiguousarray(x, dtype=np.float64), np.ascontiguousarray(z, dtype=np.float64)
        if x.shape[1:] != (len(self.group),) or z.shape[1:] != (len(self.group),):
            raise ValueError(f"rows have {len(self.group)} features, got {x.shape=}, {z.shape=}")
        group, nominal = self.group.astype(np.int32), self.nominal.astype(np.uint8)
        out = np.empty((len(self.parameters), len(x), len(z)))
        lib.tp_gp_distances(
            ffi.cast("double *", x.ctypes.data),
            len(x),
            ffi.cast("double *", z.ctypes.data),
            len(z),
            x.shape[1],
            ffi.cast("int32_t *", group.ctypes.data),
            ffi.cast("uint8_t *", nominal.ctypes.data),
            len(self.parameters),
            ffi.cast("double *", out.ctypes.data),
        )
        return out
