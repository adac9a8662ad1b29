"""A foreign tuner as a strategy: it asks over HyperMapper's protocol, and we are its client."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import SamplingError, SourceError, SpaceError, StudyError
from tunepass.interchange.hypermapper.tuner_process import TunerProcess, tuner_words
from tunepass.interchange.hypermapper.tuner_space import (
    FEASIBLE,
    configuration_of,
    scenario_fields,
    tuner_parameter,
)
from tunepass.interchange.hypermapper.values import cells_of
from tunepass.interchange.hypermapper.wire import END
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured
from tunepass.study.task import Factory, Task
from tunepass.study.trial import Trial

SILENCE_S = 600.0  # a tuner's model may take minutes
MOST_ROWS = 100_000  # of a request
MOST_IN_VAIN = 1_000  # requests in a row without a new configuration


@contextlib.contextmanager
def foreign_tuner(command: str, silence_s: float = SILENCE_S) -> Iterator[Factory]:
    """Makes strategies whose suggestions come from a foreign tuner, which ends with the context.

    Args:
        command: the tuner's command line; the path of a scenario of HyperMapper 2 follows it as the last word. No shell
            sees it.
        silence_s: seconds without a line after which the tuner has failed.

    Yields:
        A function of a Task, as `tp.Study(strategy=...)` takes it. Each strategy starts a tuner of its own with its
        first suggestion.

    Raises:
        StudyError: the command is empty; in a suggestion, the tuner ended or is silent.
        SourceError: in a suggestion, a line of the tuner is wrong.

    Example:
        >>> import sys
        >>> from tunepass.interchange.hypermapper.foreign_tuner import foreign_tuner
        >>> words = "import sys; print('Request 1\\\\ntile,unroll\\\\n16,2', flush=True); sys.stdin.read()"
        >>> with foreign_tuner(f'{sys.executable} -c "{words}"') as strategy:
        ...     tp.Study(space, [tp.Objective("time")], strategy=strategy, max_evals=2).suggest(2)
        [Configuration(tile=8, unroll=1), Configuration(tile=16, unroll=2)]

    Source: the protocol of HyperMapper 2.2.13, as its clients speak it.
    """
    words = tuner_words(command)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tunepass-tuner-")))
        yield lambda task: ForeignTuner(task, words, folder, stack, silence_s)


@dataclass(frozen=True, slots=True)
class _Row:
    """A requested configuration with its cells as the tuner wrote them."""

    configuration: Configuration
    cells: tuple[str, ...]


class ForeignTuner:
    """Suggests what a tuner requests, each configuration once; answers a request when all of it is known."""

    def __init__(self, task: Task, words: list[str], folder: Path, stack: ExitStack, silence_s: float):
        self.task, self._words, self._folder, self._stack = task, words, folder, stack
        self._silence_s = silence_s
        self._parameters = [tuner_parameter(p) for p in task.space.parameters]
        self._objectives = [o.name for o in task.objectives]
        self._process: TunerProcess | None = None
        self._header = ""
        self._request: list[_Row] = []
        self._suggested: set[Configuration] = set()
        self._losses: dict[Configuration, tuple[float, ...] | None] = {}  # None: nothing was measured
        self._feasible: dict[Configuration, bool] = {}

    def suggest(self, n: int) -> list[Configuration]:
        """Configurations of the request that are not known, each once: none while the last ones are evaluated.
        SamplingError after the tuner's last request."""
        process = self._started()
        for _ in range(MOST_IN_VAIN):
            if unknown := list(dict.fromkeys(r.configuration for r in self._request if not self._is_known(r))):
                suggested = [c for c in unknown if c not in self._suggested][:n]
                self._suggested.update(suggested)
                return suggested
            if self._request:
                process.send(self._reply())
            self._request = self._next_request(process)
        raise StudyError(f"the tuner made {MOST_IN_VAIN:,} requests in a row without a new feasible configuration")

    def observe(self, trial: Trial) -> None:
        outcome = trial.outcome
        measured = isinstance(outcome, Measured)
        self._losses[trial.configuration] = (
            tuple(o.loss(outcome.values[o.name]) for o in self.task.objectives)
            if isinstance(outcome, Measured)
            else None
        )
        self._feasible[trial.configuration] = measured

    revise = observe

    # -- within

    def _started(self) -> TunerProcess:
        if self._process is None:
            folder = Path(tempfile.mkdtemp(dir=self._folder))
            fields = scenario_fields(self.task.space, self._parameters, self._objectives, self.task.max_evals)
            fields["run_directory"] = str(folder)
            scenario = folder / "scenario.json"
            scenario.write_text(json.dumps(fields, indent=1), encoding="utf-8")
            self._process = TunerProcess([*self._words, str(scenario)], folder, self._silence_s)
            self._stack.callback(self._process.close)
        return self._process

    def _is_known(self, row: _Row) -> bool:
        """Is there a trial, or is the configuration ruled out by the space?"""
        configuration = row.configuration
        if configuration not in self._losses and configuration not in self._feasible:
            if self.task.space.contains(configuration):
                return False
            self._feasible[configuration] = False
        return True

    def _reply(self) -> str:
        """Header and rows. A row without a measurement has the worst losses so far: a number has to stand there."""
        measured = [losses for losses in self._losses.values() if losses is not None]
        worst = tuple(max(column) for column in zip(*measured)) or (0.0,) * len(self._objectives)
        lines = [",".join([self._header, *self._objectives, FEASIBLE])]
        for row in self._request:
            losses = self._losses.get(row.configuration)
            cells = [*row.cells, *map(repr, losses or worst), str(self._feasible[row.configuration])]
            lines.append(",".join(cells))
        return "".join(f"{line}\n" for line in lines)

    def _next_request(self, process: TunerProcess) -> list[_Row]:
        first = self._line(process)
        if first in (END, "End", "Pareto", "End of Optimization"):
            raise SamplingError("the tuner has ended its search")
        word, _, count = first.partition(" ")
        if word != "Request" or not (count.isascii() and count.isdigit()) or not 0 < int(count[:9]) <= MOST_ROWS:
            hint = f"expected `Request N`, N from 1 to {MOST_ROWS:,}; all else belongs on standard error"
            raise process.error(first, "a tuner begins a request with its number of configurations", hint=hint)
        header = self._line(process)
        names, needed = cells_of(header), [p.parameter.name for p in self._parameters]
        if sorted(names) != sorted(needed):
            hint = f"the parameters are {', '.join(needed)}"
            raise process.error(header, "the header of a request has each parameter once, and nothing else", hint=hint)
        self._header = header
        return [self._row(process, names) for _ in range(int(count))]

    def _row(self, process: TunerProcess, names: list[str]) -> _Row:
        line = self._line(process)
        cells = cells_of(line)
        if len(cells) != len(names):
            raise process.error(line, f"a row has {len(names)} values, got {len(cells)}")
        try:
            configuration = configuration_of(self.task.space, self._parameters, dict(zip(names, cells)))
        except SpaceError as error:
            raise self._wrong(process, line, error) from None
        return _Row(configuration, tuple(cells))

    def _wrong(self, process: TunerProcess, line: str, error: SpaceError) -> SourceError:
        return process.error(line, error.diagnostics[0].message, hint="the scenario has the values of each parameter")

    def _line(self, process: TunerProcess) -> str:
        line = process.line()
        if line is None:
            raise StudyError(
                "the tuner's output ended before `End of HyperMapper`",
                hint="what was measured is in the store; its messages are on standard error",
            )
        return line
