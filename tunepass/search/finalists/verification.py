"""Verification of configurations that may win: longer runs and sanitizers, for faults that a trial is too short for.

It takes seconds where a kernel has threads. So the winner of the rounds is verified, and the other finalists only after
a winner was faulty.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from tunepass.capabilities import capability
from tunepass.evaluators.capabilities import LooksAgain, ReportsChecks, Sanitizes
from tunepass.search.budget import Budget
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check, Ledger, not_requested
from tunepass.study.outcome import Evaluate, Failed

NO_HARNESS = "they need a kernel with a generated harness"
Verifier = Callable[[Configuration], Failed | None]


class Verification:
    """The evaluator's longer checks, and the sanitizers if they are requested; each configuration is verified once.
    Faults of the default are among the `warnings`."""

    def __init__(self, trial_log: TrialLog, budget: Budget, evaluate: Evaluate, *, sanitize: bool):
        self.trial_log, self.budget, self.evaluate, self.sanitize = trial_log, budget, evaluate, sanitize
        self.warnings: list[str] = []
        self._clean: set[Configuration] = set()

    @cached_property
    def _verifiers(self) -> dict[str, Verifier]:
        verifiers: dict[str, Verifier] = {}
        if (looking := capability(self.evaluate, LooksAgain)) is not None:
            verifiers["a longer look"] = looking.look_again
        if self.sanitize and (sanitizing := capability(self.evaluate, Sanitizes)) is not None:
            verifiers["the sanitizers"] = sanitizing.sanitize
        elif self.sanitize:
            self.warnings.append("the sanitizers need a kernel with a generated harness: nothing was sanitized")
        return verifiers

    def passed(self, configuration: Configuration) -> bool:
        """Is the configuration free of faults? A fault makes the trial fail; for the default it is a warning."""
        if configuration in self._clean:
            return True
        before = self.budget.clock()
        faults = {
            verifier: finding
            for verifier, verify in self._verifiers.items()
            if (finding := verify(configuration)) is not None
        }
        self.budget.spend("sanitize", self.budget.clock() - before)
        if configuration == self.trial_log.default:
            self.warnings += [
                f"{verifier} finds fault with the default: {finding.log}" for verifier, finding in faults.items()
            ]
        elif faults:
            self.trial_log.disqualify(configuration, next(iter(faults.values())))
            return False
        self._clean.add(configuration)
        self.trial_log.add_checks(configuration, (*self._sanitizer_rows(), *self._reported(configuration).checks))
        return True

    def _sanitizer_rows(self) -> tuple[Check, ...]:
        if not self.sanitize:
            return not_requested("--sanitize was not given", "sanitizers")
        if capability(self.evaluate, Sanitizes) is None:
            return (Check("sanitizers", "could not run", NO_HARNESS),)
        return (Check("sanitizers"),)

    def _reported(self, configuration: Configuration) -> Ledger:
        reporting = capability(self.evaluate, ReportsChecks)
        return Ledger() if reporting is None else reporting.checks(configuration)

    def clean_finalists(self) -> list[Configuration]:
        """Finalists without faults, best first, as many as there is time for; the next best replaces a faulty one."""
        if not self._verifiers or not any(t.measured for t in self.trial_log.trials):
            return self.trial_log.finalists()
        self.passed(self.trial_log.default)
        clean: list[Configuration] = []
        while unknown := [c for c in self.trial_log.finalists() if c not in clean]:
            if clean and len(self.budget.affordable([*clean, unknown[0]])) <= len(clean):
                break
            if self.passed(unknown[0]):
                clean.append(unknown[0])
        return [c for c in self.trial_log.finalists() if c in clean]
