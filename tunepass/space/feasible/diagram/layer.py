"""One layer of a diagram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.space.columns import Indices

Nodes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Layer:
    """Arcs of one layer: `start` (nodes + 1,), `value` and `child` (arcs,), values out of `width`."""

    start: Indices
    value: Nodes
    child: Nodes
    width: int

    @property
    def sources(self) -> Indices:
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
