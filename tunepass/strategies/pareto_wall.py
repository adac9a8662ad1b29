"""The strategy `hypermapper` (HyperMapper 2.0, Nardi, Koeplinger & Olukotun 2019): evaluate predicted Pareto fronts.

    symbol   meaning
    X_out    what was evaluated                                     (Alg. 1)
    N        warm-up samples, from the priors                       (Alg. 1 line 2; §III-A, §III-B)
    M        evaluations per active learning iteration              (§III-D)
    P        front predicted over X - X_out, the Pareto wall        (§III-E)

The paper predicts over all of X; a space of more than `pool` configurations is represented by that many draws, half of
them from the priors, with the neighbours of the measured front, as the released code does. What is filled when
|P - X_out| < M is uniform (ε-greedy, §III-D).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from tunepass.acquisition.scalarise import Scale, augmented_chebyshev, draw_weights
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.features.encoding import Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.strategies.base import Task
from tunepass.strategies.draws import draw_free
from tunepass.strategies.sequential import SequentialStrategy
from tunepass.strategies.transforms import log_scale
from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats
from tunepass.surrogates.feasibility import FEASIBLE, Feasibility, FeasibilitySettings
from tunepass.surrogates.forest import ForestSettings, grow

WARM_UP_KEY = 0x77616C6C  # keeps the warm-up's random stream apart from the iterations'


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoWallSettings:
    """Settings of the strategy `hypermapper`; every choice is one switch.

    Args:
        warm_up: N; None: a tenth of the budget, at least one more than the parameters.
        per_iteration: M; None: 1 for a single objective, whose predicted front is one configuration, else a fiftieth of
            the budget.
        epsilon: share of evaluations that is uniform even where P is large enough: with M = 1 there is nothing to fill.
        prior: the warm-up and half the pool are draws from the parameters' priors (§III-A).
        feasibility: of the model of P(feasible) (§III-C); None: no model.
        threshold: probability above which a configuration counts as feasible.
        wall: False: evaluated configurations may be in the front, and P - X_out is the rest.
        choose: M of P: `uniform` as printed, or `chebyshev`, by random scalarisations.
        forest: of the random forest.
        log_output: whether losses are fitted on the log scale.
        pool: configurations whose losses are predicted.

    Example:
        >>> tp.ParetoWallSettings(warm_up=5).warm_up_size(task)
        5
    """

    warm_up: int | None = None
    per_iteration: int | None = None
    epsilon: float = 0.05
    prior: bool = True  # warm-up and half the pool are draws from the priors (§III-A)
    feasibility: FeasibilitySettings | None = field(default_factory=FeasibilitySettings)  # §III-C
    threshold: float = 0.5  # what the classifier calls feasible
    wall: bool = True  # False: evaluated configurations may hold the front, and P - X_out is what it leaves
    choose: Literal["uniform", "chebyshev"] = "uniform"  # M of P: as printed, or by random scalarisations
    forest: ForestSettings = field(default_factory=ForestSettings)
    log_output: bool = True
    pool: int = 20_000

    @staticmethod
    def published(evals: int) -> ParetoWallSettings:
        """HyperMapper 2.0 as its paper has it, of `evals` evaluations: two thirds are warm-up, then five iterations of
        the same size (1,000 and about 500 samples, §IV-E); forests of scikit-learn's default then, 10 trees that see
        all features; the losses as they are; uniform draws only where the predicted front is smaller than M."""
        warm_up = max(1, round(evals * 2 / 3))
        return ParetoWallSettings(
            warm_up=warm_up, per_iteration=max(1, (evals - warm_up) // 5), epsilon=0.0, log_output=False,
            forest=ForestSettings(trees=10, features=1.0),
        )  # fmt: skip

    def warm_up_size(self, task: Task) -> int:
        """N for a task."""
        if self.warm_up is not None:
            return self.warm_up
        return max(len(task.space.parameters) + 1, (task.max_evals or 100) // 10)

    def iteration_size(self, task: Task) -> int:
        """M for a task."""
        if self.per_iteration is not None:
            return self.per_iteration
        return 1 if len(task.objectives) == 1 else max(1, (task.max_evals or 100) // 50)


class ParetoWall(SequentialStrategy):
    """Evaluates the predicted Pareto front again and again (HyperMapper 2.0), for any number of objectives.

    Iterations start after N, N + M, N + 2M, ... suggestions, and each knows the trials observed before its start, so
    an interrupted study plans the iteration it was in as it was planned before.

    Args:
        settings: None: those of the strategy `hypermapper`.

    Example:
        >>> tp.ParetoWall(task, tp.ParetoWallSettings(wall=False)).suggest(1)
        [Configuration(tile=8, unroll=1)]
    """

    def __init__(self, task: Task, settings: ParetoWallSettings | None = None):
        super().__init__(task)
        self.settings = settings or ParetoWallSettings()
        self.encoding, self.neighbourhood = Encoding(task.space), Neighbourhood(task.space)
        self.feasibility = Feasibility(self.settings.feasibility)
        self.n, self.m = self.settings.warm_up_size(task), self.settings.iteration_size(task)
        self._plan: tuple[int, deque[Configuration]] | None = None  # the iteration (-1: warm-up) and what it has left

    @property
    def feasible_recall(self) -> float | None:
        """The share of the feasible trials that the model predicts as feasible; None while nothing failed."""
        return self.feasibility.recall

    def _next(self) -> Configuration | None:
        suggested = len(self.history) + len(self.history.pending)
        iteration = (suggested - self.n) // self.m if suggested >= self.n else -1
        if self._plan is None or self._plan[0] != iteration:
            self._plan = (iteration, deque(self._warm_up() if iteration < 0 else self._iteration(iteration)))
        left = self._plan[1]
        while left:
            if (configuration := left.popleft()) not in self.history.taken:
                return configuration
        return draw_free(self.history)

    def _warm_up(self) -> list[Configuration]:
        """Algorithm 1, line 2, the default first."""
        rng = np.random.default_rng([self.task.seed, WARM_UP_KEY])
        return [self.task.space.default, *self.task.space.sample(self.n, rng, prior=self.settings.prior)]

    def _iteration(self, iteration: int) -> list[Configuration]:
        """Lines 10, 16 to 19: at most M members of the predicted front, filled up with uniform draws."""
        s, known = self.settings, min(self.n + iteration * self.m, len(self.history))
        rng = np.random.default_rng([self.task.seed, iteration])
        measured = self.history.measured[:known]
        pool = self._pool(rng, measured)
        out = set(self.history.configurations[:known]) | self.history.pending.keys()
        if s.wall:
            pool = take(pool, self._outside(pool, known))
        count = int(rng.binomial(self.m, 1 - s.epsilon)) if s.epsilon else self.m
        chosen: list[Configuration] = []
        if measured.any() and length(pool):
            pool = take(pool, self._predicted_feasible(pool, known))
            chosen = self._members(pool, measured, count, rng)
        fill = self.task.space.sample(2 * (self.m - len(chosen)), rng)
        return [c for c in dict.fromkeys([*chosen, *fill]) if c not in out]

    def _pool(self, rng: np.random.Generator, measured: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Columns:
        """X itself where it is small enough, else draws and the neighbours of the measured front."""
        space, s = self.task.space, self.settings
        if space.finite and space.complete and space.size <= s.pool:
            return join(list(space.enumerate_columns()))
        parts = [space.sample_columns(s.pool // 2, rng), space.sample_columns(s.pool // 2, rng, prior=s.prior)]
        if measured.any():
            configurations = [c for c, ok in zip(self.history.configurations, measured) if ok]
            on_front = nondominated(self.history.losses[: len(configurations)])
            front = [c for c, is_on_front in zip(configurations, on_front) if is_on_front]
            parts.append(self.neighbourhood.of(space.columns(front))[0])
        return join([part for part in parts if length(part)])

    def _outside(self, pool: Columns, known: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which rows (n,) of the pool are neither known nor under evaluation, by their model rows."""
        pending = self.encoding.encode(self.task.space.columns(list(self.history.pending)))
        rows = {row.tobytes() for row in (*self._rows(known), *pending)}
        return np.array([row.tobytes() not in rows for row in self.encoding.encode(pool)], np.bool_)

    def _predicted_feasible(self, pool: Columns, known: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """The filter of Figure 3; the likeliest M rows where it would leave fewer."""
        kinds = self.history.kinds[:known]
        if self.settings.feasibility is None or (kinds == FEASIBLE).all():
            return np.ones(length(pool), np.bool_)
        self.feasibility.fit(self._rows(known), kinds)
        probability = self.feasibility.probability(self.encoding.encode(pool))
        likeliest = np.sort(probability)[-min(self.m, len(probability))]
        return np.asarray(probability >= min(self.settings.threshold, float(likeliest)))

    def _members(
        self, pool: Columns, measured: np.ndarray[tuple[int], np.dtype[np.bool_]], count: int,
        rng: np.random.Generator,
    ) -> list[Configuration]:  # fmt: skip
        """At most `count` members of the front predicted over `pool`."""
        rows = self._rows(len(measured))[measured]
        losses = self.history.losses[: len(rows)]
        losses = log_scale(losses) if self.settings.log_output else losses
        predicted = self._predicted(rows, losses, self.encoding.encode(pool))
        members = np.flatnonzero(nondominated(predicted))
        if self.settings.choose == "uniform":
            picked = rng.permutation(members)[:count]
        else:
            unit = Scale.of(losses).apply(predicted[members])
            weights = [draw_weights(losses.shape[1], rng) for _ in range(count)]
            picked = members[list(dict.fromkeys(int(np.argmin(augmented_chebyshev(unit, w))) for w in weights))]
        configurations = self.task.space.configurations(take(pool, picked)) if len(picked) else []
        return list(dict.fromkeys(configurations))

    def _predicted(self, x: Floats, losses: Floats, candidates: Floats) -> Floats:
        """Losses (m, k) predicted at rows `candidates` (m, f): one forest an objective (lines 16 and 17)."""
        seed = self.task.seed + len(x)
        forests = (grow(x, y, replace(self.settings.forest, seed=seed + 7919 * j)) for j, y in enumerate(losses.T))
        return np.column_stack([forest.predict(candidates).mean for forest in forests])

    def _rows(self, known: int) -> Floats:
        return self.encoding.encode(take(self.history.columns, np.arange(known)))
