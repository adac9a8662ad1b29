"""The trials of a search, as its study stores them, and the incumbent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace as with_fields

from tunepass.diagnostics import StudyError
from tunepass.search.drift import at_first_speed
from tunepass.search.faults import patiently
from tunepass.search.finalists.choice import finalists
from tunepass.search.result import value_of
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import EMPTY, Check, Ledger
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Failed, Measured, Outcome
from tunepass.study.study import Study
from tunepass.study.trial import Trial, comparable


class TrialLog:
    """Every trial of a study, in order; one is stored before anything else is done with it."""

    def __init__(self, study: Study, objective: Objective):
        self.study, self.objective = study, objective
        self.trials: list[Trial] = study.trials
        self.best = self._best()

    def keep(self, configuration: Configuration, evaluation: Evaluation, *, replace: bool = False) -> Trial:
        """The trial of an evaluation, in the place of an earlier one if that is to be replaced. Raises StudyError for
        another answer of an evaluator."""
        if not isinstance(evaluation, Evaluation):
            raise StudyError(
                f"an evaluator returns an Evaluation, got {evaluation!r}",
                hint="write tunepass.Evaluation(tunepass.Measured(...))",
            )
        fair = self._of_same_code(evaluation) or at_first_speed(evaluation, self.trials)
        trial = patiently(lambda: self.study.observe(configuration, fair, replace=replace))
        if not replace and trial.number == len(self.trials):
            self.trials.append(trial)
        else:  # changed, or after trials of other processes
            self.trials = self.study.trials
        if trial.measured and trial.same_as is None:
            self.best = self._best()
        return trial

    def catch_up(self) -> None:
        """Take in what other processes have stored, as far as the study has."""
        self.trials = self.study.trials
        self.best = self._best()

    def _of_same_code(self, evaluation: Evaluation) -> Evaluation | None:
        """The evaluation with the outcome that the trial of the same code has, at the speed that one was given."""
        same = next((t for t in self.trials if t.configuration == evaluation.same_as), None)
        return (
            None
            if same is None
            else with_fields(evaluation, outcome=same.outcome, calibration=same.calibration, checks=same.checks)
        )

    def disqualify(self, configuration: Configuration, finding: Failed) -> None:
        """The trial fails, and with it those that took its outcome."""
        self._change(self._root(configuration), finding, log=finding.log)

    def add_checks(self, configuration: Configuration, checks: Iterable[Check]) -> None:
        """Further rows in the ledger of the configuration's trial."""
        trial = next((t for t in self.trials if t.configuration == configuration), None)
        ledger = EMPTY if trial is None else trial.checks.updated(checks)
        if trial is not None and ledger != trial.checks:
            patiently(lambda: self.study.keep_checks(trial, ledger))
            self.trials = self.study.trials

    def checks_of(self, configuration: Configuration) -> Ledger:
        """The ledger of the configuration's trial; an empty one without a trial."""
        return next((t.checks for t in self.trials if t.configuration == configuration), EMPTY)

    def measured_again(self, configuration: Configuration, value: float, samples: Sequence[float]) -> None:
        """The trial, and those that took its outcome, have another value instead of their own: measured now."""
        trial = self._root(configuration)
        speed = next((t.calibration for t in reversed(self.trials) if t.calibration is not None), None)
        outcome = Measured({self.objective.name: value}, tuple(samples))
        self._remeasured(trial, at_first_speed(Evaluation(outcome, calibration=speed), self.trials))

    def remeasured_against_best(self, configuration: Configuration, value: float, samples: Sequence[float]) -> None:
        """As `measured_again`, for a value relative to the best trial, which needs no correction for speed."""
        trial = self._root(configuration)
        outcome = Measured({self.objective.name: value}, tuple(samples))
        self._remeasured(trial, Evaluation(outcome, calibration=trial.calibration))

    def _remeasured(self, trial: Trial, now: Evaluation) -> None:
        before = value_of(trial, self.objective)
        note = f"measured again in turns with others; it was {before:.6g} {self.objective.unit}".rstrip()
        log = "\n".join(filter(None, [trial.log, note, now.log]))
        self._change(trial, now.outcome, log=log, calibration=now.calibration)

    def _root(self, configuration: Configuration) -> Trial:
        """Its trial, or the one whose outcome that took."""
        trial = next(t for t in self.trials if t.configuration == configuration)
        return trial if trial.same_as is None else self.trials[trial.same_as]

    def _change(self, trial: Trial, outcome: Outcome, *, log: str, calibration: float | None = None) -> None:
        patiently(
            lambda: self.study.observe(
                trial.configuration,
                outcome,
                seconds=trial.seconds,
                log=log,
                calibration=calibration,
                code=trial.code,
                checks=trial.checks,
                replace=True,
            )
        )
        self.trials = self.study.trials
        self.best = self._best()

    @property
    def default(self) -> Configuration:
        return self.study.space.default

    def default_value(self) -> float | None:
        """Measured value of the default; None if it was not measured."""
        values = (value_of(t, self.objective) for t in self.trials if t.configuration == self.default)
        return next((value for value in values if value is not None), None)

    def finalists(self) -> list[Configuration]:
        return finalists(self.trials, self.objective, self.study.space)

    def loss(self, trial: Trial) -> float:
        value = value_of(trial, self.objective)
        assert value is not None
        return self.objective.loss(value)

    def _best(self) -> Trial | None:
        return min(comparable(self.trials), key=self.loss, default=None)
