"""References and limits of the user, as bounds of the region in which a search looks for the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.strategies.bo.loss_scales import LossScales
from tunepass.study.objective import Objective
from tunepass.surrogates.base import Floats

NEAREST = 0.1  # of the front's range: how far behind its least loss the region ends where no loss reaches the limit


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """Losses (k,), NaN where the user states none."""

    reference: Floats
    limit: Floats

    @classmethod
    def of(cls, objectives: Sequence[Objective], units: Floats) -> Thresholds:
        """Thresholds of the objectives, as losses in `units`."""
        references = [np.nan if o.reference is None else o.loss(o.reference) for o in objectives]
        limits = [np.nan if o.limit is None else o.loss(o.limit) for o in objectives]
        return cls(np.array(references) / units, np.array(limits) / units)

    @property
    def stated(self) -> bool:
        return not (np.isnan(self.reference).all() and np.isnan(self.limit).all())

    def fitted(self, scales: LossScales) -> Thresholds:
        """On the scales that losses are fitted on; what a log scale cannot have is just beyond the losses there."""
        rows = scales.fitted(np.vstack([self.reference, self.limit]))
        reference, limit = np.where(np.isinf(rows), np.where(rows < 0, -NEAREST, 1 + NEAREST), rows)
        return Thresholds(reference, limit)

    def corner(self, reference: Floats, low: Floats, size: Floats) -> Floats:
        """The reference (k,) of a front of that least loss and range: the user's where one is stated, and no worse than
        a limit. Where not even the least loss reaches the limit, just behind the least loss."""
        stated = np.where(np.isnan(self.reference), reference, self.reference)
        reachable = np.where(self.limit > low, self.limit, low + NEAREST * size)
        return np.where(np.isnan(self.limit), stated, np.minimum(stated, reachable))
