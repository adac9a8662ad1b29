"""Replays a strategy against a recorded space, to see how fast it finds what is known to be there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tunepass.capabilities import Wrapper, required
from tunepass.diagnostics import StudyError, spelling_hint
from tunepass.evaluators.recorded.evaluator import ReplayEvaluator
from tunepass.evaluators.recorded.recorded_space import RecordedSpace
from tunepass.evaluators.recorded.scores import BestValue, HypervolumeShare
from tunepass.evaluators.recorded.table import read
from tunepass.space.configuration import Configuration
from tunepass.study.capabilities import Revises
from tunepass.study.objective import Objective
from tunepass.study.study import Study
from tunepass.study.task import Factory, PriorMeanLike, Suggester, Task, factory_of
from tunepass.study.trial import Trial
from tunepass.study.trust import Trust


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
        """Object that `--format json` prints."""
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
    score = BestValue(recorded, chosen[0]) if len(chosen) == 1 else HypervolumeShare(recorded, chosen)
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
    score: BestValue | HypervolumeShare,
) -> ReplayRun:
    stopwatch = _Stopwatch(strategy, clock)
    study = Study(
        recorded.space,
        objectives,
        strategy=stopwatch,
        seed=seed,
        max_evals=max_evals,
        prior_mean=source,
        repeats=False,
    )
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
        with self.running():
            return _Timed(self.make(task), self)

    @contextmanager
    def running(self) -> Iterator[None]:
        start = self.clock()
        yield
        self.seconds += self.clock() - start

    def lap(self) -> float:
        spent, self.seconds = self.seconds, 0.0
        return spent


class _Timed(Wrapper[Suggester]):
    def __init__(self, inner: Suggester, stopwatch: _Stopwatch):
        self.wrapped, self.stopwatch = inner, stopwatch

    def suggest(self, n: int, /) -> list[Configuration]:
        with self.stopwatch.running():
            return self.wrapped.suggest(n)

    def observe(self, trial: Trial, /) -> None:
        with self.stopwatch.running():
            self.wrapped.observe(trial)

    def revise(self, trial: Trial, /) -> None:
        with self.stopwatch.running():
            required(self.wrapped, Revises).revise(trial)


def _chosen(recorded: RecordedSpace, names: Sequence[str]) -> tuple[Objective, ...]:
    by_name = {o.name: o for o in recorded.objectives}
    for name in names:
        if name not in by_name:
            hint = spelling_hint(name, by_name, f"known: {', '.join(by_name)}", quote=repr)
            raise StudyError(f"{recorded.name} records no objective {name!r}", hint=hint)
    return tuple(by_name[name] for name in names) or recorded.objectives[:1]
