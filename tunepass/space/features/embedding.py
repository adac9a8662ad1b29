"""Rows in which per-parameter distances are plain: what the Gaussian process compares (BaCO, §4.1).

    kind                     columns of a row                       squared distance of two values
    Real, Integer, Ordinal   place in [0, 1] (log scale if `log`)   squared difference
    Categorical              code, nominal                          1 if different (Hamming)
    Permutation, spearman    position of each item                  sum of squared moves
                 kendall     one sign per pair of items             number of discordant pairs
                 hamming     item at each position, nominal         number of changed positions
                 naive       rank, nominal                          1 if different
                 positions   position of each item                  an item's squared move, each with its lengthscale
    Derived                  one feature, in [0, 1]                 squared difference

With `positions` every item is a parameter of its own: how early one loop stands may matter and the others not.
Spearman and Kendall are divided by their largest value, so that one lengthscale prior suits every parameter.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tunepass.space.columns import Columns
from tunepass.space.features.derived import Derived
from tunepass.space.features.scaling import Places
from tunepass.space.parameter import Categorical, Parameter, Permutation

Floats = NDArray[np.float64]
PermutationDistance = Literal["spearman", "kendall", "hamming", "naive", "positions"]


class Embedding:
    """`rows(columns)` (n, f); feature c has the lengthscale `group[c]` and is compared by equality if `nominal[c]`.

    Without `log` every number is on its plain scale.
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        *,
        permutation: PermutationDistance = "spearman",
        log: bool = True,
        derived: Sequence[Derived] = (),
    ):
        self.parameters, self.permutation, self.log = tuple(parameters), permutation, log
        self.derived = tuple(derived)
        widths = [self._width(parameter) for parameter in self.parameters]
        nominal = [self._is_nominal(parameter) for parameter in self.parameters]
        shared = [1 if self._apart(parameter) else width for parameter, width in zip(self.parameters, widths)]
        sizes = [size for size, width in zip(shared, widths) for _ in range(width // size)] + [1] * len(self.derived)
        self.group: NDArray[np.int64] = np.repeat(np.arange(len(sizes)), sizes)
        self.nominal: NDArray[np.bool_] = np.append(np.repeat(nominal, widths), np.zeros(len(self.derived), np.bool_))
        self._places = Places(self.parameters, self.derived, log=log)
        stops = np.cumsum(widths)
        self._others = [
            (p, int(stop) - width, int(stop))
            for p, width, stop in zip(self.parameters, widths, stops)
            if isinstance(p, (Categorical, Permutation))
        ]
        self._numbers = np.append(stops[self._places.numbers] - 1, np.arange(stops[-1], len(self.nominal)))

    def rows(self, columns: Columns) -> Floats:
        places = self._places.of(columns)
        if not self._others:
            return np.ascontiguousarray(places.T)
        rows = np.empty((places.shape[1], len(self.nominal)))
        rows[:, self._numbers] = places.T
        for p, start, stop in self._others:
            rows[:, start:stop] = self._features(p, columns[p.name])
        return rows

    def _width(self, parameter: Parameter) -> int:
        if not isinstance(parameter, Permutation) or self.permutation == "naive":
            return 1
        k = len(parameter.items)
        return k * (k - 1) // 2 if self.permutation == "kendall" else k

    def _is_nominal(self, parameter: Parameter) -> bool:
        if isinstance(parameter, Permutation):
            return self.permutation in ("hamming", "naive")
        return isinstance(parameter, Categorical)

    def _apart(self, parameter: Parameter) -> bool:
        return isinstance(parameter, Permutation) and self.permutation == "positions"

    def _features(self, parameter: Categorical | Permutation, column: NDArray[np.generic]) -> Floats:
        if isinstance(parameter, Permutation):
            return self._permutation(parameter, column.astype(np.int64))
        return parameter.find(column).astype(np.float64)[:, None]

    def _permutation(self, parameter: Permutation, items: NDArray[np.int64]) -> Floats:
        k = items.shape[1]
        if self.permutation == "naive":
            return parameter.find(items).astype(np.float64)[:, None]
        if self.permutation == "hamming":
            return items.astype(np.float64)  # k changed positions at most; the count itself is the distance
        position = np.argsort(items, axis=1)
        if self.permutation == "positions":
            return np.asarray(position / max(1, k - 1), dtype=np.float64)
        if self.permutation == "spearman":
            largest = k * (k * k - 1) / 3  # sum of squared moves of a reversal
            return np.asarray(position / math.sqrt(max(largest, 1.0)))
        before = [position[:, a] < position[:, b] for a, b in itertools.combinations(range(k), 2)]
        return np.column_stack(before).astype(np.float64) / math.sqrt(max(k * (k - 1) / 2, 1))
