"""Bayesian optimisation of one objective: one surrogate or two, log EI times P(feasible), local search.

HyperMapper 2.0 and BaCO are settings of it (BaCO, §3.3 and §4.2). Several objectives become one (ParEGO).

    symbol   meaning
    n        trials so far
    beta     settings.influence, of the parameters' priors; settings.residual.influence, of the prior mean's ranks
    q        share of the space that the prior mean ranks better
    c        value agreement of prior mean and trials (tunepass.surrogates.residual)
    w        weight of the prior mean (there, too): of n trials (1 - w) n are of the design, as long as it lasts

    log utility = log EI + (beta / n) log prior - (c beta / n) log q      (Hvarfner et al. 2022, "πBO", Eq. 6)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from tunepass.diagnostics import StudyError
from tunepass.space.columns import Columns, length, take
from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.bo.deep_model import DeepModel
from tunepass.strategies.bo.design import DesignSettings, design_size, informed_design
from tunepass.strategies.bo.loop import BayesianLoop, LoopSettings, Utility
from tunepass.strategies.bo.models import (
    ForestModel,
    GpModel,
    Model,
    informative_rows,
    last_refit,
    model_weights,
    softmax,
    weighted_mixture,
)
from tunepass.strategies.bo.one_at_a_time import change_one_parameter
from tunepass.strategies.bo.output import OutputChoice
from tunepass.strategies.bo.pair_draws import PairDraws, PairDrawSettings, suit_pair_draws
from tunepass.strategies.bo.residual_model import ResidualModel
from tunepass.strategies.bo.sampled_model import SampledModel
from tunepass.strategies.bo.sparse_model import SparseModel
from tunepass.strategies.bo.surrogate_models import (
    AcquisitionFactory,
    SurrogateFactory,
    SurrogateModel,
    acquisition_factory,
    surrogate_factories,
)
from tunepass.strategies.noise import Noise, believed, noise_of
from tunepass.strategies.prior_mean.scaled import ScaledPriorMean
from tunepass.strategies.transforms import log_scale, scalarised
from tunepass.study.results.recommendation import Beliefs
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.forest import Forest
from tunepass.surrogates.gp import GaussianProcess
from tunepass.surrogates.joint_deep_gp import JointDeepProcess
from tunepass.surrogates.residual import ResidualSettings
from tunepass.surrogates.sampled_deep_gp import SampledDeepProcess
from tunepass.surrogates.sparse_gp import SparseProcess

PRIOR_FLOOR = 1e-12  # probability of what a prior rules out: unlikely for long, never excluded
RANK_FLOOR = 1e-3  # added to q: the prior mean's ranks say little within this share of the space
ROWS = 1000  # rows that a process is conditioned on, at most: the best half and the latest half; a forest sees all
RESTING_ROWS, LEAST_SHARE = 25, 0.01  # rows from which a forest may rest, and the share of it below which it does
FAILURE_FANTASIES = 100  # latest failures at most, so that a suggestion's cost stays bounded


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesianSettings(LoopSettings):
    """Settings of the strategy `bayesian`, with its defaults; those of the loop are further arguments.

    Args:
        surrogate: a name of registry.SURROGATES or of a plug-in, `mixed` (`gp` and `forest`), or a class or function
            that makes a Surrogate.
        acquisition: a name, or a class or function that makes one from the incumbent's loss.
        incumbent: the loss that EI improves on: `measured`, the least one, or `predicted`, the least posterior mean of
            measured configurations, which a lucky measurement does not make unreachable.
        output: `log`, or `chosen`: the log scale, or the losses as they are where these are predicted better.
        fantasise_failures: gives failed trials the predicted mean as loss; else they stay uncertain for ever.
        one_at_a_time: interval of suggestions that change one parameter, never changed alone, of the best trial; 0:
            none.
        one_of: that interval is at least the number of parameters over this.
        pair_draws: suggestions by drawn effects of pairs, with many parameters; None: none.
        influence: of the parameters' priors, beta in πBO.
        residual: of the prior mean, where there is one.

    Raises:
        StudyError: an unknown `incumbent` or `output`, or a surrogate or acquisition that is neither name nor factory.

    Example:
        >>> settings = tp.BayesianSettings(surrogate="gp", pool=200)
        >>> study = tp.Study(space, objectives, strategy=lambda task: tp.Bayesian(task, settings))
    """

    surrogate: str | SurrogateFactory = "forest"
    acquisition: str | AcquisitionFactory = "expected_improvement"
    incumbent: Literal["measured", "predicted"] = "measured"
    output: Literal["log", "chosen"] = "log"
    fantasise_failures: bool = False
    one_at_a_time: int = 0
    one_of: int = 5
    pair_draws: PairDrawSettings | None = None
    influence: float = 3.0
    residual: ResidualSettings = field(default_factory=ResidualSettings)

    def __post_init__(self) -> None:
        for name, known in (("incumbent", ("measured", "predicted")), ("output", ("log", "chosen"))):
            if getattr(self, name) not in known:
                raise StudyError(f"{name} is one of {', '.join(known)}, got {getattr(self, name)!r}")
        for name in ("surrogate", "acquisition"):
            if not isinstance(getattr(self, name), str) and not callable(getattr(self, name)):
                raise StudyError(
                    f"{name} is a name, or a class or function that makes one, got {getattr(self, name)!r}"
                )

    @staticmethod
    def baco_published() -> BayesianSettings:
        """BaCO as its paper has it: a Gaussian process with Spearman distances between permutations, log-scaled inputs
        and output, gamma priors of the lengthscales (§3.2, §4.1); noise-free EI times the forest's probability of
        feasibility above a random limit (§3.3, §4.2); multi-start local search; a uniform random warm-up of one more
        than there are parameters. The kernel has the factor 1/3 that Eq. 1 as printed lacks."""
        return BayesianSettings(surrogate="gp", design=DesignSettings(kind="random", most=1 << 30))


def bayesian_with(surrogate: str) -> Callable[[Task], Bayesian]:
    """The strategy `bayesian` with the surrogate of that name; TunepassError for an unknown name."""
    surrogate_factories(surrogate)
    settings = BayesianSettings(surrogate=surrogate)
    return lambda task: Bayesian(task, settings)


class Bayesian(BayesianLoop):
    """Bayesian optimisation of one objective; several objectives become one (ParEGO).

    Args:
        settings: None: those of the strategy `bayesian`.

    Example:
        >>> tp.Bayesian(task, tp.BayesianSettings(surrogate="gp")).suggest(1)
        [Configuration(tile=8, unroll=1)]
    """

    def __init__(self, task: Task, settings: BayesianSettings | None = None):
        self.settings = settings or BayesianSettings()
        super().__init__(task, self.settings)
        prior_mean = task.prior_mean
        self.prior = ScaledPriorMean(task, log=self.settings.log_output) if prior_mean is not None else None
        self._acquisition = acquisition_factory(self.settings.acquisition)
        self.models = self._models()
        self._pair_draws = None
        if (draws := self.settings.pair_draws) is not None and suit_pair_draws(task, draws):
            warm_up = design_size(task, self.settings.design)
            self._pair_draws = PairDraws(self.encoding, self.neighbourhood, draws, warm_up)
        chosen = self.settings.output == "chosen" and self.prior is None and len(task.objectives) == 1
        self.output = OutputChoice(self.models[0], self._models()[0]) if chosen else None
        self._standing = np.zeros(0)  # what is believed of the measured trials (n,), as of the latest fit

    def _next(self) -> Configuration | None:
        if self.prior is not None:
            self.prior.renew(self.history)
        return self._drawn() or super()._next()

    def _drawn(self) -> Configuration | None:
        """The least under a draw of effects of parameters and of pairs of them, where one is due."""
        draws, history, s = self._pair_draws, self.history, self.settings
        if draws is None or not draws.is_due(history):
            return None
        losses = (log_scale(history.losses) if s.log_output else history.losses)[:, 0]
        return draws.suggestion(history, losses, self._probability(), self._log_prior, s.limit)

    @property
    def prior_weight(self) -> float | None:
        """How much of the prediction rests on the prior mean, 0 to 1; None without one."""
        return self._weighted([model.reliance for model in self._informed_models])

    @property
    def _informed_models(self) -> tuple[ResidualModel, ...]:
        return tuple(model for model in self.active_models if isinstance(model, ResidualModel))

    def _weighted(self, values: Sequence[float]) -> float | None:
        """The mean of a value of each informed model, by how well the models predict."""
        models = self._informed_models
        if not models or not all(np.isfinite(model.score()) for model in models):  # nothing was fitted yet
            return values[0] if models else None
        return float(np.dot(model_weights(models, self.settings.score_weight), values))

    def _models(self) -> tuple[Model, ...]:
        s, prior, residual = self.settings, self.prior, self.settings.residual

        def gp() -> Model:
            return GpModel(self.embedding, replace(self.process_settings, seed=self.task.seed))

        def rough_gp() -> Model:
            hyperpriors = replace(s.gp, lengthscale=residual.rough_lengthscale, amplitude=residual.rough_amplitude)
            return GpModel(self.embedding, replace(hyperpriors, seed=self.task.seed))

        def forest() -> Model:
            return ForestModel(self.encoding, s.forest, self.task.seed)

        def model_of(make: SurrogateFactory) -> Callable[[], Model]:
            if make is GaussianProcess:
                return gp
            if make is DeepProcess or make is JointDeepProcess:  # of one loss they are the same
                return lambda: DeepModel(self.encoding, replace(s.deep, seed=self.task.seed))
            if make is SampledDeepProcess:
                return lambda: SampledModel(self.embedding, replace(self.sampled_settings, seed=self.task.seed))
            if make is SparseProcess:
                return lambda: SparseModel(self.embedding, replace(self.sparse_settings, seed=self.task.seed))
            return forest if make is Forest else lambda: SurrogateModel(self.encoding, make)

        bases = [model_of(make) for make in surrogate_factories(s.surrogate)]
        if prior is None:
            return tuple(base() for base in bases)
        return tuple(ResidualModel(base, prior, residual, rough_gp if base is gp else None) for base in bases)

    def _early_suggestion(self, utility: Utility, rng: np.random.Generator) -> Configuration | None:
        """One of the design that the prior mean's weight no longer spares, else a change of one parameter of the best
        trial, where one is due."""
        s = self.settings
        if (spared := self._spared_design()) is not None:
            return spared
        interval = max(s.one_at_a_time, len(self.task.space.parameters) // s.one_of)
        due = s.one_at_a_time > 0 and (len(self.history) + len(self.history.pending)) % interval == 0
        trusted = self._process_alone and self._value_agreement > s.residual.trusted_agreement
        if not due or len(self.task.objectives) > 1 or trusted:
            return None
        best = self._elite(rng)[:1]
        return change_one_parameter(best[0], self.history.taken, self.neighbourhood, utility) if best else None

    def _warm_up(self) -> list[Configuration]:
        """With a prior mean, the default, its best configurations and some of the design; all of the design once the
        trials refute the prior."""
        plan = super()._warm_up()
        if self.prior is None or self._design is None:
            return plan
        s = self.settings.residual
        plan = informed_design(self._design, self.prior, self.embedding, s)
        if self._is_prior_refuted(self.prior, len(plan)):
            plan = list(dict.fromkeys([*plan, *self._design]))
        return plan if len(self.history) < len(plan) else []

    def _spared_design(self) -> Configuration | None:
        """The next of the design that a search without a prior mean begins with, where (1 - w) n trials are more than
        the prior mean left of it: as the weight w falls, the search comes to know what one without it would know."""
        weight = self._weighted([model.weight for model in self._informed_models])
        if weight is None or self._design is None:
            return None
        left = [c for c in self._design if c not in self.history.taken]
        due = (1 - weight) * (len(self.history) + 1)
        return left[0] if left and len(self._design) - len(left) < due else None

    def _is_prior_refuted(self, prior: ScaledPriorMean, first: int) -> bool:
        """Do the `first` trials rank against the prior?"""
        measured = self.history.measured[:first]
        if len(self.history) < first or not measured.any():
            return False
        losses = self.history.losses[: int(measured.sum())]
        losses = log_scale(losses) if self.settings.log_output else losses
        configurations = [c for c, ok in zip(self.history.configurations, measured) if ok]
        return prior.is_refuted(self.task.space.columns(configurations), losses[:, 0], self.settings.residual)

    def _objective_utility(self, rng: np.random.Generator) -> Utility:
        """The models' log EI averaged by how well they predict, so that both count, and what priors add."""
        history, s, noise = self.history, self.settings, self._noise
        if noise is not None and not noise.variance.any():  # repeats have not differed: the search goes on as before
            noise = None
        losses = scalarised(self._scaled(history.losses, noise), rng)
        first, *others = self.active_models
        self._fit(first, losses, noise)
        models = [first, *(m for m in others if noise is not None or not self._is_negligible(m, losses))]
        for model in models[1:]:
            self._fit(model, losses, noise)
        shares = model_weights(models, s.score_weight)
        self._standing = losses if noise is None else self._believed(losses, noise.variance).mean
        if s.incumbent == "predicted":
            measured = take(history.columns, history.measured)
            improvements = [self._log_improvement(m, float(m.posterior(m.rows(measured)).mean.min())) for m in models]
        else:
            improvements = [self._log_improvement(model, float(self._standing.min())) for model in models]
        beta = self._value_agreement * s.residual.influence / max(1, len(history))

        def utility(columns: Columns) -> Floats:
            blended = sum(share * improvement(columns) for share, improvement in zip(shares, improvements))
            return np.asarray(blended) + self._log_prior(columns) + self._log_rank_prior(columns, beta)

        return utility

    def _scaled(self, losses: Floats, noise: Noise | None) -> Floats:
        """Losses (n, k) as they are fitted; the first model becomes that of the scale chosen, where one is."""
        if not self.settings.log_output:
            return losses
        if self.output is None or noise is not None:
            return log_scale(losses)
        measured = take(self.history.columns, self.history.measured)
        scale = self.output.choose(self.models[0].rows(measured), np.ascontiguousarray(losses[:, 0]))
        self.models = (self.output.model, *self.models[1:])
        return scale.apply(losses)

    def _is_negligible(self, model: Model, losses: Floats) -> bool:
        """Did a forest of wide rows predict so much worse than the process at the last refit that it hardly counts?"""
        n, forest_settings = last_refit(len(losses)), self.settings.forest
        if not isinstance(model, ForestModel) or n < RESTING_ROWS:
            return False
        x = model.rows(take(self.history.columns, self.history.measured))
        if x.shape[1] <= forest_settings.most_features:
            return False
        scores = np.array([self.models[0].score(), model.score_of(x[:n], losses[:n])])
        return bool(softmax(self.settings.score_weight * scores)[1] < LEAST_SHARE)

    @property
    def active_models(self) -> tuple[Model, ...]:
        """The models that a suggestion rests on: with a prior mean, the process alone while trials are few."""
        return self.models[:1] if self._process_alone else self.models

    @property
    def _process_alone(self) -> bool:
        return self.prior is not None and int(self.history.measured.sum()) < self.settings.residual.process_only_trials

    def _log_prior(self, columns: Columns) -> Floats:
        """(beta / n) log prior of the parameters (n,): its influence fades with evidence."""
        beta = self.settings.influence / max(1, len(self.history))
        return beta * self.task.space.log_prior(columns, PRIOR_FLOOR) if beta > 0 else np.zeros(length(columns))

    def _log_rank_prior(self, columns: Columns, beta: float) -> Floats:
        """-beta log q (n,)."""
        if self.prior is None or beta == 0:
            return np.zeros(length(columns))
        return np.asarray(-beta * np.log(self.prior.rank(columns) + RANK_FLOOR))

    @property
    def _value_agreement(self) -> float:
        """c, as of the first model's last fit; 0 without a prior mean."""
        first = self.models[0]
        return first.value_agreement if isinstance(first, ResidualModel) else 0.0

    @property
    def _noise(self) -> Noise | None:
        """What is known of the noise of the one objective; None of several."""
        objectives = self.task.objectives
        if len(objectives) > 1:
            return None
        return noise_of(self.history.measurements, objectives[0], log=self.settings.log_output)

    def beliefs(self) -> Beliefs | None:
        """Of the measured trials, by the models and what is known of the noise; None where nothing is."""
        noise = self._noise
        if noise is None:
            return None
        plain = self.history.losses[:, 0]
        losses = log_scale(plain[:, None])[:, 0] if self.settings.log_output else plain
        for model in self.active_models:
            self._fit(model, losses, noise)
        posterior = self._believed(losses, noise.variance)
        sign = 0 if (losses == plain).all() else 1 if plain[0] > 0 else -1
        beliefs = Beliefs(mean=posterior.mean, variance=posterior.variance, single=noise.single, sign=sign)
        return beliefs.times(float(self.history.units[0]))

    def predictor(self) -> Callable[[Columns], Posterior]:
        """What the models, fitted to the trials as they are now, believe of losses (n,) on their scale."""
        models, noise = self.active_models, self._noise
        losses = log_scale(self.history.losses)[:, 0] if self.settings.log_output else self.history.losses[:, 0]
        for model in models:
            self._fit(model, losses, noise)
        shares = model_weights(models, self.settings.score_weight)
        return lambda columns: weighted_mixture(shares, [model.posterior(model.rows(columns)) for model in models])

    def _believed(self, losses: Floats, noise: Floats) -> Posterior:
        """What the models, fitted to the measured trials, believe of each (n,)."""
        models = self.active_models
        shares = model_weights(models, self.settings.score_weight)
        measured = take(self.history.columns, self.history.measured)
        left_out = [model.left_out(model.rows(measured), losses) for model in models]
        return believed(losses, noise, weighted_mixture(shares, left_out))

    def _log_improvement(self, model: Model, best: float) -> Utility:
        """The acquisition over `best` under one model; log EI unless the settings name another."""
        acquisition = self._acquisition(best)
        return lambda columns: acquisition.utility(model.posterior(model.rows(columns)))

    def _fit(self, model: Model, losses: Floats, noise: Noise | None) -> None:
        """To the measured trials, with the pending suggestions as fantasies (their predicted means)."""
        history, space = self.history, self.task.space
        x = model.rows(take(history.columns, history.measured))
        fantasies = model.rows(space.columns(list(history.pending))) if history.pending else x[:0]
        if self.settings.fantasise_failures and not history.measured.all():
            failed = np.flatnonzero(~history.measured)[-FAILURE_FANTASIES:]
            fantasies = np.vstack([model.rows(take(history.columns, failed)), fantasies])
        keep = informative_rows(losses, ROWS) if len(losses) > ROWS else None
        model.fit(x, losses, fantasies, keep, history.bounds, None if noise is None else noise.variance)

    def _extra_candidates(self, rng: np.random.Generator) -> Sequence[Columns]:
        return [self.prior.best] if self.prior is not None and self.prior_weight else []

    def _elite(self, rng: np.random.Generator) -> list[Configuration]:
        history = self.history
        measured = [c for c, ok in zip(history.configurations, history.measured) if ok]
        if not measured or len(self.task.objectives) > 1:
            return measured[-self.loop_settings.elite :]
        order = np.argsort(self._standing, kind="stable")[: self.loop_settings.elite]
        return [measured[i] for i in order]
