"""The region of the expected front of four and more objectives, and the gain that is expected there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tunepass.acquisition.hypervolume import ahead
from tunepass.acquisition.sampled import SampledImprovement
from tunepass.strategies.bo.evolution import front_region
from tunepass.strategies.bo.loss_scales import LossScales
from tunepass.strategies.bo.thresholds import Thresholds
from tunepass.surrogates.base import Floats

LEAST_RANGE = 1e-12  # of the front, in its losses: less is rounding
BEYOND, BEHIND = 0.05, 0.1  # how far the region goes beyond the least losses and behind the largest, in their ranges


@dataclass(frozen=True, slots=True, eq=False)
class LossRegion:
    """From `low` (k,) to `reference` (k,), in plain losses; no loss is below `least` (k,)."""

    low: Floats
    reference: Floats
    least: Floats
    scales: LossScales

    @classmethod
    def of(
        cls, losses: Floats, trade_off: float, least: Floats, scales: LossScales, thresholds: Thresholds
    ) -> LossRegion:
        """Around the front of measured and predicted losses (n, k), within the user's thresholds."""
        low, high = front_region(losses, trade_off)
        size = np.where(high > low, high - low, np.ptp(losses, axis=0))
        size = np.maximum(np.where(size > 0, size, np.maximum(np.abs(high), 1.0)), LEAST_RANGE * np.abs(high))
        reference = thresholds.corner(high + BEHIND * size, low, size)
        return cls(np.minimum(low, reference) - BEYOND * size, reference, least, scales)

    def improvement(
        self, front: Floats, least_gain: float, count: int, deviations: float, rng: np.random.Generator
    ) -> SampledImprovement:
        """Over the front of fitted losses (n, k), better by the share `least_gain` of its range, by `count` points."""
        plain = ahead(self.scales.plain(front), least_gain)
        sampled = SampledImprovement.of(plain, self.low, self.reference, count, rng, self.least)
        return replace(sampled.mapped(self.scales.fitted), deviations=deviations)


@dataclass(frozen=True, slots=True, eq=False)
class FrontBounds:
    """For the models of one kind: what no fitted loss is below (k,), a corner behind the ends of the front that they
    predict (k,), the region of the front, and the user's thresholds on the fitted scales; None where there is none."""

    least: Floats | None = None
    foreseen: Floats | None = None
    thresholds: Thresholds | None = None
    region: LossRegion | None = None
