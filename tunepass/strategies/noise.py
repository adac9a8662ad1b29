"""What is known of the noise of a study's measurements, and what is believed of each trial in spite of it.

    symbol   shape    meaning
    y        (n,)     losses of the measured trials on the surrogates' scale: means of their measurements
    k        (n,)     measurements behind each
    s2       (n,)     variance of the error of y
    v        ()       variance of one measurement where nobody stated it: pooled over what was measured more than once
    mu, t2   (n,)     what the other trials predict of each, with its variance (leave-one-out), without the noise

    s2 = stated deviation^2, else v / k        v = (S + v_0) / (sum (k - 1) + 1)
    believed mean     (t2 y + s2 mu) / (t2 + s2)
    believed variance  t2 s2 / (t2 + s2)

S is the sum of squares of measurements around their means. v_0 is one pseudo-row that says 5 % (on the log scale). What
a surrogate cannot explain is taken as the space's own ruggedness, not as noise: only repeats and stated deviations say
what noise is, so without any of them a measurement is believed as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.strategies.transforms import log_slope
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.surrogates.base import Floats, Posterior

USUAL_DEVIATION = 0.05  # of one measurement on the log scale; off it, as a share of the losses' deviation


@dataclass(frozen=True, slots=True)
class Noise:
    """`variance` (n,) of the error of each loss; `single` that of one measurement, where the trials say it."""

    variance: Floats
    single: float | None


def noise_of(measured: Sequence[Measured], objective: Objective, *, log: bool) -> Noise | None:
    """Of losses (n,) on the log scale where `log` and they have one sign; None where nothing is known of it."""
    if all(not m.deviation and not m.repeats for m in measured):
        return None
    name = objective.name
    losses = np.array([objective.loss(m.values[name]) for m in measured])
    slope = log_slope(losses[:, None])[:, 0] if log else np.ones(len(losses))
    counts = np.array([len(m.measurements) for m in measured])
    stated = np.array([m.deviation.get(name, np.nan) for m in measured]) * slope
    again = np.flatnonzero((counts > 1) & np.isnan(stated))
    if not again.size and np.isnan(stated).all():
        return None
    single: float | None = None
    if again.size:
        squares = sum(slope[i] ** 2 * _squares(measured[i], name) for i in again.tolist())
        usual = USUAL_DEVIATION * (float(losses.std()) if (slope == 1).all() else 1.0)
        rows = int((counts[again] - 1).sum())
        single = (squares + usual**2) / (rows + 1) if squares > 0 else 0.0
    elif np.isnan(stated).any():
        single = float(np.nanmean(stated**2))
    unstated = np.zeros(len(counts)) if single is None else single / counts
    return Noise(np.where(np.isnan(stated), unstated, stated**2), single)


def _squares(measured: Measured, name: str) -> float:
    return sum((each[name] - measured.values[name]) ** 2 for each in measured.repeats)


def believed(losses: Floats, noise: Floats, left_out: Posterior) -> Posterior:
    """Mean and variance of each trial's true loss, from its own and from what the others predict of it, noise
    included."""
    between = np.maximum(left_out.variance - noise, 1e-3 * left_out.variance)
    total = np.maximum(between + noise, 1e-300)
    return Posterior(losses + noise / total * (left_out.mean - losses), between * noise / total)
