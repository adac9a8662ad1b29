"""What became of a program decides for every configuration that compiles to the same one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation
from tunepass.study.trial import Trial


class KnownCode:
    """Outcomes by a digest of the program and of how it runs; `log` is what the log of a taken outcome says."""

    def __init__(self, log: str):
        self.log = log
        self._outcomes: dict[str, Evaluation] = {}

    def __contains__(self, code: str) -> bool:
        return code in self._outcomes

    def remember(self, trials: Iterable[Trial]) -> None:
        """Those of an earlier session: an interrupted search goes on as if it had not been."""
        for trial in trials:
            if trial.code and trial.same_as is None:
                kept = Evaluation(trial.outcome, trial.seconds, trial.log, trial.calibration, code=trial.code)
                self.keep(trial.configuration, kept)

    def keep(self, configuration: Configuration, evaluation: Evaluation) -> None:
        self._outcomes[evaluation.code] = replace(evaluation, log=self.log, same_as=configuration)

    def taken(self, code: str, seconds: Mapping[str, float]) -> Evaluation | None:
        """The outcome for another configuration of that code, which took `seconds` so far."""
        known = self._outcomes.get(code)
        return None if known is None else replace(known, seconds=seconds)
