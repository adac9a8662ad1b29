"""Searches of bench_flags.py: tunepass and its peers, one evaluation after another, all measured by the same code."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.benchmarks.bench_applications import PEERS
from tunepass.backends.application.usual_flags import usual_openings
from tunepass.evaluators.application import ApplicationRun, DeterministicRun
from tunepass.evaluators.measure.repeats import Repeats
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.ir.kernel import Kernel
from tunepass.search.budget import LATE
from tunepass.search.finalists.choice import simplest
from tunepass.search.finalists.simplify import simpler
from tunepass.search.openings import due_openings
from tunepass.space.configuration import Configuration, Value
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.study import Study

RUNS = {"cpu": 1, "time": 5, "instructions": 1}  # of a configuration that is right, by what is measured
TUNERS = ("tunepass", "optuna", "opentuner", "random", "genetic")


@dataclass(slots=True)
class Measuring:
    """Evaluations: the least of a configuration's runs counts, which says most where others use the machine."""

    evaluator: DeterministicRun
    objective: Objective
    runs: int
    tried: list[Configuration] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)

    def __call__(self, configuration: Configuration) -> Outcome:
        if isinstance(self.evaluator, ApplicationRun):
            plan = MeasurePlan(budget_s=60.0, precision=1e-9, least=self.runs, most=self.runs, cutoff_factor=1e9)
            self.evaluator._repeats = Repeats(plan, (self.objective,))  # nothing to race against
        outcome = self.evaluator.evaluate(configuration).outcome
        if isinstance(outcome, Measured):
            outcome = Measured({self.objective.name: min(outcome.samples)})
        self.tried.append(configuration)
        self.outcomes.append(outcome)
        return outcome

    def value(self, configuration: Configuration) -> float:
        """Infinite for a failure."""
        return _value(self(configuration), self.objective)

    @property
    def values(self) -> list[float | None]:
        return [v if (v := _value(o, self.objective)) < math.inf else None for o in self.outcomes]

    @property
    def stages(self) -> dict[str, int]:
        """How many failed, by the stage."""
        failed = [outcome.stage for outcome in self.outcomes if isinstance(outcome, Failed)]
        return {stage: failed.count(stage) for stage in sorted(set(failed))}


def _value(outcome: Outcome, objective: Objective) -> float:
    return outcome.values[objective.name] if isinstance(outcome, Measured) else math.inf


def by_tunepass(kernel: Kernel, space: Space, measuring: Measuring, evaluations: int, seed: int) -> Study:
    """As a build: after the default the flags that people write, then what the strategy says, late the best with less.
    An evaluation counts even where its code was seen before, which costs a build nothing."""
    study = Study(space, [measuring.objective], strategy="auto", seed=seed, max_evals=evaluations)
    openings, objective = usual_openings(kernel), measuring.objective
    while len(measuring.tried) < evaluations:
        late = study.best is not None and len(measuring.tried) >= LATE * evaluations
        due = simpler(study.best, study.trials, objective, space) if late and study.best else []
        if not due and study.trials:
            due = due_openings(openings, study.trials, objective, space)
        if not (suggested := due[:1] or study.suggest(1)):
            break
        study.observe(suggested[0], _told(measuring(suggested[0])))
    return study


def _told(outcome: Outcome) -> Outcome:
    return outcome if isinstance(outcome, (Measured, Failed)) else Failed("run", "")


def simplest_trial(study: Study) -> Configuration:
    """Nearest to the default of those within 1 % of the best, as a build has it among its finalists."""
    objective = study.objectives[0]
    values = {t.configuration: v for t in study.trials if (v := _value(t.outcome, objective)) < math.inf}
    in_order = dict(sorted(values.items(), key=lambda pair: objective.loss(pair[1])))
    return simplest(in_order, objective, study.space)[0]


def by_random(space: Space, measuring: Measuring, evaluations: int, seed: int) -> None:
    for configuration in [space.default, *space.sample(evaluations - 1, np.random.default_rng(seed))]:
        measuring(configuration)


def by_genes(space: Space, measuring: Measuring, evaluations: int, seed: int, size: int = 20) -> None:
    """A steady population: two parents by tournaments of three, each value from either, one in 50 drawn anew."""
    rng = np.random.default_rng(seed)
    first = [space.default, *space.sample(size - 1, rng)][:evaluations]
    people = [(measuring.value(configuration), configuration) for configuration in first]
    while len(measuring.tried) < evaluations:
        parents = [min((people[i] for i in rng.integers(len(people), size=3)), key=lambda p: p[0]) for _ in range(2)]
        drawn = space.sample(1, rng)[0]
        child = Configuration(
            {p: drawn[p] if rng.random() < 0.02 else parents[rng.integers(2)][1][p] for p in space.default}
        )
        if not space.contains(child):
            continue
        people.append((measuring.value(child), child))
        people.remove(max(people, key=lambda p: p[0]))


def by_peer(
    python: str, tuner: str, kernel: Kernel, space: Space, measuring: Measuring, evaluations: int, seed: int
) -> int:
    """Through a pipe; a configuration that violates a constraint is a failure at no cost: how many were."""
    values = {p.name: [p.default, *(v for v in p.domain if v != p.default)] for p in kernel.parameters}  # type: ignore[union-attr]
    words = [python, str(PEERS.resolve()), tuner, str(seed)]
    folder, outside = Path(kernel.source.name).parent, 0  # OpenTuner writes a log where it runs
    with subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as peer:
        assert peer.stdin and peer.stdout
        peer.stdin.write(json.dumps(values).encode() + b"\n")
        peer.stdin.flush()
        while len(measuring.tried) < evaluations and (line := peer.stdout.readline()):
            configuration = Configuration(json.loads(line))
            value = measuring.value(configuration) if space.contains(configuration) else math.inf
            outside += not space.contains(configuration)
            peer.stdin.write(b"fail\n" if value == math.inf else f"{value}\n".encode())
            peer.stdin.flush()
        peer.kill()
    return outside


def changes(configuration: Configuration, default: Configuration) -> dict[str, Value]:
    """What differs from the default."""
    return {name: value for name, value in configuration.items() if value != default[name]}


def bests(measuring: Measuring, marks: Sequence[int], default: Configuration) -> dict[str, Mapping[str, Value]]:
    """By mark, what differs from the default in the best of so many evaluations."""
    values = [math.inf if value is None else value for value in measuring.values]
    return {
        str(mark): changes(measuring.tried[int(np.argmin(values[:mark]))], default) for mark in marks
    }  # JSON has no other keys
