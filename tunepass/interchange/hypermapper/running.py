"""A scenario's run: the design in one request, then batches; results go to the study and the output file one by one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import Diagnostic, SamplingError, Severity, SourceError, StudyError
from tunepass.interchange.hypermapper.evaluations import (
    Evaluate,
    client_evaluation,
    function_evaluation,
    send,
    table_evaluation,
)
from tunepass.interchange.hypermapper.results import Result, objective_names, result_of_outcome
from tunepass.interchange.hypermapper.scenario import GRID, Scenario
from tunepass.interchange.hypermapper.tables import EarlierResult, ResultsTable, read_table
from tunepass.interchange.hypermapper.values import value_of
from tunepass.interchange.hypermapper.wire import END
from tunepass.machine_faults import doing
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

MOST_LISTED = 1_000_000  # configurations of a grid


def run_scenario(
    scenario: Scenario,
    function: Callable[..., object] | None = None,
    *,
    strategy: str | None = None,
    seed: int = 0,
    store: str | None = None,
    hypermapper3_ending: bool = False,
) -> None:
    """Run a scenario by its mode, with standard input and output for a client. With the URL of a `store`, results are
    on disk when they are in the table, and a further run goes on from them."""
    if scenario.mode == "client-server":
        output = sys.stdout.buffer  # which the streams of notebooks lack
        run = Run(scenario, strategy=strategy, seed=seed, store=store)
        run.run(client_evaluation(scenario, sys.stdin.buffer, output, run.warn))
        send(output, "".join(f"{line}\n" for line in _ending(run, hypermapper3_ending)))
        return
    if scenario.mode == "default" and function is None:
        raise SourceError(
            f"{scenario.source.name}: mode default calls a Python function",
            hint='write optimize(scenario, function), or "hypermapper_mode": {"mode": "client-server"}',
        )
    run = Run(scenario, strategy=strategy, seed=seed, store=store)
    run.run(
        table_evaluation(scenario)
        if function is None or scenario.mode == "exhaustive"
        else function_evaluation(scenario, function)
    )
    if scenario.print_best and (best := best_point(run)):
        sys.stdout.write("\n".join(["Best point found:", *best, ""]))


@dataclass(slots=True)
class Run:
    """A study of a scenario with its output file and its log; in a `store`, if one is named."""

    scenario: Scenario
    strategy: str | None = None
    seed: int = 0
    store: str | None = None
    clock: Callable[[], float] = time.time
    study: Study = field(init=False)
    started: float = field(init=False)

    def run(self, evaluate: Evaluate) -> None:
        """Evaluate until the budget, the time or the space is spent."""
        self.started = self.clock()
        old = self._earlier_results()
        self._open(len(old))
        stored = [(t.configuration, result_of_outcome(self.scenario, t.outcome), 0) for t in self.study.trials]
        table = ResultsTable(self.scenario, [*old, *stored])
        try:
            for configuration, result, _ in old:
                self._observe(configuration, result)
            for request in self._requests():
                for configuration, result in evaluate(request):
                    table.append(configuration, result, self._milliseconds())
                    self._observe(configuration, result)
            self.log(f"finished: {len(self.study.trials)} results in {self.scenario.output}")
        except BaseException as error:
            self.log(f"ended by {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
            raise
        finally:
            table.close()

    def warn(self, message: str) -> None:
        """One line to standard error and the log: standard output belongs to the client."""
        sys.stderr.write(f"{Diagnostic(message, severity=Severity.WARNING).render()}\n")
        self.log(f"warning: {message}")

    def log(self, message: str) -> None:
        with doing(f"write {self.scenario.log}"):
            self.scenario.log.parent.mkdir(parents=True, exist_ok=True)
            with self.scenario.log.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{message}\n")

    # -- within

    def _open(self, resumed: int) -> None:
        """The study, and the log's first lines."""
        scenario = self.scenario
        space = Space([p.parameter for p in scenario.parameters], scenario.constraints)
        objectives = [Objective(name) for name in objective_names(scenario.objectives)]
        strategy = self.strategy or ("exhaustive" if scenario.method == "exhaustive" else "auto")
        design = _grid_size(scenario, space) if scenario.design == GRID else max(1, scenario.design_size)
        most = max(design, resumed) + scenario.iterations * scenario.batch
        self.study = Study(
            space,
            objectives,
            strategy=strategy,
            seed=self.seed,
            max_evals=most,
            store=self.store,
            repeats=False,
        )
        self.log(f"{scenario.source.name}: a scenario of {scenario.tuner}, {space!r}, at most {most} evaluations")
        self.log(
            f"optimization_method {scenario.method}, model {scenario.model}, design {scenario.design}: "
            f"strategy {strategy} of tunepass"
        )
        if scenario.without_effect:
            self.warn(f"{scenario.source.name}: without effect: {', '.join(scenario.without_effect)}")
        for diagnostic in space.warnings:
            self.log(f"warning: {diagnostic.message}")

    def _earlier_results(self) -> list[EarlierResult]:
        """Rows of the file to resume from, each configuration once."""
        scenario, results = self.scenario, dict[Configuration, tuple[Result, int]]()
        if scenario.resume is None:
            return []
        needed = [name for name in scenario.columns if name != scenario.timestamp]
        for row in read_table(scenario.resume, needed):
            results[row.configuration(scenario)] = row.result(scenario), int(row.milliseconds(scenario))
        return [(configuration, *result) for configuration, result in results.items()]

    def _requests(self) -> Iterator[list[Configuration]]:
        """The design, then batches. The design has no limit of time."""
        scenario, study = self.scenario, self.study
        grid = scenario.design == GRID
        design = study.task.max_evals if grid else max(1, scenario.design_size)
        missing = (design or 0) - len(study.trials)
        try:
            if missing > 0 and (request := study.suggest(missing, self._design(missing))):
                yield request
            for _ in range(scenario.iterations):
                late = scenario.time_budget_s is not None and self.clock() - self.started >= scenario.time_budget_s
                if late or not (request := study.suggest(scenario.batch)):
                    self.log("the time is over" if late else "the space is exhausted")
                    return
                yield request
        except SamplingError as error:
            self.log(f"no further configuration: {error.diagnostics[0].message}")

    def _design(self, count: int) -> Sequence[Configuration]:
        """Configurations of the design; of Latin hypercubes none, since the strategy's own design fills the space."""
        space = self.study.space
        if self.scenario.design == GRID:
            return list(space.enumerate())
        if "hypercube" in self.scenario.design:
            return ()
        prior = any(p.prior is not None for p in space.parameters)
        return space.sample(count, np.random.default_rng(self.seed), prior=prior)

    def _observe(self, configuration: Configuration, result: Result) -> None:
        try:
            self.study.observe(configuration, result.outcome)
        except StudyError as error:  # a row of a file to resume from that breaks the constraints
            self.warn(f"left out: {error.diagnostics[0].message}")

    def _milliseconds(self) -> int:
        """Since 1970 for clients, else since the start."""
        since = 0.0 if self.scenario.mode == "client-server" else self.started
        return int(1000 * (self.clock() - since))


def _grid_size(scenario: Scenario, space: Space) -> int:
    if not space.finite or not space.complete or space.size > MOST_LISTED:
        raise SourceError(f"{scenario.source.name}: grid_search needs at most {MOST_LISTED:,} configurations")
    return space.size


def best_point(run: Run) -> list[str]:
    """Names and values of the best configuration, in two lines; none without results or with several objectives."""
    measured = [t for t in run.study.trials if isinstance(t.outcome, Measured)]
    if not measured or len(run.scenario.objectives) > 1:
        return []
    best = run.study.best
    assert best is not None and isinstance(best.outcome, Measured)
    values = [p.text(value_of(best.configuration, p)) for p in run.scenario.parameters]
    names = [*(p.name for p in run.scenario.parameters), *run.scenario.objectives]
    return [",".join(names), ",".join([*values, *map(repr, best.outcome.values.values())])]


def _ending(run: Run, hypermapper3: bool) -> list[str]:
    """The last lines for a client."""
    if not hypermapper3:
        return [END]
    return ["Best point found:", *(best_point(run) or ["", ""]), "", "End of Optimization"]
