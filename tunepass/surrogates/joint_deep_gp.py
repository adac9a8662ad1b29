"""Joint deep Gaussian process (Havasi 2017, §3.2.3): several outputs from one hidden representation.

    cov(f_d, f_e) = A_d^T psi2 A_e - mean_d mean_e        d != e

is what the uncertain hidden values share of two outputs; nodes are independent given them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.deep_energy import Mask, forward
from tunepass.surrogates.deep_gp import DeepNetwork, trained
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.matrices import product
from tunepass.surrogates.sparse_gp import deviation


@dataclass(frozen=True, slots=True)
class JointPosterior:
    """A prediction of k latent losses at m points.

    Args:
        mean: (m, k).
        covariance: (m, k, k), of the losses at one point.
    """

    mean: Floats
    covariance: Floats

    def marginal(self, output: int) -> Posterior:
        """The prediction of one loss."""
        return Posterior(self.mean[:, output], self.covariance[:, output, output])


class JointDeepProcess:
    """Several losses by one deep process; a loss may be missing in any row.

    Args:
        settings: None: one hidden layer of two nodes.

    Raises (fit): ValueError for rows or observed losses that are not finite, and for a loss that no row has;
        DivergedError where training ends worse than it began.
    """

    def __init__(self, settings: DeepSettings | None = None):
        self.settings = settings or DeepSettings()
        self._network: DeepNetwork | None = None
        self._shift, self._scale = np.zeros(0), np.ones(0)

    def fit(self, x: Floats, losses: Floats, observed: Mask | None = None) -> None:
        """Learn from rows x (n, d) and losses (n, k), those that are `observed` (n, k); None: all are."""
        x, losses = np.ascontiguousarray(x, dtype=np.float64), np.asarray(losses, dtype=np.float64)
        mask = np.ones(losses.shape, bool) if observed is None else np.asarray(observed, dtype=bool)
        if x.ndim != 2 or losses.ndim != 2 or len(losses) != len(x) or mask.shape != losses.shape or not len(x):
            raise ValueError(
                f"rows (n, d), losses and observed (n, k) with n >= 1 must match, got {x.shape}, {losses.shape} and "
                f"{mask.shape}"
            )
        if not (np.isfinite(x).all() and np.isfinite(losses[mask]).all()):
            raise ValueError("rows and observed losses must be finite")
        if not mask.any(axis=0).all():
            raise ValueError("every loss must be observed in a row")
        columns = [column[seen] for column, seen in zip(losses.T, mask.T)]
        self._shift = np.array([column.mean() for column in columns])
        self._scale = np.array([deviation(column) for column in columns])
        y = np.where(mask, (losses - self._shift) / self._scale, 0.0)
        self._network = trained(x, y, mask, self.settings)

    def posterior(self, x: Floats) -> JointPosterior:
        """The posterior of the latent losses at rows x (m, d)."""
        if self._network is None:
            raise ValueError("fit before asking for a posterior")
        x = np.ascontiguousarray(x, dtype=np.float64)
        last = forward(self._network.states, x, posterior=True)[-1]
        m, k = last.mean.shape
        covariance = np.zeros((m, k, k))
        if not last.known:
            a = np.array([node.a for node in last.nodes])  # (k, inducing)
            for d in range(k):
                for e in range(d):
                    outer = a[d][:, None] * a[e]
                    pairs = last.pairs.of_matrix(0.5 * (outer + outer.T))
                    both = product(last.second.value, pairs[:, None])[:, 0]
                    covariance[:, d, e] = covariance[:, e, d] = both - last.mean[:, d] * last.mean[:, e]
        covariance[:, np.arange(k), np.arange(k)] = last.variance
        scale = self._scale[:, None] * self._scale
        return JointPosterior(self._shift + self._scale * last.mean, scale * covariance)
