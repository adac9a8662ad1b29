"""The final round of a search: finalists are verified, and measured in rounds against the default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tunepass.capabilities import capability
from tunepass.evaluators.capabilities import ComparesAgain, LooksAgain
from tunepass.search.budget import Budget
from tunepass.search.faults import FaultGuard, patiently
from tunepass.search.finalists.choice import Verdict, differs_in_much, verdict_of_rounds
from tunepass.search.finalists.rounds import MOST_ROUNDS, Rounds
from tunepass.search.finalists.verification import Verification
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.study.comparison.final_round import Comparison, comparison_of
from tunepass.study.ledger import Check
from tunepass.study.outcome import Evaluate
from tunepass.study.results.distance import distance_from_default

UNREPEATED = "nothing here is measured again: single trials decided"
NO_DEFAULT = "the default was not measured"
DEFAULT_FAILED = "the default failed while the finalists were compared with it"


class FinalRound:
    """Compares finalists until one is better than the default, or none is; stores faults and the comparison."""

    def __init__(self, trial_log: TrialLog, budget: Budget, evaluate: Evaluate, guard: FaultGuard, *, sanitize: bool):
        self.trial_log, self.budget, self.evaluate, self.guard = trial_log, budget, evaluate, guard
        self.verification = Verification(trial_log, budget, evaluate, sanitize=sanitize)
        self.warnings = self.verification.warnings
        self.comparison: Comparison | None = None
        self.rounds = Check("rounds", "could not run", "the search ended before the final round")
        self._wary = sanitize  # verify all finalists before they are measured?

    def verdict(self, begin: Callable[[], None]) -> Verdict | None:
        """The finalists' verdict; None when they cannot be measured again, or there is nothing to compare. `begin` is
        called before they are measured. The winner is verified; if it is faulty, all finalists are verified, and those
        without faults are measured again."""
        comparing = capability(self.evaluate, ComparesAgain)
        if self.trial_log.default_value() is None or comparing is None:
            self.rounds = Check("rounds", "could not run", UNREPEATED if comparing is None else NO_DEFAULT)
            self.verification.clean_finalists()
            return None
        candidates = self.verification.clean_finalists() if self._wary else self.trial_log.finalists()
        if not candidates:
            self.rounds = Check("rounds", "not requested", "there is no finalist besides the default")
            self.verification.passed(self.trial_log.default)
            return None
        begin()
        candidates, default = self.budget.affordable(candidates), self.trial_log.default
        seconds = self.budget.rounds_s(candidates)
        watch = Rounds(self.trial_log.objective, seconds, self.budget.clock, self._spared(candidates))
        default_values, *values = self.guard.compared(
            partial(comparing.compare_again, [default, *candidates], MOST_ROUNDS, seconds, watch)
        )
        self.budget.spend("rerank", self.budget.clock() - watch.started)
        if not default_values:
            return self._undecided()
        if self._disqualified([c for c, compared in zip(candidates, values) if not compared]) == len(candidates):
            return self.verdict(begin)
        self.comparison = compared = comparison_of(self.trial_log.objective.name, default_values, candidates, values)
        patiently(lambda: self.trial_log.study.keep_comparison(compared))
        verdict = verdict_of_rounds(compared, self.trial_log.objective, self.trial_log.study.space)
        if self.verification.passed(verdict.choice):
            self.rounds = Check("rounds")
            return verdict
        self._wary = True
        return self.verdict(begin)

    def _spared(self, candidates: Sequence[Configuration]) -> int | None:
        """The place of the finalist that differs in little, where others differ in much: the default is at 0."""
        space = self.trial_log.study.space
        if len({differs_in_much(c, space) for c in candidates}) == 1:
            return None
        return 1 + min(range(len(candidates)), key=lambda i: distance_from_default(space, candidates[i]))

    def _undecided(self) -> Verdict:
        """The default, as its trial measured it: it failed now, and single trials are no reason for another choice."""
        value = self.trial_log.default_value()
        assert value is not None
        self.rounds = Check("rounds", "could not run", DEFAULT_FAILED, "build again")
        self.warnings.append(
            "the default failed while the finalists were compared with it, so it was kept: build again"
        )
        return Verdict(choice=self.trial_log.default, default_value=value, chosen_value=value, gain=1.0, interval=None)

    def _disqualified(self, configurations: Sequence[Configuration]) -> int:
        """How many of those that could not be compared are wrong; their trials fail."""
        looking = capability(self.evaluate, LooksAgain)
        findings = {c: looking.look_again(c) for c in configurations} if looking is not None else {}
        for configuration, finding in findings.items():
            if finding is not None:
                self.trial_log.disqualify(configuration, finding)
        return sum(finding is not None for finding in findings.values())
