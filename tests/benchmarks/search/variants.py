"""The strategies of the search benchmark by label: the named ones, and their settings with one switch turned."""

from __future__ import annotations

from dataclasses import replace

from tunepass import registry
from tunepass.strategies import auto
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.bo import baco
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.design import DesignSettings
from tunepass.strategies.bo.lengthscales import ROLES
from tunepass.strategies.pareto_wall import ParetoWall, ParetoWallSettings
from tunepass.study.task import Factory
from tunepass.surrogates.hyperpriors import VANILLA, Gamma

NAMED = ("auto", "baco", "hypermapper", "density_ratio", "random")
BASE = auto.SETTINGS
OWN = baco.SETTINGS

# What BaCO's Fig. 8 to 10 take away or exchange, one switch each, and what is ours. `auto: ` starts from auto's
# settings, `baco: ` from BaCO's, whose prediction is the Gaussian process's alone.
ABLATIONS: dict[str, BayesianSettings] = {
    "auto: Gaussian process alone": replace(BASE, surrogate="gp"),
    "auto: forest alone": replace(BASE, surrogate="forest"),
    "auto: both, equal weights": replace(BASE, score_weight=0.0),
    "auto: no derived features": replace(BASE, derived=False),
    "auto: no one-at-a-time changes": replace(BASE, one_at_a_time=0),
    "auto: no drawn effects of pairs": replace(BASE, pair_draws=None),
    "auto: most likely hyperparameters, not draws": replace(BASE, gp=replace(BASE.gp, samples=0)),
    "auto: the moments of five draws from the first trial on": replace(BASE, gp=replace(BASE.gp, thompson_rows=0)),
    "auto: one draw in turn to the end": replace(BASE, gp=replace(BASE.gp, thompson_rows=10**9)),
    "auto: BaCO's prior of lengthscales": replace(
        BASE, lengthscales=None, gp=replace(BASE.gp, lengthscale=OWN.gp.lengthscale)
    ),
    "auto: lengthscales by role from the first parameter on": replace(BASE, lengthscales=replace(ROLES, more_than=0)),
    "auto: one gamma for all lengthscales": replace(
        BASE, lengthscales=None, gp=replace(BASE.gp, lengthscale=Gamma(3.0, 1.0))
    ),
    "auto: one log-normal for all lengthscales": replace(
        BASE, lengthscales=None, gp=replace(BASE.gp, lengthscale=VANILLA)
    ),
    "auto: maximin warm-up": replace(BASE, design=replace(BASE.design, kind="maximin")),
    "auto: no feasibility model": replace(BASE, feasibility=None),
    "auto: no minimum limit ε_f": replace(BASE, limit=0.0),
    "auto: no local search": replace(BASE, local_search=replace(BASE.local_search, enabled=False)),
    "auto: random warm-up": replace(BASE, design=replace(BASE.design, kind="random")),
    "auto: output not on the log scale": replace(BASE, log_output=False),
    "auto: priors in the warm-up and the candidates only": replace(BASE, influence=0.0),
    "auto: priors ten times as influential": replace(BASE, influence=30.0),
    "baco: as published": BayesianSettings.baco_published(),
    "baco: Kendall distance": replace(OWN, permutation="kendall"),
    "baco: Hamming distance": replace(OWN, permutation="hamming"),
    "baco: permutations as categories": replace(OWN, permutation="naive"),
    "baco: output not on the log scale": replace(OWN, log_output=False),
    "baco: inputs not on the log scale": replace(OWN, log_input=False),
    "baco: no prior of lengthscales": replace(OWN, gp=replace(OWN.gp, lengthscale=None)),
    "baco: Matérn-3/2": replace(OWN, gp=replace(OWN.gp, kernel="matern32")),
    "baco: squared exponential": replace(OWN, gp=replace(OWN.gp, kernel="se")),
    "baco: forest instead of the process": replace(OWN, surrogate="forest"),
    "baco: no local search": replace(OWN, local_search=replace(OWN.local_search, enabled=False)),
    "baco: no feasibility model": replace(OWN, feasibility=None),
    "baco: no minimum limit ε_f": replace(OWN, limit=0.0),
    "baco: maximin warm-up": replace(OWN, design=DesignSettings()),
}


PUBLISHED = "hypermapper: as published"


def published_hypermapper(task: Task) -> Strategy:
    return ParetoWall(task, ParetoWallSettings.published(task.max_evals or 100))


def factory(label: str) -> str | Factory:
    if label == PUBLISHED:
        return published_hypermapper
    settings = ABLATIONS.get(label)
    if settings is None:
        return label

    def make(task: Task) -> Strategy:
        return Bayesian(task, settings)

    return make


def described(label: str) -> str:
    """What a kept run depends on besides the code."""
    if label == PUBLISHED:
        return repr(ParetoWallSettings.published(100))
    return repr(ABLATIONS[label]) if label in ABLATIONS else f"{label} = {registry.STRATEGIES[label]}"
