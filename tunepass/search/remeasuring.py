"""The best trial measured again, before others are called near it, and they with it.

What makes a schedule simpler asks which trials are hardly worse than the best. Of a hundred trials with a noise of a
twentieth the best stands a tenth below what it is, and nothing simple is near that. So the best few are measured again
in turns, and their trials take those values, until the best is one that was. On a machine that others share a trial is
slow for as long as they work; so what is to be simpler than the best is measured in turns with it, and its trial stands
to the best one as in those.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import median

from tunepass.capabilities import capability
from tunepass.evaluators.capabilities import ComparesAgain, Summarises
from tunepass.search.budget import Budget
from tunepass.search.faults import FaultGuard
from tunepass.search.finalists.choice import is_near
from tunepass.search.result import value_of
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate
from tunepass.study.trial import Trial, comparable

CLOSE = 1.05  # times worse than the best: those are measured again with it,
AT_ONCE = 4  # so many at most
TURNS = 5
TIMES = 6  # in a search, at most
LEAST_S = 2.0  # that turns with the best may take, with building them, or twice as long as the trial took
SHARE = 0.2  # of what is left for trials, that may be spent at a time


class Remeasuring:
    """Knows which trials were measured again; not those of an earlier session."""

    def __init__(self, trial_log: TrialLog, budget: Budget, evaluate: Evaluate, guard: FaultGuard):
        self.trial_log, self.budget, self.evaluate, self.guard = trial_log, budget, evaluate, guard
        self._again: set[Configuration] = set()
        self._times = 0

    def best_few(self) -> bool:
        """Measure the best again, and those close to it, until the best was; whether anything was measured."""
        before, comparing = self._times, capability(self.evaluate, ComparesAgain)
        while self._times < TIMES and comparing is not None and (doubtful := self._doubtful()):
            self._times += 1
            self._again.update(doubtful)
            for configuration, values in zip(doubtful, self._turns(comparing, doubtful)):
                if values:  # what fails now is looked at with the finalists
                    self.trial_log.measured_again(configuration, self._summary(values), values)
        return self._times > before

    def remeasure_against_best(self, trial: Trial, best: Trial) -> None:
        """Measure the trial in turns with the one that was the best before it, where that takes little time."""
        comparing = capability(self.evaluate, ComparesAgain)
        if comparing is None or not trial.measured or trial.same_as is not None:
            return
        both = [best.configuration, trial.configuration]
        value = value_of(best, self.trial_log.objective)
        if value is None or self.budget.turns_s(both, TURNS) > max(LEAST_S, 2 * sum(trial.seconds.values())):
            return
        known, values = self._turns(comparing, both)
        if known and values and (summary := self._summary(known)):
            self.trial_log.remeasured_against_best(trial.configuration, value * self._summary(values) / summary, values)

    def _turns(self, evaluate: ComparesAgain, configurations: list[Configuration]) -> list[list[float]]:
        started = self.budget.clock()
        values = self.guard.compared(partial(evaluate.compare_again, configurations, TURNS))
        self.budget.spend("measure", self.budget.clock() - started)
        return values

    def _summary(self, values: Sequence[float]) -> float:
        summarising = capability(self.evaluate, Summarises)
        return median(values) if summarising is None else summarising.summary(values)

    def _doubtful(self) -> list[Configuration]:
        """The best, unless it was measured again, and those close to it that were not, as many as there is time for; of
        one code one."""
        best = self.trial_log.best
        if best is None or best.configuration in self._again:
            return []
        candidates = [
            t for t in comparable(self.trial_log.trials) if t.same_as is None and t.configuration not in self._again
        ]
        close = [t.configuration for t in sorted(candidates, key=self.trial_log.loss) if self._is_close(t, best)]
        left_s = SHARE * self.budget.trial_s()
        return max((close[:n] for n in range(AT_ONCE + 1) if self.budget.turns_s(close[:n], TURNS) <= left_s), key=len)

    def _is_close(self, trial: Trial, best: Trial) -> bool:
        value, least = value_of(trial, self.trial_log.objective), value_of(best, self.trial_log.objective)
        return value is not None and least is not None and is_near(self.trial_log.objective, least, value, CLOSE)
