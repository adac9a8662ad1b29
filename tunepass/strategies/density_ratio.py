"""The strategy `density_ratio`, HiPerBOt (Menon, Bhatele & Gamblin 2020, §III): the largest p_g / p_b is next.

    symbol     meaning
    p_g, p_b   densities of good and of bad configurations, products over factors (Eq. 7, 8)
    w          weight of a source's densities beside the target's (Eq. 9, 10)

A space of at most `ranking` configurations is ranked whole; of a larger one, draws from p_g and from the space are
(§III-D). A prior mean (an earlier study, a model) is the source of transfer learning: the densities of what it says
about the space, times w, are added to the target's. The paper leaves w open: here it fades as trials gather, and with
the rank correlation of source and target. Failures are bad configurations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import StudyError
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.strategies.base import Task
from tunepass.strategies.draws import draw_free
from tunepass.strategies.factors import BINS, Factors
from tunepass.strategies.prior_mean.scaled import ScaledPriorMean
from tunepass.strategies.sequential import SequentialStrategy
from tunepass.study.objective import Objective
from tunepass.study.results.trial_columns import configurations, losses
from tunepass.study.trial import Trial
from tunepass.study.trust import rank_correlation
from tunepass.surrogates.base import Floats
from tunepass.surrogates.densities import Densities, DensitySettings
from tunepass.surrogates.residual import ResidualSettings, rank_agreement

SOURCE_ROWS = 5000
BLOCK = 64  # candidates converted to configurations at once
SOURCE_KEY = 0x736F75726365
WARM_UP_KEY = 0x64656E73  # keeps the warm-up's random stream apart from the proposals'


@dataclass(frozen=True, slots=True, kw_only=True)
class DensityRatioSettings:
    """Settings of the strategy `density_ratio`.

    Args:
        initial: random configurations before the first ranking; None: the 20 of §III-C, at most a third of the budget,
            and 1 with a prior mean.
        density: of the densities of good and bad configurations.
        ranking: configurations up to which the whole space is ranked.
        proposals: draws that are ranked in a larger space.
        bins: number of values above which a number counts as a continuum.
        weight: w, of the prior mean's densities, before anything is measured.
        fading: trials that halve w.
        residual: how the rank agreement lowers w.

    Example:
        >>> tp.DensityRatioSettings(initial=10).initial_size(task)
        10
    """

    initial: int | None = None
    density: DensitySettings = field(default_factory=DensitySettings)
    ranking: int = 50_000
    proposals: int = 2000
    bins: int = BINS
    weight: float = 1.0  # w, of the prior mean's densities, before anything was measured
    fading: float = 10.0  # trials that halve w
    residual: ResidualSettings = field(default_factory=ResidualSettings)  # how the rank agreement lowers w

    def initial_size(self, task: Task) -> int:
        """How many random configurations a task begins with."""
        if self.initial is not None:
            return self.initial
        if task.prior_mean is not None:
            return 1  # the source's densities stand in for the random configurations
        return 20 if task.max_evals is None else min(20, max(3, task.max_evals // 3))


class DensityRatio(SequentialStrategy):
    """Suggests where good configurations are dense and bad ones are not (HiPerBOt).

    Several objectives are ranked by the sum of their ranks.

    Args:
        settings: None: those of the strategy `density_ratio`.

    Example:
        >>> tp.DensityRatio(task, tp.DensityRatioSettings(initial=3)).suggest(1)
        [Configuration(tile=8, unroll=1)]
    """

    def __init__(self, task: Task, settings: DensityRatioSettings | None = None):
        super().__init__(task)
        self.settings = settings or DensityRatioSettings()
        self.factors = Factors(task.space, self.settings.bins)
        self.prior = ScaledPriorMean(task, log=False) if task.prior_mean is not None else None
        self.source = self._source_densities()
        self._initial: list[Configuration] | None = None
        self._whole_space: tuple[Columns, Floats] | None = None

    @property
    def prior_weight(self) -> float | None:
        """The source's share of the densities, 0 to 1; None without one."""
        return None if self.source is None else self._weight() / (1 + self._weight())

    def importance(self) -> dict[str, float]:
        """See tunepass.study.capabilities.RatesParameters: a Jensen-Shannon divergence in bits (§VI)."""
        columns = self.task.space.columns(self.history.configurations)
        loss = np.full(len(self.history), np.inf)
        loss[self.history.measured] = _scalar_losses(self.history.losses)
        nats_of = _by_parameter(self.task.space, columns, loss, self.settings.density)
        return {name: float(nats / np.log(2)) for name, nats in nats_of.items()}

    def _weight(self) -> float:
        """w now (Eq. 9, 10)."""
        s, measured = self.settings, self.history.measured
        if self.prior is None or not measured.any():
            return s.weight
        configurations = [c for c, ok in zip(self.history.configurations, measured) if ok]
        prior_losses = self.prior.losses(self.task.space.columns(configurations))
        correlation = rank_correlation(prior_losses, _scalar_losses(self.history.losses))
        fade = s.fading / (s.fading + len(self.history))
        return s.weight * fade * rank_agreement(correlation, len(configurations), s.residual)

    def _next(self) -> Configuration | None:
        if self.prior is not None and self.prior.renew(self.history):
            self.source = self._source_densities()
        for configuration in self._warm_up():
            if configuration not in self.history.taken:
                return configuration
        if not len(self.history):  # the first batch is larger than the warm-up
            return draw_free(self.history)
        rng = self.history.rng()
        densities = self._densities()
        columns, rows = self._candidates(densities, rng)
        order = np.argsort(-densities.log_ratio(rows), kind="stable")
        for first in range(0, len(order), BLOCK):
            for candidate in self.task.space.configurations(take(columns, order[first : first + BLOCK])):
                if candidate not in self.history.taken:
                    return candidate
        return draw_free(self.history)

    def _warm_up(self) -> list[Configuration]:
        if self._initial is None:
            rng = np.random.default_rng([self.task.seed, WARM_UP_KEY])
            size = self.settings.initial_size(self.task)
            self._initial = [self.task.space.default, *self.task.space.sample(size, rng)][:size]
        return self._initial if len(self.history) < len(self._initial) else []

    def _densities(self) -> Densities:
        """The densities of the trials, with the source's where there is one."""
        rows = self.factors.rows(self.task.space.columns(self.history.configurations))
        loss = np.full(len(rows), np.inf)
        measured = self.history.measured
        if measured.any():
            loss[measured] = _scalar_losses(self.history.losses)
        target = Densities.of(rows, loss, self.factors.sizes, self.settings.density)
        return target if self.source is None else target.plus(self._weight(), self.source)

    def _source_densities(self) -> Densities | None:
        """Densities of what the prior mean says about the space, or about SOURCE_ROWS draws from it."""
        if self.prior is None:
            return None
        sample = self.task.space.sample_columns(SOURCE_ROWS, np.random.default_rng([self.task.seed, SOURCE_KEY]))
        losses = self.prior.losses(sample)
        return Densities.of(self.factors.rows(sample), losses, self.factors.sizes, self.settings.density)

    def _candidates(self, densities: Densities, rng: np.random.Generator) -> tuple[Columns, Floats]:
        """All configurations (ranking), or draws (proposal); columns and rows."""
        space, s = self.task.space, self.settings
        if space.finite and space.complete and space.size <= s.ranking:
            if self._whole_space is None:
                columns = join(list(space.enumerate_columns()))
                self._whole_space = (columns, self.factors.rows(columns))
            return self._whole_space
        proposed = self.factors.columns(densities.draw(s.proposals, rng))
        parts = [proposed, space.sample_columns(s.proposals, rng)]
        columns = join([part for part in parts if length(part)])
        return columns, self.factors.rows(columns)


def importance(
    space: Space, objective: Objective, trials: Sequence[Trial], settings: DensitySettings | None = None
) -> dict[str, float]:
    """How much each parameter decides between good and bad (§VI), most first: Jensen-Shannon divergences in nats.

    A permutation has that of its most decisive position, a parameter with a condition that over the trials in which it
    is active.
    """
    if not trials:
        raise StudyError("the importance of parameters needs at least one trial")
    columns, loss = space.columns(configurations(trials)), losses(trials, objective)
    return _by_parameter(space, columns, np.where(np.isnan(loss), np.inf, loss), settings)


def _by_parameter(space: Space, columns: Columns, loss: Floats, settings: DensitySettings | None) -> dict[str, float]:
    """Divergences in nats, most first, each over the rows in which the parameter is active. `loss` is (n,)."""
    factors, masks = Factors(space), space.activity.masks(columns)
    rows, by_name = factors.rows(columns), dict[str, float]()
    for p in space.parameters:
        numbers = [number for number, factor in enumerate(factors.all) if factor.parameter is p]
        active = masks.get(p.name, np.ones(len(loss), np.bool_))
        sizes = [factors.sizes[number] for number in numbers]
        by_name[p.name] = _importance(rows[active][:, numbers], loss[active], sizes, settings)
    return dict(sorted(by_name.items(), key=lambda item: -item[1]))


def _importance(rows: Floats, losses: Floats, sizes: Sequence[int | None], settings: DensitySettings | None) -> float:
    """The largest divergence of the factors of rows (n, f); 0 where no trial is better than another."""
    measured = losses[np.isfinite(losses)]
    if not measured.size or (measured.size == losses.size and (measured == measured[0]).all()):
        return 0.0
    return float(max(Densities.of(rows, losses, sizes, settings).importance()))


def _scalar_losses(losses: Floats) -> Floats:
    """The loss (n,) of (n, k): the sum of the objectives' ranks where there are several."""
    if losses.shape[1] == 1:
        return losses[:, 0]
    return np.asarray(
        np.argsort(np.argsort(losses, axis=0, kind="stable"), axis=0, kind="stable").sum(axis=1), np.float64
    )
