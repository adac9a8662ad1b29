"""Several sources as one prior mean: earlier studies of other devices, sizes or kernels, weighed by the trials.

    symbol   shape     meaning
    m_k      (n,)      source k's prior mean at the trials, on the log scale where its values have one sign
    y        (n,)      what was measured, on the log scale likewise
    r_k      ()        mean square of y - a - b m_k, a and b as tunepass.surrogates.residual fits them, in units of y's
    w_k      ()        weight of source k:  w_k proportional to (r_k + 1/100)^(-n p / 2),  p = likelihood_power

    prior mean = sum_k w_k (m_k - c_k) / s_k,  c_k and s_k being m_k's mean and deviation over the space

A source that ranks the trials backwards has b = 0, so r_k = 1. All count the same until two trials are measured.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.capabilities import capability
from tunepass.diagnostics import StudyError
from tunepass.space.columns import Columns, length
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.capabilities import KnowsConfigurations, Renews
from tunepass.surrogates.base import Floats
from tunepass.surrogates.residual import ResidualSettings, fit_affine_map

SAMPLE_SIZE = 2000  # configurations that say where a source's values lie
KEPT_ROWS = 10_000
FLOOR = 0.01  # of r_k: no source is so good that few trials rule out all others
FEWEST = 2  # trials


class SeveralPriorMeans(PriorMean):
    """Several prior means as one, such as earlier studies of other devices: the trials say how much each counts.

    `weights` (k,) are those after the last trial.

    Args:
        sources: the prior means.
        settings: how fast the weights follow the trials; None: the usual ones.

    Raises:
        StudyError: no sources, or one that is no prior mean.

    Example:
        >>> first, second = (tp.PriorMean.from_expression(text) for text in ("64 / tile", "tile * unroll"))
        >>> tp.SeveralPriorMeans([first, second]).weights.tolist()
        [0.5, 0.5]
    """

    def __init__(self, sources: Sequence[PriorMean], settings: ResidualSettings | None = None):
        if not isinstance(sources, Sequence) or not all(callable(getattr(s, "values", None)) for s in sources):
            raise StudyError(f"the sources are a list of PriorMean, got {sources!r}")
        if not sources:
            raise StudyError("a prior mean of several sources has one at least")
        self.sources, self.settings = tuple(sources), settings or ResidualSettings()
        self.weights = np.full(len(self.sources), 1 / len(self.sources))
        self._scales: tuple[Space, Floats, Floats, Floats, float] | None = None
        self._sample: tuple[Columns, Floats] | None = None

    def values(self, space: Space, columns: Columns) -> Floats:
        """Where a source says nothing the others count; NaN where none does."""
        scaled = self._scaled(space, columns)  # (k, n)
        known = np.isfinite(scaled)
        weights = self.weights[:, None] * known
        total = weights.sum(axis=0)
        mean = (weights * np.where(known, scaled, 0.0)).sum(axis=0) / np.where(total > 0, total, 1.0)
        spread = self._scales[4] if self._scales is not None else 0.0
        values = np.exp(spread * mean) if spread else mean
        return np.where(total > 0, values, np.nan)

    def known(self, space: Space, most: int, *, largest: bool) -> list[Configuration]:
        """The best of each source in turn, those of the heaviest first."""
        order = np.argsort(-self.weights, kind="stable")
        tables = [capability(self.sources[k], KnowsConfigurations) for k in order]
        each = [table.known(space, most, largest=largest) for table in tables if table is not None]
        turns = (of[i] for i in range(most) for of in each if i < len(of))
        return list(dict.fromkeys(turns))[:most]

    def renew(self) -> bool:
        """Renew the sources that learn; whether one changed."""
        learning = [mean for source in self.sources if (mean := capability(source, Renews)) is not None]
        changed = [mean.renew() for mean in learning]
        if any(changed):
            self._scales = self._sample = None
        return any(changed)

    def weigh(self, space: Space, columns: Columns, values: Floats) -> bool:
        """Take in what was measured, `values` (n,) of the objective at `columns`; whether the weights changed."""
        before, self.weights = self.weights, np.full(len(self.sources), 1 / len(self.sources))
        if len(values) >= FEWEST and len(self.sources) > 1:
            logs = [self._log_likelihood(m, _log_scaled(values)[0]) for m in self._scaled(space, columns)]
            odds = np.exp(np.array(logs) - max(logs))
            self.weights = odds / odds.sum()
        return not np.array_equal(before, self.weights)

    def _log_likelihood(self, m: Floats, y: Floats) -> float:
        """-n p / 2 log(r_k + FLOOR); m has the deviation 1 over the space."""
        m, unit = np.where(np.isfinite(m), m, 0.0), float(y.std())
        if unit == 0:
            return 0.0
        y = y / unit
        fitted = fit_affine_map(m, y, 1.0, self.settings.kappa)
        misfit = float(((y - fitted.apply(m)) ** 2).mean())
        return -0.5 * len(y) * self.settings.likelihood_power * float(np.log(misfit + FLOOR))

    def _scaled(self, space: Space, columns: Columns) -> Floats:
        """(m_k - c_k) / s_k (k, n). Those of a large sample are kept: it is asked for whenever the weights change."""
        if self._scales is None or self._scales[0] is not space:
            self._scales, self._sample = (space, *self._measure(space)), None
        if self._sample is not None and self._sample[0] is columns:
            return self._sample[1]
        _, signs, centres, deviations, _ = self._scales
        raw = [_with_sign(source.values(space, columns), sign) for source, sign in zip(self.sources, signs)]
        scaled = np.asarray((np.array(raw) - centres[:, None]) / deviations[:, None])
        if length(columns) >= KEPT_ROWS:
            self._sample = columns, scaled
        return scaled

    def _measure(self, space: Space) -> tuple[Floats, Floats, Floats, float]:
        """Of each source the sign of its values (0: both), their mean and deviation; the mean deviation where all
        values are positive, else 0."""
        sample = space.sample_columns(SAMPLE_SIZE, np.random.default_rng(0))
        signs, centres, deviations = [], [], []
        for source in self.sources:
            values = source.values(space, sample)
            scaled, sign = _log_scaled(values[np.isfinite(values)])
            signs.append(sign)
            centres.append(float(scaled.mean()) if len(scaled) else 0.0)
            deviations.append(float(scaled.std()) or 1.0 if len(scaled) else 1.0)
        together = all(sign > 0 for sign in signs)
        return np.array(signs), np.array(centres), np.array(deviations), float(np.mean(deviations)) if together else 0.0


def _log_scaled(values: Floats) -> tuple[Floats, float]:
    """On the log scale if all have one sign, and that sign, else as they are and 0."""
    sign = 1.0 if (values > 0).all() else -1.0 if (values < 0).all() else 0.0
    return _with_sign(values, sign), sign


def _with_sign(values: Floats, sign: float) -> Floats:
    """A value of another sign counts as the smallest magnitude known."""
    return sign * np.log(np.maximum(sign * values, 1e-300)) if sign else values
