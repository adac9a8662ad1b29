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

from tunepass import _native
from tunepass.acquisition.base import Acquisition
from tunepass.surrogates.base import Floats, Posterior

_ffi, _lib = _native.ffi, _native.lib

TINY_DEVIATION = 1e-12
HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True, slots=True)
class ExpectedImprovement(Acquisition):
    """log EI over an incumbent; finite where EI itself underflows (z < -38), so that far candidates have an order.

    Args:
        best: the incumbent's loss.

    Example:
        >>> posterior = tp.Posterior(np.array([0.5, 2.0]), np.array([0.1, 0.1]))
        >>> near, far = tp.ExpectedImprovement(best=1.0).utility(posterior)
        >>> bool(near > far)
        True
    """

    best: float

    def utility(self, posterior: Posterior) -> Floats:
        deviation = np.maximum(posterior.deviation, TINY_DEVIATION)
        return np.asarray(np.log(deviation) + log_h((self.best - posterior.mean) / deviation))


def log_h(z: Floats) -> Floats:
    """log(phi(z) + z Phi(z)), finite for all z (native/src/improvement.c)."""
    z = np.ascontiguousarray(z, dtype=np.float64)
    out = np.empty_like(z)
    _lib.tp_log_h(_ffi.from_buffer("double[]", z), z.size, _ffi.from_buffer("double[]", out))
    return out
