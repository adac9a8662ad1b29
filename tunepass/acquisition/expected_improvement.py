"""Expected improvement of one objective; losses, so smaller is better and `best` is the incumbent's loss.

    symbol   meaning
    mu, s    posterior mean and deviation of the latent (noise-free) loss
    z        (best - mu) / s
    EI       s * h(z),  h(z) = phi(z) + z Phi(z)

The latent posterior makes this BaCO's noise-free EI (§3.3): an evaluated point has s near 0 and is not sampled again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tunepass.acquisition.base import Acquisition
from tunepass.surrogates.base import Floats, Posterior

TINY_DEVIATION = 1e-12
HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True, slots=True)
class ExpectedImprovement(Acquisition):
    """log EI over `best`; finite where EI itself underflows (z < -38), so far candidates still have an order."""

    best: float

    def utility(self, posterior: Posterior) -> Floats:
        deviation = np.maximum(posterior.deviation, TINY_DEVIATION)
        return np.asarray(np.log(deviation) + log_h((self.best - posterior.mean) / deviation))


def log_h(z: Floats) -> Floats:
    """log(phi(z) + z Phi(z)), to about 1e-9 relative in h for all z (Ament et al. 2023, Eq. 9, three regimes)."""
    from scipy.special import erfcx, ndtr

    z = np.asarray(z, dtype=np.float64)
    log_phi = -0.5 * z * z - HALF_LOG_TAU
    out = np.empty_like(z)
    near, far = z > -1.0, z < -1e4
    middle = ~(near | far)
    out[near] = np.log(np.exp(log_phi[near]) + z[near] * ndtr(z[near]))
    # z Phi(z) / phi(z) = -|z| sqrt(pi/2) erfcx(|z|/sqrt(2)); one plus it is about 1/z^2, cancellation is 1e-16 z^2
    t = np.abs(z[middle])
    out[middle] = log_phi[middle] + np.log1p(-t * math.sqrt(math.pi / 2) * erfcx(t / math.sqrt(2)))
    out[far] = log_phi[far] - 2 * np.log(np.abs(z[far]))
    return out
