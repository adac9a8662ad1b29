"""Configurations as rows of numbers for models: the only place that knows both values and rows.

A numeric parameter is one feature in [0, 1], on the log scale if `log`; a categorical one feature a value, 1 for its
value and 0 for the others; a permutation one feature an item, its position scaled to [0, 1]. Derived features follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.space.feasible.group import Columns
from tunepass.space.features.derived import Derived
from tunepass.space.features.scaling import Places
from tunepass.space.parameter import Categorical, Column, Parameter, Permutation
from tunepass.space.prior import Floats
from tunepass.space.space import Space


@dataclass(frozen=True, slots=True)
class Block:
    """The features [start, stop) of one parameter."""

    parameter: Parameter
    start: int
    stop: int


class Encoding:
    """`features`: a name for every feature; `blocks`: which features are whose, in the order of the parameters."""

    def __init__(self, space: Space, derived: Sequence[Derived] = ()):
        blocks: list[Block] = []
        features: list[str] = []
        for p in space.parameters:
            names = _names(p)
            blocks.append(Block(p, len(features), len(features) + len(names)))
            features += names
        self.blocks, self.derived = tuple(blocks), tuple(derived)
        self.features = (*features, *(str(d) for d in self.derived))
        self._places = Places(space.parameters, self.derived)
        starts = [blocks[i].start for i in self._places.numbers]
        self._numbers = np.array([*starts, *range(len(features), len(self.features))], np.int64)

    def encode(self, columns: Columns) -> Floats:
        """Rows (n, features) of the configurations in `columns`."""
        places = self._places.of(columns)
        if len(places) == len(self.features):
            return np.ascontiguousarray(places.T)
        rows = np.empty((places.shape[1], len(self.features)))
        rows[:, self._numbers] = places.T
        for b in self.blocks:
            if isinstance(b.parameter, (Categorical, Permutation)):
                rows[:, b.start : b.stop] = _encoded(b.parameter, columns[b.parameter.name])
        return rows


def positions(column: Column) -> Floats:
    """Where each item stands (n, k), from the items by position."""
    return np.argsort(np.asarray(column, dtype=np.int64), axis=1).astype(np.float64)


def _names(p: Parameter) -> list[str]:
    if isinstance(p, Permutation):
        return [f"pos({p.name}, {item})" for item in p.items]
    if isinstance(p, Categorical):
        return [f"{p.name} == {value!r}" for value in p.domain]
    return [p.name]


def _encoded(p: Categorical | Permutation, column: Column) -> Floats:
    if isinstance(p, Permutation):
        return positions(column) / max(1, len(p.items) - 1)
    return np.equal(p.find(column)[:, None], np.arange(p.size)).astype(np.float64)
