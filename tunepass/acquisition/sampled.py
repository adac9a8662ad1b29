"""Expected hypervolume improvement by sample points of a region: for any number of objectives.

    symbol       shape    meaning
    l, r         (k,)     the region's lower corner and its reference
    u_i          (k,)     sample point; t = (r - u) / (r - l) has the density `CORE` below 1, and beyond a Pareto tail
    w_i                   1 / density of u_i, in volumes of the region
    F            the normal distribution function, approximated by tanh (Page 1977), error below 2e-4

The hypervolume that a vector y adds is the volume of the u in the undominated part of {u : u < r} with y <= u, so under
independent objectives

    EHVI = int_undominated P(y <= u) du ~ prod_j (r_j - l_j) sum_i w_i prod_j F((u_ij - mu_j) / s_j)

over the points that no front member dominates. Boxes grow with the front's size to the power k / 2; this does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunepass.acquisition.base import JointAcquisition
from tunepass.acquisition.directions import even_points
from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats, Posterior

CORE = 0.95  # share of the points, along each objective, that are between l and r
OVERDRAWN = 4  # net points drawn for each point that is kept
CELLS = 200_000  # candidates times points priced at once
LOG_TINIEST = float(np.log(np.finfo(np.float64).smallest_subnormal))
LEAST_GAIN = 1e-30  # of the region's volume: less is rounding of single precision
TINY_DEVIATION = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class SampledImprovement(JointAcquisition):
    """log EHVI by sample points. Where nothing is expected, less than any such, and less the farther the mean less a
    deviation is from being undominated below the reference: candidates far behind the front keep an order.

    Args:
        points: (n, k), undominated.
        weights: (n,).
        log_volume: of the region, whose volume itself may overflow.
        front: (m, k), undominated.
        reference: (k,).
        deviations: what the posteriors' deviations are multiplied by.
    """

    points: Floats
    weights: Floats
    log_volume: float
    front: Floats
    reference: Floats
    deviations: float = 1.0

    @classmethod
    def of(
        cls,
        front: Floats,
        low: Floats,
        reference: Floats,
        count: int,
        rng: np.random.Generator,
        least: Floats | None = None,
    ) -> SampledImprovement:
        """Over `front` (m, k), with at most `count` points of the region from `low` to `reference`, none of them below
        `least`."""
        front = np.asarray(front, np.float64).reshape(-1, len(reference))
        front = front[nondominated(front)]
        inside = front[(front < reference).all(axis=1)]
        points, weights = _net(low, reference, count * OVERDRAWN, rng)
        free = np.ones(len(points), np.bool_) if least is None else (points > least).all(axis=1)
        for member in inside:
            free &= (points < member).any(axis=1)
        chosen = np.flatnonzero(free)[:count]
        share = max(len(chosen), 1) / max(1, int(free.sum()))  # points that are left out weigh as those that are kept
        log_volume = float(np.log(reference - low).sum())
        return cls(points[chosen], weights[chosen] / share, log_volume, front, np.asarray(reference, np.float64))

    def mapped(self, scale: Callable[[Floats], Floats]) -> SampledImprovement:
        """The same on other scales of the objectives: `scale` takes rows (n, k) to rows, each column in order."""
        return replace(
            self,
            points=scale(self.points),
            front=scale(self.front),
            reference=scale(self.reference[None])[0],
        )

    def utility(self, posteriors: Sequence[Posterior]) -> Floats:
        if len(posteriors) != len(self.reference):
            raise ValueError(f"{len(self.reference)} objectives need as many posteriors, got {len(posteriors)}")
        mean = np.column_stack([p.mean for p in posteriors])  # (m, k)
        deviation = np.column_stack([p.deviation for p in posteriors]) * self.deviations
        deviation = np.maximum(deviation, TINY_DEVIATION)
        value = np.full(len(mean), -np.inf)
        step = max(1, CELLS // max(1, len(self.points)))
        for start in range(0, len(mean), step):
            block = slice(start, start + step)
            gain = self._gain(mean[block], deviation[block])
            with np.errstate(divide="ignore"):
                value[block] = np.log(np.where(gain > LEAST_GAIN, gain, 0.0)) + self.log_volume
        lost = value == -np.inf
        if lost.any():
            value[lost] = LOG_TINIEST - self._behind(mean[lost] - deviation[lost])
        return value

    def _gain(self, mean: Floats, deviation: Floats) -> Floats:
        """EHVI (m,) in volumes of the region, in single precision up to the sum."""
        points, place, precision = (a.astype(np.float32) for a in (self.points.T, mean.T, 1 / deviation.T))
        chance = np.ones((1, 1), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for u, mu, inverse in zip(points, place, precision):
                chance = chance * _normal_cdf((u - mu[:, None]) * inverse[:, None])  # (m, n)
        return np.asarray(chance @ self.weights)

    def _behind(self, losses: Floats) -> Floats:
        """By how much all losses (m, k) would have to fall to be undominated below the reference (m,), 0 or more."""
        behind = np.maximum((losses - self.reference).max(axis=1), 0.0)
        for member in self.front:
            behind = np.maximum(behind, (losses - member).min(axis=1))
        return np.asarray(behind)


def _normal_cdf(z: np.ndarray) -> np.ndarray:
    factor = z * z
    factor *= np.float32(0.044715 * math.sqrt(2 / math.pi))
    factor += np.float32(math.sqrt(2 / math.pi))
    factor *= z
    np.tanh(factor, out=factor)
    factor += np.float32(1)
    factor *= np.float32(0.5)
    return np.asarray(factor)


def _net(low: Floats, reference: Floats, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Points (count, k) below `reference`, most of them above `low`, and 1 / (count times their density) in volumes
    of the region."""
    unit = even_points(len(reference), count, rng.random(len(reference)))
    tail = np.maximum(unit - CORE, 0.0)
    below = (1 - CORE) / (1 - CORE - tail)  # t beyond 1
    distance = np.where(unit < CORE, unit / CORE, below)
    density = np.where(unit < CORE, CORE, (1 - CORE) / below**2)
    return reference - distance * (reference - low), np.prod(1 / density, axis=1) / count
