"""The time of a search: what was spent on what, what is left, and what comparing its finalists will take."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median

from tunepass.capabilities import capability
from tunepass.evaluators.capabilities import ComparesAgain, KeepsPrograms, LooksAgain, TimesRounds
from tunepass.evaluators.process.cores import MOST_S
from tunepass.search.finalists.rounds import RESERVED_ROUNDS, measurements
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate, Measured

LATE = 0.8  # of the evaluations, or of the time, has the search to itself; then the best is simplified first
FINALISTS_SHARE = 0.35  # of the time budget, at most, is kept for measuring the finalists again
LEAST_PATIENCE_S = 5.0  # most measurements of others end sooner
LEAST_FINALISTS_S = 3.0  # where only evaluations are limited, and the search was short
FEW_ROUNDS = 12  # of the best: where there is no time for so many, fewer finalists are compared
USUAL_SPREAD = 0.05  # of a program's runs, for which RESERVED_ROUNDS do
LATEST = 15  # trials that tell by how much runs of a program differ
MOST_NOISE = 3.0  # times as many rounds are kept time for
ROUND_SHARE = 0.5  # of a trial's measurement, at most, that a round takes, unless the evaluator says what it takes


def spread(samples: Sequence[float]) -> float:
    """Half of what two thirds of the samples lie within, relative to their median."""
    ordered, last = sorted(samples), len(samples) - 1
    return (ordered[round(0.84 * last)] - ordered[round(0.16 * last)]) / 2 / median(ordered)


class Budget:
    """Seconds from when it was made, by a clock, of `budget_s` or of any number; `max_evals` count as well."""

    def __init__(
        self,
        trial_log: TrialLog,
        evaluate: Evaluate,
        budget_s: float | None,
        max_evals: int | None,
        clock: Callable[[], float],
    ):
        self.trial_log, self.evaluate, self.budget_s, self.max_evals, self.clock = (
            trial_log,
            evaluate,
            budget_s,
            max_evals,
            clock,
        )
        self.start = clock()
        self.seconds: dict[str, float] = {}

    def spend(self, stage: str, seconds: float) -> None:
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds

    def elapsed(self) -> float:
        return self.clock() - self.start

    def left_s(self) -> float | None:
        return None if self.budget_s is None else max(0.0, self.budget_s - self.elapsed())

    # -- of the search

    def over(self) -> bool:
        """Half of the next trial may extend into the time that is reserved for the finalists."""
        usual_s = median([sum(t.seconds.values()) for t in self.trial_log.trials] or [0.0])
        return self.budget_s is not None and self.elapsed() + usual_s / 2 >= self.budget_s - self.reserve_s()

    def late(self) -> bool:
        most, budget = self.max_evals, self.budget_s
        return (most is not None and self.trial_log.study.spent >= LATE * most) or (
            budget is not None and self.elapsed() >= LATE * (budget - self.reserve_s())
        )

    def trial_s(self) -> float:
        """Seconds left for a trial. The default is measured in any case."""
        if self.budget_s is None or not self.trial_log.trials:
            return math.inf
        return max(0.0, self.budget_s - self.reserve_s() - self.elapsed())

    def patience_s(self) -> float:
        """How long a measurement may still wait for a core: at the end of the time too, for as long as others take."""
        left = self.left_s()
        return MOST_S if left is None else max(left, LEAST_PATIENCE_S)

    # -- of the finalists

    def reserve_s(self) -> float:
        """Seconds for the final round and the verification of the winner, within their share of the budget."""
        if capability(self.evaluate, ComparesAgain) is None:
            return 0.0
        candidates = self.trial_log.finalists()
        again = self._again_s([self.trial_log.default, *candidates], self._reserved_rounds())
        rest = self._verification_s() + self._writing_s(candidates)
        return min(FINALISTS_SHARE * (self.budget_s or 0.0), again + rest)

    def affordable(self, candidates: list[Configuration]) -> list[Configuration]:
        """The finalists that the time left allows: rather few of them than few rounds, but one in any case."""
        left, default = self._left_for_rounds_s(), self.trial_log.default
        if left is None:
            return candidates
        enough = [
            k for k in range(1, len(candidates) + 1) if self._again_s([default, *candidates[:k]], FEW_ROUNDS) <= left
        ]
        return candidates[: max(enough, default=1)]

    def rounds_s(self, candidates: Sequence[Configuration]) -> float:
        """Seconds left for rounds of these, without those for verifying the winner and building it once more."""
        left = self._left_for_rounds_s()
        if left is None:
            return max(LEAST_FINALISTS_S, FINALISTS_SHARE * self.elapsed())
        return max(0.0, left - self._writing_s(candidates))

    def _left_for_rounds_s(self) -> float | None:
        left = self.left_s()
        return None if left is None else max(0.0, left - self._verification_s())

    def _verification_s(self) -> float:
        looking = capability(self.evaluate, LooksAgain)
        return 0.0 if looking is None else looking.look_s()

    def _writing_s(self, candidates: Sequence[Configuration]) -> float:
        """Seconds to build the winner once more; 0 if its program is kept."""
        keeping = capability(self.evaluate, KeepsPrograms)
        if keeping is not None and keeping.hands_over:
            return 0.0
        builds = (t.seconds.get("compile", 0.0) for t in self.trial_log.trials if t.configuration in candidates)
        return max(builds, default=0.0)

    def turns_s(self, configurations: Sequence[Configuration], turns: int) -> float:
        """Seconds to measure these again in so many turns, estimated from their trials."""
        builds, each = self._estimates_s(configurations)
        return sum(builds) + turns * sum(each)

    def _again_s(self, configurations: Sequence[Configuration], rounds: int) -> float:
        """Seconds to build the default and the finalists, and for rounds until the best has made so many."""
        builds, each = self._estimates_s(configurations)
        mean_s = sum(each) / max(1, len(each))
        return sum(builds) + measurements(len(configurations) - 1, rounds) * mean_s

    def _estimates_s(self, configurations: Sequence[Configuration]) -> tuple[list[float], list[float]]:
        """Seconds to build each program that is not kept, and for a round of each, estimated from their trials."""
        trials = self.trial_log.trials
        repeated = [t for t in trials if t.configuration in configurations]
        stage_seconds = [(t if t.same_as is None else trials[t.same_as]).seconds for t in repeated]
        keeping = capability(self.evaluate, KeepsPrograms)
        missing = [keeping is None or not keeping.is_kept(trial.configuration) for trial in repeated]
        builds = [seconds.get("compile", 0.0) for seconds, build in zip(stage_seconds, missing) if build]
        return builds, self._rounds_s([seconds.get("measure", 0.0) for seconds in stage_seconds])

    def _reserved_rounds(self) -> int:
        """More where runs of one program differ by more than a twentieth in a quarter of the latest trials: a trial is
        shorter than the time for which others work. Programs that share their turns differ less in a round."""
        if capability(self.evaluate, TimesRounds) is not None:
            return RESERVED_ROUNDS
        sample_sets = [
            t.outcome.samples for t in self.trial_log.trials if isinstance(t.outcome, Measured) and t.same_as is None
        ]
        spreads = [spread(samples) for samples in sample_sets if len(samples) >= 3][-LATEST:]
        noise = sorted(spreads)[3 * len(spreads) // 4] / USUAL_SPREAD if spreads else 1.0
        return round(RESERVED_ROUNDS * min(MOST_NOISE, max(1.0, noise)))

    def _rounds_s(self, trials_s: Sequence[float]) -> list[float]:
        timing = capability(self.evaluate, TimesRounds)
        return [ROUND_SHARE * trial_s if timing is None else timing.round_s(trial_s) for trial_s in trials_s]
