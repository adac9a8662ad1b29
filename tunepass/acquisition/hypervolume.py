"""Acquisitions for two or three objectives by the hypervolume they would add; losses, so smaller is better.

symbol     shape      meaning
mu_j, s_j  (m,)       posterior mean and deviation of objective j
psi_j(t)   E[(t - y_j)+] = s_j h((t - mu_j) / s_j), h as in expected improvement
EHVI       sum over undominated boxes of prod_j [psi_j(upper_j) - psi_j(lower_j)]    (Yang et al. 2019, Eq. 16)
y_pot      mu - alpha s, the optimistic losses of SMSego                             (Ponweiser et al. 2008)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.acquisition.base import JointAcquisition
from tunepass.acquisition.boxes import Boxes, undominated
from tunepass.acquisition.expected_improvement import HALF_LOG_TAU, TINY_DEVIATION, log_h
from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats, Posterior

COARSE = 32
FAR = 8.0  # deviations beyond which psi is (t - mu)+ to rounding
TINIEST = 1e-250  # an EHVI below it is taken in logarithms
CELLS = 1_000_000  # boxes times candidates priced at once: 8 MB an array
LOG_TINIEST = float(np.log(np.finfo(np.float64).smallest_subnormal))


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedHypervolumeImprovement(JointAcquisition):
    """log EHVI of two or three objectives. `of` makes one over a front.

    Where EHVI itself underflows, it is that of a front thinned to `COARSE` points, computed in logarithms: an upper
    bound, and exact for small fronts, so that candidates far behind the front keep an order at little cost.

    Args:
        boxes: the boxes that no front point dominates.
        coarse: those of the thinned front.

    Example:
        >>> front, reference = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([3.0, 3.0])
        >>> point = tp.Posterior(np.array([0.5]), np.array([0.1]))
        >>> tp.ExpectedHypervolumeImprovement.of(front, reference).utility([point, point]).shape
        (1,)
    """

    boxes: Boxes
    coarse: Boxes

    @classmethod
    def of(cls, front: Floats, reference: Floats, least: Floats | None = None) -> ExpectedHypervolumeImprovement:
        """Over `front` (n, k) below `reference` (k,); k is 2 or 3. No loss is below `least` (k,): what a posterior
        expects there is no gain."""
        front = front[nondominated(front)]
        thinned = front[np.argsort(front[:, 0], kind="stable")[:: max(1, len(front) // COARSE)]]
        return cls(undominated(front, reference).above(least), undominated(thinned, reference).above(least))

    def utility(self, posteriors: Sequence[Posterior]) -> Floats:
        m, k = len(posteriors[0].mean), self.boxes.objectives
        if len(posteriors) != k:
            raise ValueError(f"{k} objectives need as many posteriors, got {len(posteriors)}")
        step = max(1, CELLS // len(self.boxes.upper))
        parts = [self._block(posteriors, slice(start, start + step)) for start in range(0, m, step)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _block(self, posteriors: Sequence[Posterior], rows: slice) -> Floats:
        moments = [(p.mean[rows], np.maximum(p.deviation[rows], TINY_DEVIATION)) for p in posteriors]
        gain: Floats = np.ones(1)
        for j, (mean, deviation) in enumerate(moments):
            gain = gain * improvement_gaps(self.boxes.lower[:, j], self.boxes.upper[:, j], mean, deviation)  # (m, b)
        total = gain.sum(axis=1)
        value, lost = np.log(np.maximum(total, TINIEST)), total < TINIEST
        if lost.any():
            terms: Floats = np.zeros(1)
            for j, (mean, deviation) in enumerate(moments):
                lower, upper = self.coarse.lower[:, j], self.coarse.upper[:, j]
                terms = terms + _log_gap(lower, upper, mean[lost], deviation[lost])
            value[lost] = np.minimum(np.logaddexp.reduce(terms, axis=1), np.log(TINIEST))
        return np.asarray(value)


def improvement_gaps(lower: Floats, upper: Floats, mean: Floats, deviation: Floats) -> Floats:
    """psi(upper) - psi(lower), (m, b); psi is priced once for every distinct edge, and trivial far from the mean."""
    from scipy.special import ndtr

    edges, place = np.unique(np.concatenate([lower, upper]), return_inverse=True)
    short = edges - mean[:, None]
    psi = np.maximum(short, 0.0)
    near = np.abs(short) < FAR * deviation[:, None]
    s = np.broadcast_to(deviation[:, None], short.shape)[near]
    z = short[near] / s
    psi[near] = s * np.maximum(np.exp(-0.5 * z * z - HALF_LOG_TAU) + z * ndtr(z), 0.0)
    return np.asarray(np.maximum(psi[:, place[len(lower) :]] - psi[:, place[: len(lower)]], 0.0))


def _log_gap(lower: Floats, upper: Floats, mean: Floats, deviation: Floats) -> Floats:
    """log(psi(upper) - psi(lower)), (m, b); psi is priced once for every distinct edge."""
    edges, place = np.unique(np.concatenate([lower, upper]), return_inverse=True)
    log_psi = np.full((len(mean), len(edges)), -np.inf)
    finite = np.isfinite(edges)
    log_psi[:, finite] = log_h((edges[finite] - mean[:, None]) / deviation[:, None]) + np.log(deviation)[:, None]
    below, above = log_psi[:, place[: len(lower)]], log_psi[:, place[len(lower) :]]
    with np.errstate(divide="ignore"):  # edges closer than rounding: the box gains nothing
        return np.asarray(above + np.log1p(-np.exp(np.minimum(below - above, 0.0))))


@dataclass(frozen=True, slots=True, eq=False)
class SMSego(JointAcquisition):
    """Log of the hypervolume that the optimistic losses y_pot add. `of` makes one over a front.

    It is less than any of those, and falls with the penalty, where y_pot is ε-dominated. The penalty is
    sum_i prod_j (1 + (y_pot,j - y_ij)+) - 1 over the front points i that ε-dominate.

    Args:
        front: (n, k).
        boxes: the boxes that no front point dominates.
        epsilon: (k,): a front point within it of y_pot, or better, in every objective ε-dominates y_pot.
        alpha: deviations that the optimistic losses are below the mean.

    Example:
        >>> front, reference = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([3.0, 3.0])
        >>> point = tp.Posterior(np.array([0.5]), np.array([0.1]))
        >>> tp.SMSego.of(front, reference).utility([point, point]).shape
        (1,)
    """

    front: Floats
    boxes: Boxes
    epsilon: Floats
    alpha: float = 2.0

    @classmethod
    def of(cls, front: Floats, reference: Floats, *, left: int = 0, alpha: float = 2.0) -> SMSego:
        """ε = (max - min of the front) / (|front| + c left), c = 1 - 2^-k, for `left` evaluations to come.

        The review in "Deep Gaussian processes for accelerator design", §3.1, prints the sum outside the fraction, which
        grows with `left` in units that are not the losses'; this is Ponweiser et al.'s.
        """
        front = front[nondominated(front)]
        spread = np.ptp(front, axis=0) if len(front) else np.zeros(len(reference))
        chance = 1 - 0.5 ** len(reference)
        return cls(front, undominated(front, reference), spread / max(1.0, len(front) + chance * left), alpha)

    def utility(self, posteriors: Sequence[Posterior]) -> Floats:
        optimistic = np.column_stack([p.mean - self.alpha * p.deviation for p in posteriors])  # (m, k)
        gap = optimistic[:, None, :] - self.front[None]  # (m, n, k)
        dominated = (gap >= -self.epsilon).all(axis=2)
        penalty = np.where(dominated, np.prod(1 + np.maximum(gap, 0), axis=2) - 1, 0.0).sum(axis=1)
        with np.errstate(divide="ignore"):
            gained = np.log(self.boxes.improvement(optimistic))
        beaten = np.any(dominated, axis=1) | (gained == -np.inf)
        return np.where(beaten, LOG_TINIEST - penalty, np.maximum(gained, LOG_TINIEST))


def ahead(losses: Floats, share: float) -> Floats:
    """The front of losses (n, k), better by a share of its range: what is gained within that counts for nothing.

    At the front's ends a surrogate that is nearly sure still expects to go beyond them by a little, which a far
    reference multiplies by all that is dominated there.
    """
    front = losses[nondominated(losses)]
    return np.asarray(front - share * np.ptp(front, axis=0))


def foreseen_reference(losses: Floats, rho: float = 0.1) -> Floats:
    """A tenth of the range behind the ends of the front of losses (n, k), most of them predicted.

    The end of objective j is where f_j + rho sum_l f_l is least, f being the losses scaled to [0, 1]. What no other
    dominates may be far from the front, as those with the least of one loss and much of all others are.
    """
    low, spread = losses.min(axis=0), np.ptp(losses, axis=0)
    scaled = (losses - low) / np.where(spread > 0, spread, 1.0)
    ends = losses[np.argmin(scaled + rho * scaled.sum(axis=1, keepdims=True), axis=0)]
    worst = ends.max(axis=0)
    return np.asarray(worst + 0.1 * (worst - low))


def reference_point(losses: Floats, reach: float = 1.0, foreseen: Floats | None = None) -> Floats:
    """Between a tenth of the front's range behind the front (`reach` 0) and the worst of all losses (n, k) (1).

    A reference close to a coarse front makes points beyond the front's ends worthless, and a front whose ends are wrong
    stays as short as it is; one far behind a front makes little but its ends worth looking for.
    """
    front = losses[nondominated(losses)]
    low, high = front.min(axis=0), front.max(axis=0)
    spread = np.where(high > low, high - low, np.ptp(losses, axis=0))
    near = high + 0.1 * np.where(spread > 0, spread, 1.0)
    if foreseen is not None:
        near = np.minimum(near, np.maximum(foreseen, low + 0.1 * spread))
    return np.asarray(near + reach * np.maximum(losses.max(axis=0) - near, 0.0))
