"""Expected hypervolume improvement where a posterior's losses are correlated, by common samples.

    symbol    shape       meaning
    e_s       (k - 1,)    standard normal samples of all losses but the last, the same for every candidate
    y_s       (k - 1,)    mean + L e_s, covariance = L L^T; without correlations L is the diagonal of the deviations
    G_s                   E[hypervolume that is added | y_s]: of the last loss, which is normal given the others, exact

    EHVI ~ EHVI without correlations + mean over s of (G_s - G_s without correlations)

The first term is exact (Yang et al. 2019, Eq. 16). The second one has little noise, since both halves have the same
e_s (a control variate), and without correlations it is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.acquisition.base import JointAcquisition
from tunepass.acquisition.directions import even_points
from tunepass.acquisition.expected_improvement import TINY_DEVIATION
from tunepass.acquisition.hypervolume import ExpectedHypervolumeImprovement, improvement_gaps
from tunepass.surrogates.base import Floats, JointPosterior, Posterior

SAMPLES = 32
CELLS = 1_000_000  # candidates times samples times boxes priced at once
LEAST_SHARE = 1e-3  # of EHVI without correlations: the estimate is at least that


@dataclass(frozen=True, slots=True, eq=False)
class CorrelatedImprovement(JointAcquisition):
    """log EHVI of two or three objectives; that of `exact` where posteriors are no JointPosterior.

    Args:
        exact: of the same front, without correlations.
        samples: e (s, k - 1).

    Example:
        >>> front, reference = np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([3.0, 3.0])
        >>> exact = tp.ExpectedHypervolumeImprovement.of(front, reference)
        >>> from tunepass.acquisition.correlated import CorrelatedImprovement
        >>> point = tp.JointPosterior(np.array([[1.5, 1.5]]), np.array([[[1.0, 0.9], [0.9, 1.0]]]))
        >>> bool(CorrelatedImprovement.of(exact).utility(point)[0] > exact.utility(point)[0])
        True
    """

    exact: ExpectedHypervolumeImprovement
    samples: Floats

    @staticmethod
    def of(exact: ExpectedHypervolumeImprovement, count: int = SAMPLES) -> CorrelatedImprovement:
        """With `count` evenly spread samples, of three objectives twice as many."""
        from scipy.special import ndtri

        others = exact.boxes.objectives - 1
        middles = (np.arange(count)[:, None] + 0.5) / count
        return CorrelatedImprovement(exact, ndtri(middles if others == 1 else even_points(others, 2 * count)))

    def utility(self, posteriors: Sequence[Posterior]) -> Floats:
        value = self.exact.utility(posteriors)
        if not isinstance(posteriors, JointPosterior):
            return value
        step = max(1, CELLS // (len(self.samples) * len(self.exact.boxes.upper)))
        for start in range(0, len(value), step):
            rows = np.arange(start, min(start + step, len(value)))
            change = self._change(posteriors.at(rows))
            changed = rows[change != 0]
            relative = change[change != 0] / np.exp(np.maximum(value[changed], -700.0))
            value[changed] += np.log1p(np.maximum(relative, LEAST_SHARE - 1.0))
        return value

    def _change(self, posterior: JointPosterior) -> Floats:
        """The change of the improvement (m,) by correlations, from the samples."""
        alone = np.sqrt(np.maximum(np.diagonal(posterior.covariance, axis1=1, axis2=2), 0.0))
        return self._gain(posterior.mean, factored(posterior.covariance)) - self._gain(
            posterior.mean, alone[:, :, None] * np.eye(alone.shape[1])
        )

    def _gain(self, mean: Floats, factor: Floats) -> Floats:
        """The mean of G over the samples (m,), for means (m, k) and L (m, k, k)."""
        boxes, k = self.exact.boxes, mean.shape[1]
        y = mean[:, None] + (factor[:, None, :, : k - 1] * self.samples[:, None]).sum(axis=-1)  # (m, s, k)
        deviation = np.repeat(np.maximum(factor[:, -1, -1], TINY_DEVIATION), len(self.samples))
        y = y.reshape(-1, k)
        gain = improvement_gaps(boxes.lower[:, -1], boxes.upper[:, -1], y[:, -1], deviation)
        for lower, upper, column in zip(boxes.lower.T[:-1], boxes.upper.T[:-1], y.T[:-1, :, None]):
            gain = gain * (np.maximum(upper - column, 0.0) - np.maximum(lower - column, 0.0))
        return np.asarray(gain.sum(axis=1).reshape(len(mean), -1).mean(axis=1))


def factored(covariance: Floats) -> Floats:
    """L (m, k, k), lower triangular, of m small covariances; columns without variance are 0."""
    k, factor = covariance.shape[1], np.zeros_like(covariance)
    for j in range(k):
        rest = covariance[:, j, j] - (factor[:, j, :j] ** 2).sum(axis=1)
        factor[:, j, j] = diagonal = np.sqrt(np.maximum(rest, 0.0))
        for i in range(j + 1, k):
            rest = covariance[:, i, j] - (factor[:, i, :j] * factor[:, j, :j]).sum(axis=1)
            factor[:, i, j] = np.divide(rest, diagonal, out=np.zeros_like(rest), where=diagonal > 0)
    return factor
