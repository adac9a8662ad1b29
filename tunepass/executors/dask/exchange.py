"""Texts between the client and its workers: JSON, checked as a store's texts are. Nothing is unpickled here.

An answer is `{"value": ...}` or `{"error": {"kind", "message", "hint"}}`.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tunepass import diagnostics
from tunepass.diagnostics import EnvironmentFault, TunepassError
from tunepass.machine_faults import is_machines, words_of
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed
from tunepass.study.storage import json_text
from tunepass.study.storage.checked import Damage
from tunepass.study.storage.trial_rows import OUTCOME_COLUMNS, outcome_cells, to_trial
from tunepass.study.trial import Trial

KINDS = ("TunepassError", "SpaceError", "SourceError", "StudyError", "ToolError", "EnvironmentFault")
UNKNOWN = "unknown evaluator"  # of a process that was started after the evaluator was made at its address


@dataclass(frozen=True, slots=True)
class RemoteError:
    """An error of a worker: `kind` is the name of its class."""

    kind: str
    message: str
    hint: str | None = None

    @property
    def is_fault(self) -> bool:
        """May the worker's machine be the reason?"""
        return self.kind in ("ToolError", "EnvironmentFault")

    def as_error(self, worker: str) -> TunepassError:
        """The error to raise here, with the worker's address."""
        error: TunepassError = getattr(diagnostics, self.kind)(f"worker {worker}: {self.message}", hint=self.hint)
        return error


class Rejected(Exception):
    """A worker's answer that is not as this version writes it."""


def answer(work: Callable[[], object]) -> str:
    """Run on a worker: what `work` returns, or the error that it raises, as an answer."""
    try:
        return json.dumps({"value": work()})
    except Exception as error:
        return json.dumps({"error": _error_fields(error)})


def _error_fields(error: Exception) -> Mapping[str, str | None]:
    if isinstance(error, TunepassError):
        names = [kind.__name__ for kind in type(error).__mro__ if kind.__name__ in KINDS]
        first = error.diagnostics[0]
        place = "" if first.span is None else f"{first.span}: "
        kind = "EnvironmentFault" if isinstance(error, EnvironmentFault) else names[0]
        return {"kind": kind, "message": f"{place}{first.message}", "hint": first.hint}
    if isinstance(error, OSError) or is_machines(error):
        return {"kind": "EnvironmentFault", "message": words_of(error), "hint": None}
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.filename}:{last.lineno}"
    message = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]} ({where})"
    return {"kind": "TunepassError", "message": message, "hint": "report it with the source"}


def read_answer(text: object) -> object | RemoteError:
    """The value of an answer, or its error. Raises Rejected."""
    fields = _mapping(_loaded(text), "an answer")
    if "error" not in fields:
        if set(fields) != {"value"}:
            raise Rejected(f"an answer has a value or an error, got {', '.join(sorted(fields)) or 'neither'}")
        return fields["value"]
    error = _mapping(fields["error"], "an error")
    kind, message, hint = error.get("kind"), error.get("message"), error.get("hint")
    if kind not in KINDS or not isinstance(message, str) or not (hint is None or isinstance(hint, str)):
        raise Rejected("an error has a kind, a message and perhaps a hint")
    return RemoteError(str(kind), message, hint)


def encode_evaluation(configuration: Configuration, evaluation: Evaluation) -> dict[str, object]:
    """An evaluation as the cells of a store's row."""
    trial = Trial(
        *(0, configuration, evaluation.outcome, evaluation.seconds, json_text.log_tail(evaluation.log)),
        *(evaluation.calibration, None, evaluation.code, evaluation.checks),
    )
    same_as = None if evaluation.same_as is None else json_text.encode_configuration(evaluation.same_as)
    return {"cells": dict(zip(OUTCOME_COLUMNS, outcome_cells(trial))), "same_as": same_as}


def decode_evaluation(value: object, configuration: Configuration) -> Evaluation:
    """The evaluation of a configuration. Raises Rejected."""
    fields = _mapping(value, "an evaluation")
    cells = _mapping(fields.get("cells"), "an outcome")
    if set(cells) != set(OUTCOME_COLUMNS):
        raise Rejected("an outcome has other cells than this version's")
    row = [0, json_text.encode_configuration(configuration), *(cells[name] for name in OUTCOME_COLUMNS)]
    try:
        trial = to_trial(row)
        same_as = fields.get("same_as")
        equal = None if same_as is None else json_text.decode_configuration(same_as)
    except Damage as damage:
        raise Rejected(damage.message) from None
    return Evaluation(
        *(trial.outcome, trial.seconds, trial.log, trial.calibration, equal, trial.code, trial.checks),
    )


def encode_failure(failure: Failed | None) -> list[str] | None:
    return None if failure is None else [failure.stage, failure.log]


def decode_failure(value: object) -> Failed | None:
    """Raises Rejected."""
    if value is None:
        return None
    match value:
        case [str(stage), str(log)]:
            try:
                return Failed(stage, log)
            except TunepassError as error:
                raise Rejected(error.sentence) from None
    raise Rejected("a failure is a stage and a log")


def _loaded(text: object) -> object:
    try:
        return json_text.load(text, "the answer")
    except Damage as damage:
        raise Rejected(damage.message) from None


def _mapping(value: object, subject: str) -> Mapping[str, object]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise Rejected(f"{subject} is an object")
    return value
