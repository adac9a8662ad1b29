"""Probes: trials of text that tunepass writes, made before the search. Text that does not compile ends the build."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tunepass.capabilities import capability
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.own_text import BlamesOwnText, OwnTextFailure, WritesText, is_outdated
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate, Failed
from tunepass.study.trial import Trial

Defect = Callable[[Configuration, OwnTextFailure], TunepassError]


def outdated_failures(trials: Iterable[Trial], evaluate: Evaluate) -> list[Trial]:
    """Trials that failed, of which tunepass now writes another text than it did then."""
    writer = capability(evaluate, WritesText)
    if writer is None:
        return []
    failed = [t for t in trials if isinstance(t.outcome, Failed)]
    return [t for t in failed if is_outdated(t.code, writer.own_text(t.configuration))]


class Probes:
    """The configurations that are tried first, and the default, which may be rewritten text too. Their trials are
    stored like all others. `defect` makes the error that ends the build."""

    def __init__(
        self, trial_log: TrialLog, evaluate: Evaluate, configurations: Sequence[Configuration], defect: Defect | None
    ):
        self.trial_log, self.evaluate, self.configurations, self.defect = trial_log, evaluate, configurations, defect

    def due(self) -> list[Configuration]:
        """The probes that have no trial yet."""
        known = {trial.configuration for trial in self.trial_log.trials}
        return [configuration for configuration in self.configurations if configuration not in known]

    def failed(self) -> list[Configuration]:
        """Probes that did not compile in an earlier build: another version of tunepass may write other text. A default
        that failed is evaluated again whatever it is, with the trials that failed alike."""
        failed = (trial.configuration for trial in self.trial_log.trials if self._is_doubtful(trial))
        return [configuration for configuration in failed if configuration != self.trial_log.default]

    def check(self, trial: Trial) -> None:
        """Raises the error for a probe, or a default, whose text is a defect of tunepass."""
        blaming = capability(self.evaluate, BlamesOwnText)
        if self.defect is None or not self._is_doubtful(trial) or blaming is None:
            return
        failure = blaming.own_text_failure(trial.configuration)
        if failure is not None:
            raise self.defect(trial.configuration, failure)

    def _is_doubtful(self, trial: Trial) -> bool:
        tried = (self.trial_log.default, *self.configurations)
        return isinstance(trial.outcome, Failed) and trial.outcome.stage == "compile" and trial.configuration in tried
