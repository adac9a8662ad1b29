"""Which scale an objective is fitted on: the log scale, unless a model of the losses as they are predicts better.

    symbol   meaning
    y, z     a loss that was left out of the fit, and what is fitted of it (tunepass.strategies.transforms)
    mu, s    what the others predict of z, its noise included
    delta    half of `RESOLUTION` times the typical magnitude: to predict y closer is worth nothing
    score    mean over rows of log P(y - delta < what is predicted < y + delta)

Without delta, values near 0 decide: on the log scale they can be predicted as closely as one likes.
"""

from __future__ import annotations

import numpy as np

from tunepass.strategies.bo.models import Model, last_refit
from tunepass.strategies.transforms import PLAIN, OutputScale, log_scale_of, typical_magnitude
from tunepass.surrogates.base import Floats, Posterior

MIN_ROWS = 6  # with fewer there is nothing to choose by
RESOLUTION = 0.5
LEAST_PROBABILITY = 1e-3  # a row that was missed by far counts no more than this
MARGIN = 0.05  # by which the losses as they are must be predicted better


class OutputChoice:
    """`OutputChoice(model, other)`: two models of one objective that have been fitted to nothing.

    The losses as they are must be predicted better by `margin`.

    The scale at n rows depends on the rows at the last refit, never on the path taken there.
    """

    def __init__(self, on_log_scale: Model, plain: Model, margin: float = MARGIN):
        self.on_log_scale, self.plain, self.margin = on_log_scale, plain, margin
        self.model = on_log_scale  # of the scale chosen last
        self._chosen: dict[bytes, bool] = {}  # whether the losses are fitted as they are, at the last refit

    def choose(self, x: Floats, loss: Floats) -> OutputScale:
        """The scale for rows `x` (n, f) and losses (n,)."""
        log = log_scale_of(loss)
        self.model = self.on_log_scale
        if log == PLAIN or len(loss) < MIN_ROWS:
            return log
        n = last_refit(len(loss))
        key = x[:n].tobytes() + loss[:n].tobytes()
        if key not in self._chosen:
            x, loss = x[:n], loss[:n]
            gain = _score(self.plain, PLAIN, x, loss) - _score(self.on_log_scale, log_scale_of(loss), x, loss)
            self._chosen = {key: gain > self.margin}
        if not self._chosen[key]:
            return log
        self.model = self.plain
        return PLAIN


def _score(model: Model, scale: OutputScale, x: Floats, loss: Floats) -> float:
    z = np.ascontiguousarray(scale.apply(loss))
    model.fit(x, z, x[:0])
    return interval_score(model.left_out(x, z), scale, loss)


def interval_score(predicted: Posterior, scale: OutputScale, loss: Floats) -> float:
    """The score (see above) of predictions (n,) on `scale` of losses (n,)."""
    from scipy.special import ndtr

    delta = RESOLUTION / 2 * typical_magnitude(loss)
    deviation = np.maximum(predicted.deviation, 1e-9 * (1 + np.abs(predicted.mean)))
    above, below = (ndtr((scale.apply(loss + side) - predicted.mean) / deviation) for side in (delta, -delta))
    return float(np.log(np.maximum(above - below, LEAST_PROBABILITY)).mean())
