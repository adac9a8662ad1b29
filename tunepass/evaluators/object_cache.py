"""Outcomes by object code: configurations that compile to the same program share one outcome."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from tunepass.evaluators.process.failures import may_be_the_machines
from tunepass.files import encoded
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation
from tunepass.study.trial import Trial


class ObjectCache:
    """Outcomes by a digest of the program and of how it runs; `log` is the log of an outcome that was looked up."""

    def __init__(self, log: str):
        self.log = log
        self._outcomes: dict[str, Evaluation] = {}

    def __contains__(self, code: str) -> bool:
        return code in self._outcomes

    def remember(self, trials: Iterable[Trial]) -> None:
        """Store the outcomes of an earlier session's trials: an interrupted search continues as if it never stopped."""
        for trial in trials:
            program, _, _ = trial.code.partition(" ")  # what follows is the digest of its text
            if program and trial.same_as is None:
                evaluation = Evaluation(
                    trial.outcome, trial.seconds, trial.log, trial.calibration, code=program, checks=trial.checks
                )
                self.store(trial.configuration, evaluation)

    def store(self, configuration: Configuration, evaluation: Evaluation) -> None:
        if may_be_the_machines(evaluation.outcome):  # that says nothing of another of the same code
            return
        self._outcomes[evaluation.code] = replace(evaluation, log=self.log, same_as=configuration)

    def look_up(self, code: str, seconds: Mapping[str, float]) -> Evaluation | None:
        """The outcome for another configuration of the same code, which took `seconds` so far; None: not known."""
        known = self._outcomes.get(code)
        return None if known is None else replace(known, seconds=seconds)


def digest(*parts: bytes | str) -> str:
    """SHA-256 of the parts, each preceded by its length."""
    state = hashlib.sha256()
    for part in parts:
        data = encoded(part) if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()


def file_digest(path: Path) -> str:
    return digest(path.read_bytes())
