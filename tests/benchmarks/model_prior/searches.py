"""Searches replayed on a recording: with the model as prior mean, without, and with the model turned upside down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.expr.algebra import div
from tunepass.expr.nodes import Expr
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.study import Study

WITHIN = 1.05  # of the best recorded time
PRIORS = ("without", "with", "inverted")


@dataclass(frozen=True, slots=True)
class Problem:
    """The recorded rows of a kernel as a space of their own, and what the model says about its parameters."""

    name: str
    space: Space
    times: Mapping[Configuration, float | None]
    model: Expr

    @classmethod
    def of(
        cls, name: str, parameters: tuple[Parameter, ...], times: Mapping[Configuration, float | None], model: Expr
    ) -> Problem:
        return cls(name, Space.from_table(list(times), list(parameters)), times, model)

    @property
    def best(self) -> float:
        return min(ms for ms in self.times.values() if ms is not None)

    def prior(self, kind: str) -> PriorMean | None:
        if kind == "without":
            return None
        return PriorMean.from_expression(self.model if kind == "with" else div(1.0, self.model))


def evaluations(problem: Problem, kind: str, seed: int, most: int) -> int:
    """Evaluations until the first within WITHIN of the best; `most` where none is."""
    study = Study(
        problem.space,
        [Objective("time", unit="ms")],
        strategy="auto",
        seed=seed,
        max_evals=most,
        prior_mean=problem.prior(kind),
    )
    goal = problem.best * WITHIN
    for count in range(1, most + 1):
        suggested = study.suggest(1)
        if not suggested:
            break
        ms = problem.times[suggested[0]]
        study.observe(suggested[0], Failed("wrong_result", "") if ms is None else Measured({"time": ms}))
        if ms is not None and ms <= goal:
            return count
    return most
