"""Replays a strategy against a recorded space, to see how fast it finds what is known to be there."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tunepass.diagnostics import StudyError, nearest
from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.recorded.table import RecordedSpace, read
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Measured, Outcome
from tunepass.study.pareto import hypervolume, nondominated
from tunepass.study.study import Study
from tunepass.study.task import (
    Factory,
    PriorMeanLike,
    ReportsFeasibleRecall,
    ReportsPriorWeight,
    Suggester,
    Task,
    factory_of,
)
from tunepass.study.trial import Trial
from tunepass.study.trust import Trust


class ReplayEvaluator(Evaluator):
    """Looks outcomes up. With `noise`, a measurement is drawn anew from a normal distribution with the recorded mean
    and standard deviation."""

    def __init__(
        self, recorded: RecordedSpace, objectives: Sequence[Objective], noise: np.random.Generator | None = None
    ):
        if noise is not None and not any(recorded.deviation.values()):
            raise StudyError(f"{recorded.name} records no noise (columns <objective>_std)")
        self.recorded, self.objectives, self.noise = recorded, tuple(objectives), noise

    def evaluate(self, configuration: Configuration) -> Evaluation:
        return Evaluation(self._drawn(configuration, self.recorded.outcome(configuration)))

    def _drawn(self, configuration: Configuration, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Measured):
            return outcome
        values = {o.name: outcome.values[o.name] for o in self.objectives}
        if self.noise is not None:
            std = self.recorded.deviation.get(configuration, {})
            values = {name: float(self.noise.normal(v, std.get(name, 0.0))) for name, v in values.items()}
        return Measured(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRun:
    """One seed. `best_so_far` has an entry an evaluation: the recorded value of the configuration that is the best by
    what was measured so far (None: nothing measured yet); with several objectives the share of the table's
    hypervolume. `strategy_s` has the seconds spent inside the strategy for each suggestion and its observation.
    `feasible_recall` is the study's."""

    seed: int
    evaluations: int
    best_so_far: tuple[float | None, ...]
    failures: dict[str, int]
    strategy_s: tuple[float, ...]
    feasible_recall: float | None
    trust: Trust | None = None  # in the source of a transfer, at the end


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """`optimum`: the best recorded value, or 1.0 for a share of hypervolume. `space`: `stated` by the JSON, or the
    recorded `rows`."""

    name: str
    strategy: str
    max_evals: int
    objectives: tuple[str, ...]
    unit: str
    maximise: bool
    space: str
    size: int
    optimum: float
    noise: bool
    transfer: str | None  # the name of the source, if the searches started from one
    runs: tuple[ReplayRun, ...]

    def to_dict(self) -> dict[str, object]:
        """What `--format json` prints."""
        return asdict(self)


def replay(
    path: str | Path,
    strategy: str | Factory,
    max_evals: int,
    seeds: Sequence[int],
    *,
    objectives: Sequence[str] = (),
    noise: bool = False,
    source: PriorMeanLike | None = None,
    transfer: str | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> ReplayReport:
    """Runs the strategy (a name, or a factory) from each seed. Without `objectives` the table's first one counts.
    `source` is the prior mean of all runs, `transfer` its name."""
    recorded = read(path)
    chosen = _chosen(recorded, objectives)
    score = _Single(recorded, chosen[0]) if len(chosen) == 1 else _Share(recorded, chosen)
    return ReplayReport(
        name=recorded.name,
        strategy=strategy if isinstance(strategy, str) else getattr(strategy, "__name__", "strategy"),
        max_evals=max_evals,
        objectives=tuple(o.name for o in chosen),
        unit=chosen[0].unit if len(chosen) == 1 else "share of hypervolume",
        maximise=chosen[0].maximise if len(chosen) == 1 else True,
        space="stated" if recorded.complete else "rows",
        size=recorded.space.size,
        optimum=score.optimum,
        noise=noise,
        transfer=transfer,
        runs=tuple(_run(recorded, chosen, strategy, max_evals, seed, noise, source, clock, score) for seed in seeds),
    )


def _run(
    recorded: RecordedSpace,
    objectives: tuple[Objective, ...],
    strategy: str | Factory,
    max_evals: int,
    seed: int,
    noise: bool,
    source: PriorMeanLike | None,
    clock: Callable[[], float],
    score: _Single | _Share,
) -> ReplayRun:
    stopwatch = _Stopwatch(strategy, clock)
    study = Study(recorded.space, objectives, strategy=stopwatch, seed=seed, max_evals=max_evals, prior_mean=source)
    draws = np.random.default_rng((seed, 0x6E6F6973)) if noise else None
    spent = []
    with ReplayEvaluator(recorded, objectives, draws) as evaluator:
        while configurations := study.suggest(1):
            for configuration in configurations:
                evaluation = evaluator.evaluate(configuration)
                study.observe(configuration, evaluation.outcome)
                spent.append(stopwatch.lap())
    return ReplayRun(
        seed=seed,
        evaluations=len(study.trials),
        best_so_far=score.series(study.trials),
        failures=study.failures,
        strategy_s=tuple(spent),
        feasible_recall=study.feasible_recall,
        trust=study.trust,
    )


class _Stopwatch:
    """A strategy factory whose strategies' time is counted."""

    def __init__(self, strategy: str | Factory, clock: Callable[[], float]):
        self.make = factory_of(strategy)
        self.clock, self.seconds = clock, 0.0

    def __call__(self, task: Task) -> Suggester:
        start = self.clock()
        inner = self.make(task)
        self.seconds += self.clock() - start
        return _Timed(inner, self)

    def lap(self) -> float:
        spent, self.seconds = self.seconds, 0.0
        return spent


class _Timed:
    def __init__(self, inner: Suggester, stopwatch: _Stopwatch):
        self.inner, self.stopwatch = inner, stopwatch

    @property
    def feasible_recall(self) -> float | None:
        return self.inner.feasible_recall if isinstance(self.inner, ReportsFeasibleRecall) else None

    @property
    def prior_weight(self) -> float | None:
        return self.inner.prior_weight if isinstance(self.inner, ReportsPriorWeight) else None

    def suggest(self, n: int, /) -> list[Configuration]:
        start = self.stopwatch.clock()
        found = self.inner.suggest(n)
        self.stopwatch.seconds += self.stopwatch.clock() - start
        return found

    def observe(self, trial: Trial, /) -> None:
        start = self.stopwatch.clock()
        self.inner.observe(trial)
        self.stopwatch.seconds += self.stopwatch.clock() - start


class _Single:
    """One objective: the recorded value of the incumbent."""

    def __init__(self, recorded: RecordedSpace, objective: Objective):
        self.recorded, self.objective = recorded, objective
        self.optimum = recorded.optimum(objective)

    def series(self, trials: Sequence[Trial]) -> tuple[float | None, ...]:
        name, best, value = self.objective.name, float("inf"), None
        series: list[float | None] = []
        for trial in trials:
            truth = self.recorded.outcome(trial.configuration)
            if isinstance(trial.outcome, Measured) and isinstance(truth, Measured):
                loss = self.objective.loss(trial.outcome.values[name])
                if loss < best:
                    best, value = loss, truth.values[name]
            series.append(value)
        return tuple(series)


class _Share:
    """Several objectives: the share of the table's hypervolume, in losses scaled to the range of the measured rows."""

    def __init__(self, recorded: RecordedSpace, objectives: Sequence[Objective]):
        self.recorded, self.objectives, self.optimum = recorded, objectives, 1.0
        measured = [o for o in recorded.outcomes.values() if isinstance(o, Measured)]
        if not measured:
            raise StudyError(f"{recorded.name}: no row measured anything")
        losses = np.array([self._losses(o) for o in measured])
        self.lo, self.span = losses.min(axis=0), np.maximum(np.ptp(losses, axis=0), 1e-300)
        self.reference = [1.0 + 1e-9] * len(objectives)
        self.whole = self._volume(losses[nondominated(losses)])

    def series(self, trials: Sequence[Trial]) -> tuple[float | None, ...]:
        found: list[tuple[float, ...]] = []
        series: list[float | None] = []
        for trial in trials:
            truth = self.recorded.outcome(trial.configuration)
            if isinstance(truth, Measured):
                found.append(self._losses(truth))
                share = self._volume(np.array(found)) / self.whole
                series.append(share)
            else:
                series.append(series[-1] if series else None)
        return tuple(series)

    def _losses(self, outcome: Measured) -> tuple[float, ...]:
        return tuple(o.loss(outcome.values[o.name]) for o in self.objectives)

    def _volume(self, losses: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
        return hypervolume((losses - self.lo) / self.span, self.reference)


def _chosen(recorded: RecordedSpace, names: Sequence[str]) -> tuple[Objective, ...]:
    by_name = {o.name: o for o in recorded.objectives}
    for name in names:
        if name not in by_name:
            close = nearest(name, by_name)
            hint = f"did you mean {close!r}?" if close else f"known: {', '.join(by_name)}"
            raise StudyError(f"{recorded.name} records no objective {name!r}", hint=hint)
    return tuple(by_name[name] for name in names) or recorded.objectives[:1]
