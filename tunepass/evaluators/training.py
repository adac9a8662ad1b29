"""Models that are trained: the user's own command for each configuration, and the numbers that it prints.

    too large? -> tuned source in a folder of its own -> run (exit status, metrics)

The command runs in the folder of the source, so that it finds its data; what the tuned source imports is found there
too. It runs once: what a second training would give is not known.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tunepass.compilers.asking import base_environment
from tunepass.diagnostics import ToolError
from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.model import ModelEvaluator
from tunepass.evaluators.process.failures import run_failure
from tunepass.evaluators.process.run import Limits, run_limited, tail
from tunepass.evaluators.process.workspace import Workspace
from tunepass.evaluators.program_ledger import ProgramChecks
from tunepass.evaluators.toolchains.source_files import FileRead, check_unchanged
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import not_requested
from tunepass.study.outcome import Evaluation, Failed, Infeasible, Measured

PATH = "PYTHONPATH"
UNCOMPARED = "nothing says which result of a training is right"
UNRESERVED = "a training has no core of its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingTask:
    """`words` are the command for a configuration whose tuned source, `text`, is the file given. `model` has the values
    of those `objectives` that no training is needed for, and knows what is too large. `files` are what the result
    depends on: a search ends when one of them changes."""

    source: Path
    text: Callable[[Configuration], str]
    words: Callable[[Configuration, Path], Sequence[str]]
    metrics: tuple[MetricPattern, ...]
    model: ModelEvaluator
    objectives: tuple[str, ...]
    default: Configuration
    files: tuple[FileRead, ...] = ()
    limits: Limits


@dataclass(slots=True, eq=False)
class TrainingRun(Evaluator):
    """Trains one configuration after the other."""

    task: TrainingTask
    is_set_up: bool = False  # a training has succeeded
    workspace: Workspace = field(default_factory=Workspace)

    def set_up_again(self) -> None:
        """See tunepass.evaluators.capabilities.SetsUpAgain."""
        outcome = self.evaluate(self.task.default).outcome
        if isinstance(outcome, Failed):
            raise ToolError(f"the default cannot be trained ({outcome.stage})", hint=outcome.log)

    def evaluate(self, configuration: Configuration) -> Evaluation:
        known = self.task.model.price(self.task.model.columns(configuration))
        if not isinstance(known, Measured):
            return Evaluation(known if isinstance(known, Infeasible) else Infeasible("the model has no values"))
        check_unchanged(self.task.files)
        started = time.monotonic()
        outcome = self._trained(configuration, known.values)
        self.is_set_up |= isinstance(outcome, Measured)
        log = tail(outcome.log) if isinstance(outcome, Failed) else ""
        program = self.task.words(configuration, self.task.source)[0]
        checks = ProgramChecks(program=program, unchecked=(UNCOMPARED,), prints=True, core=(UNRESERVED,)).ledger()
        checks = checks.updated(not_requested("a training is not compiled", "sanitizers"))
        return Evaluation(outcome, {"measure": time.monotonic() - started}, log, checks=checks)

    def _trained(self, configuration: Configuration, known: Mapping[str, float]) -> Measured | Failed:
        task, folder = self.task, self.task.source.parent.resolve()
        with self.workspace.scratch() as scratch:
            tuned = scratch / task.source.name
            tuned.write_text(task.text(configuration), encoding="utf-8", newline="")
            search_path = os.pathsep.join([str(folder), *filter(None, [os.environ.get(PATH)])])
            done = run_limited(
                task.words(configuration, tuned),
                limits=task.limits,
                cwd=folder,
                env=base_environment({PATH: search_path, "PYTHONDONTWRITEBYTECODE": "1"}),
                scratch=scratch,
            )
        failure = run_failure(done, task.limits)
        if failure is not None:
            return failure
        values = dict(known)
        for metric in task.metrics:
            value = metric.find(done.stdout)
            value = metric.find(done.stderr) if value is None else value
            if value is None:
                return Failed("metric", f"no finite number at {metric.pattern!r} in the output\n{done.log}")
            values[metric.objective.name] = value
        return Measured({name: values[name] for name in task.objectives}, (values[task.objectives[0]],))

    def close(self) -> None:
        self.workspace.close()
