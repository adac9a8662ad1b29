"""How many suggestions are asked for at a time, to be compiled side by side."""

from __future__ import annotations

import os
from dataclasses import dataclass
from statistics import median

from tunepass.search.trial_log import TrialLog

MOST = 4  # suggestions at a time, each made without knowing what the others are worth
LONG_S = 1.0  # of a compile: below that, waiting for it costs less than a suggestion that knows more brings
TIMES = 2.0  # what a trial takes besides


@dataclass(frozen=True, slots=True)
class Jobs:
    """`requested` by the user, for the whole search. Else one suggestion for each core if the evaluator is `untimed`;
    if trials are timed, one at a time unless compilation takes most of the time."""

    requested: int | None
    trial_log: TrialLog
    untimed: bool

    @property
    def most(self) -> int:
        cores = len(os.sched_getaffinity(0))
        return self.requested or (cores if self.untimed else min(cores, MOST))

    def __call__(self) -> int:
        return self.most if self.requested or self.untimed or self._compiling_takes_the_time() else 1

    def _compiling_takes_the_time(self) -> bool:
        built = [
            trial.seconds for trial in self.trial_log.trials if trial.same_as is None and "compile" in trial.seconds
        ]
        if not built:
            return False
        compile_s = median(seconds["compile"] for seconds in built)
        besides_s = median(sum(seconds.values()) - seconds["compile"] for seconds in built)
        return compile_s >= max(LONG_S, TIMES * besides_s)
