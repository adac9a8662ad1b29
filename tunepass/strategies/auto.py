"""The strategy `auto`: every configuration when the budget covers the space, else Bayesian optimisation.

Gaussian process and forest together, each weighted by how well it predicts the study's own held-out trials. The process
uses one draw of its hyperparameters for each suggestion at first, their mixture later. It expects longer lengthscales
than BaCO's, of more than twenty parameters by their role and by how many there are, and has features for odd parts and
for what constraints multiply. Every third suggestion changes one parameter of the best trial that was never changed
alone there. The warm-up is half maximin and half medoids: where corners fail, or are decades off, a design of corners
alone misleads the models for long.

Where all parameters are reals, functions are expected to be smoother: the draws' mixture predicts from the start,
each objective is fitted on the scale that predicts it better, what improves on the least prediction of what was
measured counts as better, and the maximiser goes on in steps of any length. Of several objectives most depend on some
of the parameters only: a log-normal prior of lengthscales lets the others drop out, where a gamma leaves every
objective uncertain along parameters that do not matter to it. Of three and more the prior is narrower, since the
climb from the middle of a wide one may end where everything is noise (of 60 random rows of WFG4 it learned nothing
about the third objective), and every third reference is at most behind the ends of the front that the models predict.
Of four and more, half of the models' deviations count, since corners of the box, where all models are unsure, drew half
of sixty evaluations; an objective is fitted as it is unless its log scale is predicted better.
"""

from __future__ import annotations

from dataclasses import replace

from tunepass.acquisition.maximise import LocalSearchSettings
from tunepass.capabilities import Wrapper
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.design import DesignSettings
from tunepass.strategies.bo.hypervolume import Hypervolume, HypervolumeSettings
from tunepass.strategies.bo.lengthscales import ROLES
from tunepass.strategies.bo.pair_draws import PairDrawSettings
from tunepass.strategies.exhaustive import Exhaustive
from tunepass.study.trial import Trial
from tunepass.surrogates.gp import GpSettings
from tunepass.surrogates.hyperpriors import VANILLA, Gamma, LogNormal

SETTINGS = BayesianSettings(
    surrogate="mixed",
    gp=GpSettings(lengthscale=Gamma(3.0, 1.0), draws=8, starts=1, samples=5, thompson_rows=25),
    lengthscales=ROLES,
    derived=True,
    one_at_a_time=3,
    pair_draws=PairDrawSettings(),
    design=DesignSettings(kind="medoids"),
)

CONTINUOUS = LocalSearchSettings(rounds=12)
REALS = replace(
    SETTINGS, output="chosen", incumbent="predicted", gp=replace(SETTINGS.gp, thompson_rows=0), local_search=CONTINUOUS
)
SEVERAL_REALS = HypervolumeSettings(
    surrogate="gp",
    gp=replace(REALS.gp, noise=Gamma(1.1, 1000.0), lengthscale=VANILLA),
    signs=True,
    least_gain=0.01,
    design=DesignSettings(kind="medoids"),
    local_search=CONTINUOUS,
)
THREE_REALS = replace(
    SEVERAL_REALS,
    gp=replace(SEVERAL_REALS.gp, lengthscale=LogNormal(0.0, 1.0)),
    reach=(0.0, 1.0, 1.0),
    foreseen=1000,
)  # of three objectives; two are searched worse with them
FOUR_REALS = replace(THREE_REALS, pool=1000, deviations=0.5, plain_margin=-0.5)  # of four objectives and more


class Auto(Strategy, Wrapper[Strategy]):
    """`Exhaustive` if the space has at most `max_evals` configurations; else `Bayesian`, for several objectives
    `Hypervolume`."""

    def __init__(self, task: Task):
        super().__init__(task)
        counted = task.space.finite and task.space.complete
        fits = counted and task.max_evals is not None and task.space.size <= task.max_evals
        self.wrapped = Exhaustive(task) if fits else _searching(task)

    def suggest(self, n: int) -> list[Configuration]:
        return self.wrapped.suggest(n)

    def observe(self, trial: Trial) -> None:
        self.wrapped.observe(trial)


def _searching(task: Task) -> Strategy:
    reals = _all_reals(task.space)
    if len(task.objectives) > 1:
        of_reals = {2: SEVERAL_REALS, 3: THREE_REALS}.get(len(task.objectives), FOUR_REALS)
        return Hypervolume(task, of_reals if reals else None)
    return Bayesian(task, REALS if reals else SETTINGS)


def _all_reals(space: Space) -> bool:
    return all(parameter.size is None for parameter in space.parameters)
