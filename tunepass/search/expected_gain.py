"""The gain that a further evaluation is expected to bring, and an end of `Study.optimize` where it is small.

    symbol   meaning
    mu, s    posterior mean and deviation of a configuration's loss, on the scale of the surrogates
    best     the least loss measured, on that scale
    z        (best - mu) / s
    EI       s (phi(z) + z Phi(z)), the expected improvement of a configuration

The gain is the largest EI of sampled configurations and of the neighbours of the best trials. Losses of one sign have a
log scale, where EI is about the share by which the best value improves; others count in deviations of the losses. The
rule of stopping below a threshold of EI is that of Jones, Schonlau & Welch 1998, "Efficient Global Optimization", §4.2.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tunepass.diagnostics import StudyError
from tunepass.space.columns import Columns, join, length
from tunepass.space.plain_values import as_real, as_whole, is_finite
from tunepass.strategies.auto import SETTINGS
from tunepass.strategies.bo.bayesian import Bayesian
from tunepass.strategies.transforms import log_scale_of
from tunepass.study.objective import objectives_text
from tunepass.study.study import Study
from tunepass.study.trial import Trial

SAMPLE = 1000  # configurations that are drawn to look for a gain
BEST = 5  # trials whose neighbours are looked at
FEWEST = 4  # measured trials that say anything about the others
MODELS = replace(SETTINGS, gp=replace(SETTINGS.gp, thompson_rows=0))  # the mixture of all draws


def expected_gain(study: Study) -> float | None:
    """The largest EI; None while too few trials are measured, 0 where every configuration has a trial."""
    if len(study.objectives) != 1:
        raise StudyError(f"a gain is expected of a single objective, got {objectives_text(study.objectives)}")
    judge = Bayesian(replace(study.task, max_evals=None), MODELS)
    for trial in study.trials:
        judge.observe(trial)
    if judge.history.measured.sum() < FEWEST:
        return None
    columns = _candidates(study, judge)
    if not length(columns):
        return 0.0
    posterior, losses = judge.predictor()(columns), judge.history.losses[:, 0]
    scale = log_scale_of(losses)
    scaled = scale.apply(losses[:, None])[:, 0]
    unit = 1.0 if scale.sign else float(scaled.std()) or 1.0
    deviation = np.maximum(posterior.deviation, 1e-12)
    z = (scaled.min() - posterior.mean) / deviation
    below = 0.5 * np.array([math.erfc(-value / math.sqrt(2)) for value in z])
    improvements = deviation * (np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) + z * below)
    return float(max(0.0, improvements.max())) / unit


def _candidates(study: Study, judge: Bayesian) -> Columns:
    """Configurations without a trial: drawn ones, and neighbours of the best trials."""
    space, history = study.space, judge.history
    measured = [c for c, ok in zip(history.configurations, history.measured) if ok]
    best = [measured[i] for i in np.argsort(history.losses[:, 0], kind="stable")[:BEST]]
    drawn = space.sample_columns(SAMPLE, np.random.default_rng([study.task.seed, len(history)]))
    columns = join([drawn, judge.neighbourhood.of(space.columns(best))[0]])
    tried = set(history.configurations)
    free = [c for c in space.configurations(columns) if c not in tried]
    return space.columns(free)


class StopWhenNoGain:
    """A callback of `Study.optimize` that stops it when no further evaluation is expected to bring a gain.

    Args:
        least_gain: the expected improvement that is worth an evaluation: a share of the best value where values have
            one sign, else of the deviation of the values.
        patience: trials in a row after which it stops.
        first: trials before it looks for the first time.

    Raises:
        StudyError: an argument breaks its rule.

    Example:
        >>> study = tp.Study(tp.Space([tp.Real("x", -5, 5)]), [tp.Objective("y")], seed=0)
        >>> study.optimize(lambda trial: (trial["x"] - 1) ** 2 + 1, n_trials=60, callbacks=[tp.StopWhenNoGain()])
        >>> len(study.trials) < 60, study.best.outcome.values["y"] < 1.02
        (True, True)
    """

    def __init__(self, *, least_gain: float = 0.001, patience: int = 3, first: int = 10):
        gain = as_real(least_gain)
        if gain is None or not (is_finite(gain) and gain > 0):
            raise StudyError(f"least_gain is a finite number > 0, got {least_gain!r}")
        for name, value in (("patience", patience), ("first", first)):
            whole = as_whole(value)
            if whole is None or whole < 1:
                raise StudyError(f"{name} is a whole number >= 1, got {value!r}")
        self.least_gain, self.patience, self.first = float(gain), patience, first
        self._below = 0  # trials in a row

    def __repr__(self) -> str:
        return f"StopWhenNoGain(least_gain={self.least_gain:g}, patience={self.patience}, first={self.first})"

    def __call__(self, study: Study, trial: Trial) -> None:
        """Look at the study after `trial`, and stop it if nothing is to be gained."""
        if len(study.trials) < self.first:
            return
        gain = expected_gain(study)
        self._below = 0 if gain is None or gain >= self.least_gain else self._below + 1
        if self._below >= self.patience:
            study.stop()
