"""Suggestions by drawn effects of flags and of pairs of them (Thompson sampling), beside those by improvement.

Near its optimum a stationary process of dozens of flags is sure that no two of them help together that were hardly ever
tried together, and improvement is expected nowhere. A draw of a process whose pairs stay uncertain proposes such pairs
in proportion to how probably they are the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.acquisition.feasible import draw_limit, feasible_utility
from tunepass.acquisition.maximise import LocalSearchSettings, Utility, maximise
from tunepass.space.columns import Columns, Indices, join, take
from tunepass.space.configuration import Configuration
from tunepass.space.features.encoding import INACTIVE, Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Parameter
from tunepass.strategies.base import Task
from tunepass.strategies.bo.design import has_good_defaults
from tunepass.strategies.bo.effects_climb import EffectsClimb, Values, can_climb
from tunepass.strategies.bo.models import FIT_ROWS, informative_rows, last_refit
from tunepass.strategies.draws import draw_fitting
from tunepass.strategies.history import TrialHistory
from tunepass.surrogates.base import Floats
from tunepass.surrogates.pairs import Effects, PairsProcess, PairsSettings

ROWS = 400  # that a draw is conditioned on, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDrawSettings:
    """With more than `more_than` parameters, every `every`-th suggestion from the `first` on, or from the
    `first_of_flags` on where half of the parameters have two values; with more than `hundreds` all of them from the
    `early` one on: too little is known of each for improvement to be expected where it is.

    While trials are few a draw of many effects is nearly all prior, and its least is far from all that is good. So it
    differs from the posterior mean by a share of what it would: trials over `full_at` times the number of parameters,
    and `least_share` at least, since by the mean alone a search is stuck."""

    more_than: int = 20
    every: int = 2
    first: int = 30
    first_of_flags: int = 16
    hundreds: int = 200
    early: int = 16
    full_at: float = 2.0
    least_share: float = 0.18
    process: PairsSettings = field(default_factory=PairsSettings)
    starts: int = 5  # best trials from which it climbs to the least of a draw; up to `hundreds` as many random ones too
    steps: int = 10


def suit_pair_draws(task: Task, settings: PairDrawSettings) -> bool:
    """Are parameters many, objectives one, and is nothing known beforehand?"""
    return task.prior_mean is None and len(task.objectives) == 1 and len(task.space.parameters) > settings.more_than


class PairDraws:
    """Configurations of the least drawn loss; theta at n rows depends on the rows at the last refit only. Of hundreds
    of parameters the first draw comes right after the `warm_up` trials, where these are fewer than `early`."""

    def __init__(
        self, encoding: Encoding, neighbourhood: Neighbourhood, settings: PairDrawSettings, warm_up: int | None = None
    ):
        self.encoding, self.neighbourhood, self.settings = encoding, neighbourhood, settings
        self._early = settings.early if warm_up is None else min(settings.early, warm_up)
        self.process = PairsProcess(settings.process)
        twos = {block.start for block in encoding.blocks if block.stop - block.start == 2}  # the second says the same
        self._kept = np.array([c for c in range(len(encoding.features)) if c not in twos], np.int64)
        self._theta: dict[bytes, Floats] = {}
        self._values = Values(neighbourhood.space, self.rows) if can_climb(neighbourhood.space) else None

    def is_due(self, history: TrialHistory) -> bool:
        s, place = self.settings, len(history) + len(history.pending)
        flags = 2 * sum(p.size == 2 for p in self._parameters) >= len(self._parameters)
        first, every = (self._early, 1) if self._hundreds else (s.first_of_flags if flags else s.first, s.every)
        return place >= first and place % every == 0 and int(history.measured.sum()) >= first // 2

    def suggestion(
        self, history: TrialHistory, loss: Floats, probability: Utility, log_prior: Utility, limit: float
    ) -> Configuration | None:
        """The least under a draw, given the measured trials' losses (n,), of what is feasible and free; `log_prior`
        weighs in. None where all that it meets is taken."""
        rng, s = history.rng(), self.settings
        measured = take(history.columns, history.measured)
        effects, ceiling = self.draw(measured, loss, rng), draw_limit(rng, limit)
        starts = take(measured, np.argsort(loss, kind="stable")[: s.starts])
        if not self._hundreds:
            starts = join([starts, draw_fitting(history.task, s.starts, rng, prior=has_good_defaults(history.task))])
        if self._values is not None:
            values = self._values
            if not values.all_listed:
                values = Values(self.neighbourhood.space, self.rows, starts, values)
            return self._climbed(history, values, effects, starts, probability, log_prior, ceiling)

        def utility(columns: Columns) -> Floats:
            drawn = log_prior(columns) - effects(self.rows(columns))
            return feasible_utility(drawn, probability(columns), ceiling)

        search = LocalSearchSettings(climbers=2 * s.starts, steps=s.steps)
        return maximise(utility, self.neighbourhood, starts, history.taken, search)

    def _climbed(
        self,
        history: TrialHistory,
        values: Values,
        effects: Effects,
        starts: Columns,
        probability: Utility,
        log_prior: Utility,
        ceiling: float,
    ) -> Configuration | None:
        certain, space = bool(history.measured.all()), history.task.space

        def judged(chosen: Indices, drawn: Floats) -> Floats:
            return drawn if certain else feasible_utility(drawn, probability(values.as_columns(chosen)), ceiling)

        default = float(log_prior(space.columns([space.default]))[0])
        climb = EffectsClimb(values, effects, log_prior(values.columns) - default, default)
        return climb.best_free(starts, judged, self.neighbourhood, history.taken, self.settings.steps)

    def rows(self, columns: Columns) -> Floats:
        """Rows (n, f) in [-1, 1]; of two values one column. An inactive parameter has no effect: 0."""
        encoded = self.encoding.encode(columns)[:, self._kept]
        return np.ascontiguousarray(np.where(encoded == INACTIVE, 0.0, 2 * encoded - 1))

    def draw(self, columns: Columns, loss: Floats, rng: np.random.Generator) -> Effects:
        """Effects on the loss, given that of measured configurations (n,)."""
        z, n = self.rows(columns), last_refit(len(loss))
        key = loss[:n].tobytes()
        if key not in self._theta:
            chosen = informative_rows(loss[:n], FIT_ROWS)
            self._theta = {key: self.process.fit(z[:n][chosen], loss[:n][chosen])}
        rows, theta = informative_rows(loss, ROWS), self._theta[key]
        drawn, share = self.process.draw(z[rows], loss[rows], theta, rng), self._share(len(loss))
        return drawn if share == 1.0 else drawn.nearer(self.process.mean(z[rows], loss[rows], theta), share)

    def _share(self, trials: int) -> float:
        """How far a draw is from the posterior mean, of how far it would be."""
        full_at = self.settings.full_at * len(self._parameters)
        return float(np.clip(trials / full_at, self.settings.least_share, 1.0))

    @property
    def _parameters(self) -> Sequence[Parameter]:
        return self.neighbourhood.space.parameters

    @property
    def _hundreds(self) -> bool:
        return len(self._parameters) > self.settings.hundreds
