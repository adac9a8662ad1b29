"""Failures of the machine are not the candidate's: which are believed, and what is done about the others.

A failure that the machine may be the reason of is believed only after everything was set up anew, the default has
worked and the evaluation has failed again: once where its words are not a machine's, else again and again. Later ones
of a kind that was believed are believed at once, as long as the default works or their words are not a machine's.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from tunepass.capabilities import capability
from tunepass.diagnostics import Diagnostic, EnvironmentFault, ToolError
from tunepass.evaluators.capabilities import SetsUpAgain
from tunepass.evaluators.process.failures import BELIEVED, may_be_the_machines
from tunepass.executors.base import Executor
from tunepass.machine_faults import is_machines, of_the_machine, remedy, words_of
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate, Evaluation, Failed
from tunepass.study.trial import Trial

PAUSES_S = (0.5, 2.0)  # before an evaluation is made again; as many times
FAULTS = (OSError, ToolError, EnvironmentFault)
Result = TypeVar("Result")


class FaultGuard:
    """Evaluates, and tells the machine's failures from those of the candidates."""

    def __init__(self, evaluate: Evaluate, executor: Executor, pause: Callable[[float], None] = time.sleep):
        self.evaluate, self.executor, self.pause = evaluate, executor, pause
        self._setting_up = capability(evaluate, SetsUpAgain)
        self._works = False  # the default has worked in this session
        self._believed: set[str] = set()

    def evaluations(self, configurations: Sequence[Configuration]) -> Iterator[tuple[Configuration, Evaluation]]:
        """Each with its evaluation, in order. Raises EnvironmentFault when the machine has failed and fails on."""
        results = self.executor.evaluate(self.evaluate, configurations)
        for configuration in configurations:
            yield configuration, self._settled(configuration, partial(self._next, results, configuration))

    def _next(self, results: Iterator[tuple[Configuration, Evaluation]], configuration: Configuration) -> Evaluation:
        """The next of the results. An earlier error ends them; then the configuration is evaluated by itself."""
        for _, evaluation in results:
            return evaluation
        return self.evaluate(configuration)

    def evaluation(self, configuration: Configuration) -> Evaluation:
        """As `evaluations`, of one."""
        return self._settled(configuration, partial(self.evaluate, configuration))

    def compared(self, compare: Callable[[], list[list[float]]]) -> list[list[float]]:
        """The values of finalists measured again. One that fails now has none, unless the default fails too."""
        for pause_s in (*PAUSES_S, None):
            try:
                values = compare()
            except Exception as fault:
                if self._setting_up is None or not is_fault(fault):
                    raise
                values, failed = [], fault
            if values and (all(values) or self._setting_up is None):
                return values
            broken = self._default_fault()
            if values and broken is None:
                return values
            if pause_s is not None:
                self.pause(pause_s)
        raise environment_fault(broken or failed)

    def _settled(self, configuration: Configuration, first: Callable[[], Evaluation]) -> Evaluation:
        if self._setting_up is None:
            return first()
        attempt, seen = first, set[str]()  # kinds of failures after which the default worked
        for pause_s in (*PAUSES_S, None):
            evaluation, fault = self._attempt(attempt)
            if not self._doubtful(evaluation):
                return evaluation
            log, kind = _log(evaluation), kind_of(_log(evaluation))
            machines = fault is not None or of_the_machine(log)
            if kind in seen and not machines:
                return self._believe(evaluation)
            broken = self._default_fault()
            if broken and not self._works and not of_the_machine(_words(broken)):
                return self._believe(evaluation)  # the default has never worked: the source is at fault
            if broken is None and (kind in self._believed or pause_s is None):
                return self._believe(evaluation)
            if pause_s is None:
                break
            if broken is None:
                seen.add(kind)
            if broken or machines:
                self.pause(pause_s)
            attempt = partial(self.evaluate, configuration)
        raise environment_fault(broken or fault or ToolError(log))

    def _attempt(self, attempt: Callable[[], Evaluation]) -> tuple[Evaluation, Exception | None]:
        """The evaluation, and the error that ended it: a `run` failure then. An error of the very first set-up is the
        user's to know, unless its words are a machine's."""
        assert self._setting_up is not None
        try:
            evaluation = attempt()
            self._works = self._works or self._setting_up.is_set_up
            return evaluation, None
        except Exception as fault:
            if not is_fault(fault):
                raise
            self._works = self._works or self._setting_up.is_set_up
            if not self._works and isinstance(fault, ToolError) and not of_the_machine(str(fault)):
                raise
            return Evaluation(Failed("run", str(fault) or words_of(fault))), fault

    def _believe(self, evaluation: Evaluation) -> Evaluation:
        """With a note for later builds, where the words alone would make them doubt it."""
        outcome = evaluation.outcome
        assert isinstance(outcome, Failed)
        self._believed.add(kind_of(outcome.log))
        if not of_the_machine(outcome.log):
            return evaluation
        return replace(evaluation, outcome=replace(outcome, log=f"{outcome.log}\n{BELIEVED}"))

    def _doubtful(self, evaluation: Evaluation) -> bool:
        if evaluation.same_as is not None or not may_be_the_machines(evaluation.outcome):
            return False
        log = _log(evaluation)
        return of_the_machine(log) or kind_of(log) not in self._believed

    def _default_fault(self) -> Exception | None:
        """Why the default no longer works, with everything set up anew."""
        assert self._setting_up is not None
        try:
            self._setting_up.set_up_again()
        except Exception as fault:
            if not is_fault(fault):
                raise
            return fault
        self._works = True
        return None


def is_fault(error: Exception) -> bool:
    """May the machine be the reason of the error? Also where it has no memory or no thread left."""
    return isinstance(error, FAULTS) or is_machines(error)


def patiently(action: Callable[[], Result], pause: Callable[[float], None] = time.sleep) -> Result:
    """Return the action's result; repeat it after a pause if the machine prevents it."""
    for pause_s in PAUSES_S:
        try:
            return action()
        except EnvironmentFault:  # noqa: PERF203
            pause(pause_s)
    return action()


def kind_of(log: str) -> str:
    """The words of a failure without what differs from candidate to candidate: numbers, paths, the source's lines."""
    lines = [line for line in log.splitlines() if not re.match(r"\s*\d*\s*\|", line)]
    return re.sub(r"0x[0-9a-f]+|\d+|\S*/\S*", "#", "\n".join(lines))


def doubtful_trials(trials: Iterable[Trial]) -> list[Trial]:
    """Trials whose failure is the machine's by its words, and was not found to be the candidate's."""
    return [
        t
        for t in trials
        if isinstance(t.outcome, Failed) and of_the_machine(t.outcome.log) and not t.outcome.log.endswith(BELIEVED)
    ]


def alike(trial: Trial, trials: Iterable[Trial]) -> list[Trial]:
    """The trials that failed as this one did."""
    if not isinstance(trial.outcome, Failed):
        return []
    kind = (trial.outcome.stage, kind_of(trial.outcome.log))
    return [t for t in trials if isinstance(t.outcome, Failed) and (t.outcome.stage, kind_of(t.outcome.log)) == kind]


def environment_fault(
    fault: Exception, summary: str = "this machine no longer builds or runs the default"
) -> EnvironmentFault:
    """Error that ends the build: the fault's text, a remedy, and that measurements are stored."""
    if isinstance(fault, EnvironmentFault):
        return fault
    words = [line for line in _words(fault).splitlines() if line.strip()]
    telling = next((line for line in words if of_the_machine(line)), words[min(1, len(words) - 1)])
    text = words[0] if telling == words[0] else f"{words[0]}: {telling.strip()}"
    hint = f"{remedy(_words(fault))}; everything measured is kept, and the same command goes on"
    return EnvironmentFault(Diagnostic(f"{summary}: {text}", hint=hint))


def _words(fault: Exception) -> str:
    if isinstance(fault, ToolError):
        return "\n".join(f"{d.message}\n{d.hint or ''}" for d in fault.diagnostics)
    return words_of(fault) if is_machines(fault) or isinstance(fault, OSError) else str(fault) or type(fault).__name__


def _log(evaluation: Evaluation) -> str:
    return evaluation.outcome.log if isinstance(evaluation.outcome, Failed) else ""
