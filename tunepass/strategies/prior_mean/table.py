"""Observed values by features, and what they say about configurations that were not observed.

    symbol      shape    meaning
    rows        (n, f)   distinct rows of features of the shared parameters
    means       (n,)     mean observed value of each row, on the log scale if all values are positive

Features are the parameters' unscaled ones: an earlier study's ranges and categories were its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tunepass.space.columns import Columns
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter
from tunepass.surrogates.base import Floats
from tunepass.surrogates.forest import ForestSettings, Trees, grow

FIT_ROWS = 5000  # rows that the forest learns, at most
FEW = 8  # fewer rows than these are interpolated by distance, not by a forest


class ObservedTable:
    """`ObservedTable(shared, configurations, observed).values(columns)`."""

    def __init__(self, shared: Sequence[Parameter], configurations: Sequence[Mapping[str, Value]], observed: Floats):
        self.shared = shared
        self.positive = bool((observed > 0).all())
        filled = [[c.get(p.name, p.default) for c in configurations] for p in shared]  # as columns have inactive ones
        rows = np.column_stack([p.unscaled_values(values) for p, values in zip(shared, filled)])
        distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
        scaled = np.log(observed) if self.positive else observed
        means = np.bincount(inverse.ravel(), weights=scaled) / np.bincount(inverse.ravel())
        self.rows, self.means = distinct, means
        self.by_row = {row.tobytes(): float(mean) for row, mean in zip(distinct, means)}
        self._forest: Trees | None = None

    def values(self, columns: Columns) -> Floats:
        """The observed mean (m,) of rows that were observed, and a prediction for the others."""
        rows = np.column_stack([p.unscaled(columns[p.name]) for p in self.shared])
        values = np.array([self.by_row.get(row.tobytes(), np.nan) for row in rows])
        missing = np.isnan(values)
        if missing.any():
            few = len(self.rows) < FEW
            values[missing] = self._interpolated(rows[missing]) if few else self._trees().predict(rows[missing]).mean
        return np.asarray(np.exp(values) if self.positive else values)

    def _interpolated(self, rows: Floats) -> Floats:
        """Means weighted by the inverse square of the distance (Shepard 1968)."""
        ends = zip(*(p.unscaled_ends() for p in self.shared))
        low, high = (self._log_scaled(np.concatenate(features)) for features in ends)
        span = np.where(high > low, high - low, 1.0)
        difference = (self._log_scaled(rows)[:, None] - self._log_scaled(self.rows)) / span  # (m, n, f)
        weight = 1 / np.maximum((difference * difference).sum(axis=2), 1e-12)
        return np.asarray(weight @ self.means / weight.sum(axis=1))

    def _log_scaled(self, rows: Floats) -> Floats:
        """Rows with the logarithm of parameters on a log scale."""
        on_log_scale = np.repeat([p.on_log_scale for p in self.shared], [len(p.feature_names()) for p in self.shared])
        return np.where(on_log_scale, np.log(np.maximum(rows, 1e-300)), rows)

    def _trees(self) -> Trees:
        if self._forest is None:
            keep = np.random.default_rng(0).permutation(len(self.rows))[:FIT_ROWS]
            self._forest = grow(self.rows[keep], self.means[keep], ForestSettings(min_leaf=2))
        return self._forest
