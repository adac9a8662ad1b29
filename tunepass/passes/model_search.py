"""Searches where a model prices configurations: evaluations are free of noise, so nothing is measured again and the
choice is the point of the front that was asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tunepass.exact.base import Front
from tunepass.passes.base import Compilation, Pass
from tunepass.passes.search import Watch, ignore
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate
from tunepass.study.study import Study
from tunepass.study.task import Feasible
from tunepass.study.trial import Trial
from tunepass.tuning.picks import objective_of, picked_of
from tunepass.tuning.result import Found, Gain, Progress, failures_of, value_of

FrontOf = Callable[[Space], Front]  # an exact search of a space


def at_once(trials: int) -> int:
    """How many suggestions to ask for after so many trials: a model answers faster than a strategy thinks."""
    return 1 if trials < 50 else 8 if trials < 200 else 16


def never() -> bool:
    """Goes on."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSearch(Pass):
    """`max_evals` counts the study's trials; `budget_s` is only shown. With `front` the search is exact, and the study
    learns the front; without, `strategy` suggests one configuration after another until `stop` says so, of those that
    are `feasible` if it can."""

    name = "search"
    evaluate: Evaluate
    objectives: tuple[Objective, ...]
    pick: str | None = None
    feasible: Feasible | None = None
    front: FrontOf | None = None
    strategy: str = "auto"
    seed: int = 0
    max_evals: int | None = None
    budget_s: float | None = None
    jobs: int = 1
    stop: Callable[[], bool] = never
    store: str | None = None
    study: str | None = None
    identity: Mapping[str, str] = field(default_factory=dict)
    watch: Watch = ignore
    clock: Callable[[], float] = time.monotonic

    def run(self, compilation: Compilation) -> Compilation:
        study = Study(
            compilation.needs_space(self),
            self.objectives,
            strategy=self.strategy if self.front is None else "random",
            seed=self.seed,
            max_evals=self.max_evals if self.front is None else None,
            store=self.store,
            name=self.study,
            identity=self.identity,
            feasible=self.feasible,
        )
        try:
            found = self._exact(study, self.front) if self.front is not None else self._explored(study)
        finally:
            study.close()
        return replace(compilation, found=found)

    def _exact(self, study: Study, front_of: FrontOf) -> Found:
        """The front by an exact search; its points become trials."""
        start = self.clock()
        front = front_of(study.space)
        searched = self.clock() - start
        known = {trial.configuration for trial in study.trials}
        for configuration in (study.space.default, *front.configurations):
            if configuration not in known:
                known.add(configuration)
                study.observe(configuration, self.evaluate(configuration).outcome)
        found = self._found(study, front.certificate.evaluated, {"strategy": searched, "total": self.clock() - start})
        return replace(found, certificate=front.certificate, gap=front.gap)

    def _explored(self, study: Study) -> Found:
        """What a strategy finds within the budget."""
        start, thinking, evaluated = self.clock(), 0.0, 0
        while not (study.trials and self.stop()):
            before = self.clock()
            suggested = study.suggest(max(self.jobs, at_once(len(study.trials))))
            thinking += self.clock() - before
            if not suggested:
                break
            for configuration in suggested:
                trial = study.observe(configuration, self.evaluate(configuration).outcome)
                evaluated += 1
                self.watch(self._progress(study, trial, self.clock() - start))
        return self._found(study, evaluated, {"strategy": thinking, "total": self.clock() - start})

    def _found(self, study: Study, evaluations: int, seconds: Mapping[str, float]) -> Found:
        trials, front = study.trials, study.pareto
        default = next((t for t in trials if t.configuration == study.space.default), None)
        chosen = picked_of(self.pick, front, self.objectives) if front else None
        return Found(
            choice=chosen.configuration if chosen else study.space.default,
            default=study.space.default,
            objectives=self.objectives,
            gains=gains_of(chosen, default, self.objectives) if chosen else (),
            pareto=tuple(front),
            trials=tuple(trials),
            trial_count=len(trials),
            evaluations=evaluations,
            seconds=seconds,
        )

    def _progress(self, study: Study, latest: Trial, elapsed_s: float) -> Progress:
        objective = objective_of(self.pick, self.objectives)
        trials = study.trials
        measured = [t for t in trials if t.measured]
        best = min(measured, key=lambda t: objective.loss(value_of(t, objective) or 0.0), default=None)
        return Progress(
            phase="search",
            objective=objective,
            evaluations=len(trials),
            max_evals=self.max_evals,
            elapsed_s=elapsed_s,
            budget_s=self.budget_s,
            default=value_of(trials[0], objective),
            best=best,
            latest=latest,
            failures=failures_of(trials),
        )


def gains_of(chosen: Trial, default: Trial | None, objectives: Sequence[Objective]) -> tuple[Gain, ...]:
    """What the choice is in every objective, against the default where that has values."""
    gains = []
    for objective in objectives:
        value, before = value_of(chosen, objective), value_of(default, objective) if default else None
        assert value is not None
        gain = None if before is None else objective.gain(before, value)
        gains.append(Gain(objective=objective, default=before, chosen=value, gain=gain))
    return tuple(gains)
