"""Expected hypervolume improvement along directions from the reference: for any number of objectives.

    symbol   shape    meaning
    r        (k,)     reference
    d        (l, k)   directions, of length 1, evenly over those with positive components
    reach_i  (m,)     how far along d_i a vector y dominates: min_j (r_j - y_j) / d_ij
    b        (l,)     the front's reach along each direction, at least 0

The volume that vectors dominate below r is, in polar coordinates around r, v_k times the mean over directions of
(largest reach)^k, with v_k the volume of the unit ball's part that is positive (Deng & Zhang 2019; Zhang & Golovin
2020). Under independent objectives P(reach_i > t) = prod_j F_j(r_j - t d_ij), so the gain that is expected is

    EHVI = v_k mean_i  int_{b_i}^inf  k t^(k - 1) prod_j F_j(r_j - t d_ij) dt

a Gauss-Legendre sum for each direction; where all objectives are sure, it is the plain one. Boxes grow with the front's
size to the power k / 2; this does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tunepass.acquisition.base import JointAcquisition
from tunepass.surrogates.base import Floats, Posterior

DIRECTIONS = 128
NODES = 8  # of the sum for one direction
FAR = 5.0  # deviations below the mean beyond which nothing is expected
PAIRS = 60_000  # candidates times directions priced at once
LOG_TINIEST = float(np.log(np.finfo(np.float64).smallest_subnormal))
TINY_DEVIATION = 1e-12
DIRECTIONS_KEY = 0x646972


@dataclass(frozen=True, slots=True, eq=False)
class DirectionalImprovement(JointAcquisition):
    """log EHVI by directions. Where nothing is expected, less than any such, and less the farther the reach is from the
    front's: candidates far behind the front keep an order."""

    reference: Floats
    directions: Floats
    reach: Floats

    @classmethod
    def of(cls, front: Floats, reference: Floats, count: int = DIRECTIONS) -> DirectionalImprovement:
        """Over `front` (n, k) below `reference` (k,)."""
        directions = even_directions(len(reference), count)
        reach = np.zeros(count)
        for start in range(0, len(front), 256):
            block = (reference - front[start : start + 256])[:, None, :] / directions  # (n, l, k)
            reach = np.maximum(reach, block.min(axis=2).max(axis=0))
        return cls(np.asarray(reference, np.float64), directions, reach)

    def utility(self, posteriors: Sequence[Posterior]) -> Floats:
        if len(posteriors) != len(self.reference):
            raise ValueError(f"{len(self.reference)} objectives need as many posteriors, got {len(posteriors)}")
        mean = np.column_stack([p.mean for p in posteriors])  # (m, k)
        deviation = np.maximum(np.column_stack([p.deviation for p in posteriors]), TINY_DEVIATION)
        step = max(1, PAIRS // len(self.directions))
        parts = [
            self._block(mean[start : start + step], deviation[start : start + step])
            for start in range(0, len(mean), step)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def _block(self, mean: Floats, deviation: Floats) -> Floats:
        k, l = len(self.reference), len(self.directions)
        farthest = self._least_reach(mean - FAR * deviation)  # (m, l)
        point, line = np.nonzero(farthest > self.reach)
        gain = np.zeros((len(mean), l))
        gain[point, line] = self._integral(mean[point], deviation[point], line, farthest[point, line])
        total = gain.sum(axis=1) * (unit_volume(k) / l)
        gap = (self.reach - self._least_reach(mean - deviation)).min(axis=1)
        value = LOG_TINIEST - np.maximum(gap, 0.0)
        value[total > 0] = np.log(total[total > 0])
        return np.asarray(value)

    def _least_reach(self, y: Floats) -> Floats:
        """Reach (m, l) of vectors (m, k)."""
        reach = np.full((len(y), len(self.directions)), np.inf)
        for j, r in enumerate(self.reference):
            reach = np.minimum(reach, (r - y[:, j, None]) / self.directions[:, j])
        return reach

    def _integral(self, mean: Floats, deviation: Floats, line: np.ndarray, farthest: Floats) -> Floats:
        """int k t^(k - 1) P(reach > t) dt from b to `farthest` (p,), for p pairs of a candidate and a direction."""
        from scipy.special import ndtr

        k, (nodes, weights) = len(self.reference), _legendre()
        low = self.reach[line]
        half = (farthest - low) / 2
        t = low[:, None] + half[:, None] * (1 + nodes)  # (p, q)
        integrand = k * t ** (k - 1)
        for j, r in enumerate(self.reference):
            place = r - t * self.directions[line, j][:, None] - mean[:, j, None]
            integrand = integrand * ndtr(place / deviation[:, j, None])
        return np.asarray((integrand * weights).sum(axis=1) * half)


def unit_volume(k: int) -> float:
    """Of the unit ball's part with positive coordinates."""
    return math.pow(math.pi, k / 2) / math.gamma(k / 2 + 1) / 2.0**k


@lru_cache(maxsize=8)
def even_directions(k: int, count: int) -> Floats:
    """Directions (count, k) of positive components, evenly over the sphere: normal quantiles of a scrambled net."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    net = qmc.Sobol(k, rng=np.random.default_rng([DIRECTIONS_KEY, k])).random_base2(max(1, math.ceil(math.log2(count))))
    normal = np.maximum(ndtri(0.5 + net[:count] / 2), 1e-9)
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))


@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return np.asarray(nodes), np.asarray(weights)
