"""Configurations as rows of numbers for models: the only place that knows both values and rows.

A numeric parameter is one feature in [0, 1], on the log scale if `log`; a categorical one feature a value, 1 for its
value and 0 for the others; a permutation one feature an item, its position scaled to [0, 1]. All features of an
inactive parameter are INACTIVE, a value of its own to a tree. Derived features follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.space.columns import Columns
from tunepass.space.features.derived import Derived
from tunepass.space.features.flags import Flags
from tunepass.space.features.scaling import Scaling
from tunepass.space.parameter import Parameter
from tunepass.space.prior import Floats
from tunepass.space.space import Space

INACTIVE = -0.5  # outside the range of every feature


@dataclass(frozen=True, slots=True)
class FeatureBlock:
    """The features [start, stop) of one parameter."""

    parameter: Parameter
    start: int
    stop: int


class Encoding:
    """`features`: a name for every feature; `blocks`: which features are whose, in the order of the parameters."""

    def __init__(self, space: Space, derived: Sequence[Derived] = ()):
        blocks: list[FeatureBlock] = []
        features: list[str] = []
        for p in space.parameters:
            names = p.feature_names()
            blocks.append(FeatureBlock(p, len(features), len(features) + len(names)))
            features += names
        self.blocks, self.derived = tuple(blocks), tuple(derived)
        self.features = (*features, *(str(d) for d in self.derived))
        self._scaling = Scaling(space.parameters, self.derived)
        starts = [blocks[i].start for i in self._scaling.numeric]
        self._flags = Flags(space.parameters)
        self._off = np.array([blocks[i].start for i in self._flags.numbers], np.int64)
        known = {*self._scaling.numeric, *self._flags.numbers}
        self._others = [b for i, b in enumerate(blocks) if i not in known]
        self._scaled = np.array([*starts, *range(len(features), len(self.features))], np.int64)
        self._activity = space.activity
        self._conditional = [b for b in blocks if b.parameter.when is not None]

    def encode(self, columns: Columns) -> Floats:
        """Rows (n, features) of the configurations in `columns`."""
        scaled = self._scaling.rows(columns)
        if len(self._scaled) == len(self.features) and not self._conditional:
            return np.ascontiguousarray(scaled.T)
        rows = np.empty((scaled.shape[1], len(self.features)))
        rows[:, self._scaled] = scaled.T
        if len(self._off):
            second = self._flags.indices(columns)
            rows[:, self._off], rows[:, self._off + 1] = ~second, second
        for block in self._others:
            rows[:, block.start : block.stop] = block.parameter.encode(columns[block.parameter.name])
        masks = self._activity.masks(columns)
        for block in self._conditional:
            rows[~masks[block.parameter.name], block.start : block.stop] = INACTIVE
        return rows
