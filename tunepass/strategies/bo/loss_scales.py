"""The scales that several objectives are fitted on: each on its log scale or as it is, then to [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.acquisition.scalarise import Scale
from tunepass.strategies.transforms import OutputScale
from tunepass.surrogates.base import Floats


@dataclass(frozen=True, slots=True, eq=False)
class LossScales:
    """`outputs`: one an objective; `unit` scales what they give of the measured losses to [0, 1]."""

    outputs: Sequence[OutputScale]
    unit: Scale

    def fitted(self, losses: Floats) -> Floats:
        """Losses (n, k) as the acquisitions see them."""
        return self.unit.apply(np.column_stack([o.apply(column) for o, column in zip(self.outputs, losses.T)]))

    def plain(self, fitted: Floats) -> Floats:
        """The inverse of `fitted`."""
        columns = (fitted * self.unit.spread + self.unit.low).T
        return np.column_stack([o.invert(column) for o, column in zip(self.outputs, columns)])
