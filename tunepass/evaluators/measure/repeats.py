"""A program that prints or takes a number which varies: runs of one candidate, raced against the best so far.

The first run counts. A run that is clearly behind is ended while it goes on, and further runs are made only while they
can tell the candidate from the best. Wall times are compared at the speed that the machine had for the best, and the
least of a candidate's counts: what else the machine does makes a run slower, for some of its runs or for none.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from tunepass.evaluators.measure.speed import LastingSpeed, machine_speed
from tunepass.evaluators.measure.timing import MeasurePlan, median_interval
from tunepass.evaluators.process.run import Completed, Limits
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured

WALL_TIME = Objective("time", unit="ms")
START_S = 0.02  # that the start of a process may take longer than usual, whatever the program
SPREAD = 0.02  # relative distance of two sets of runs that counts as one, where ENOUGH runs tell how much they vary
SPREAD_OF_FEW = 0.1
ENOUGH = 3
LATEST = 9  # candidates that tell how much runs of one program differ
CUTS = 2  # runs that were ended, beside whole ones, end the race
SPEEDS = (0.5, 2.0)  # changes of the machine's speed that are believed
Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Cut:
    """A run that was ended because it was behind: `values` are what it had reached, the least that it would have."""

    values: Values


class Repeats:
    """Remembers the runs of the best candidate, by the first objective. With several objectives nothing is cut: what is
    slow may be good otherwise. `speed` is the machine's during the last measurement, if that was of wall times."""

    def __init__(self, plan: MeasurePlan, objectives: Sequence[Objective]):
        self.plan, self.objectives = plan, tuple(objectives)
        self.timed = self.objectives == (WALL_TIME,)
        self.best: Sequence[float] = ()  # the first objective of the best candidate's runs
        self.speed: float | None = None
        self._speed_of_best = 0.0
        self._lasting = LastingSpeed(lambda: machine_speed())
        self._spreads: deque[float] = deque(maxlen=LATEST)  # of the runs of one candidate each, the latest

    @property
    def incumbent(self) -> float | None:
        return self.summary(self.best) if self.best else None

    @property
    def disturbed(self) -> float:
        """How many times longer than the least one a run of the same program takes, as the latest candidates tell."""
        return median(self._spreads) if self._spreads else 1.0

    # -- one run

    def cut_s(self) -> float | None:
        """Seconds after which a run is clearly behind the best, at the machine's present speed; None: it has to end."""
        if not (self.timed and self.best):
            return None
        slower = min(max(self._speed_of_best / machine_speed(), SPEEDS[0]), SPEEDS[1])
        return self.plan.cutoff_factor * min(self.best) / 1000.0 * max(slower, self.disturbed) + START_S

    def raced(
        self,
        run: Callable[[Limits], Completed],
        limits: Limits,
        allowed: Callable[[float], float] = lambda cut_s: cut_s,
    ) -> tuple[Completed, bool]:
        """A run, and whether it was ended because it is behind. `allowed`: the seconds that it may take itself, of
        those until then. One that has mostly waited, perhaps because others had the core, may try again."""
        cut_s = self.cut_s()
        if cut_s is None or allowed(cut_s) >= limits.wall_s:
            return run(limits), False
        shorter = replace(limits, wall_s=max(START_S, allowed(cut_s)))
        done = run(shorter)
        if done.starved:
            done = run(shorter)
        return done, done.ended == "timeout"

    # -- the runs of a candidate

    def measure(
        self, once: Callable[[], Values | Cut | Failed], first: Values | Cut, worth_s: float = math.inf
    ) -> Measured | Failed:
        """More runs, until they tell the candidate from the best or the plan is spent. One that was cut after a whole
        one may have met a slow moment; a second such is the last. After `worth_s`, the plan's least number is enough.
        """
        speeds = [self._look()]  # of the moment, after each run
        if isinstance(first, Cut):
            return Measured(first.values, censored=True)
        name, runs, cuts = self.objectives[0].name, [first], 0
        started = time.monotonic()

        def spent() -> bool:
            enough = worth_s if len(runs) >= self.plan.least else math.inf
            return len(runs) >= self.plan.most or time.monotonic() - started >= min(self.plan.budget_s, enough)

        while True:
            values = [run[name] for run in runs]
            lenient = [value * self._at_speed_of_best(speed) for value, speed in zip(values, speeds, strict=True)]
            censored = cuts == CUTS or self._hopeless(lenient)
            if censored or self._behind(lenient) or self._enough(values) or spent():
                break
            run = once()
            if isinstance(run, Failed):
                return run
            if isinstance(run, Cut):
                cuts += 1
                continue
            runs.append(run)
            speeds.append(self._look())
        if not censored:
            self._compare(values)
        if len(values) >= self.plan.least:
            self._spreads.append(max(values) / min(values) if min(values) > 0 else 1.0)
        summaries = {objective: self.summary([run[objective] for run in runs]) for objective in first}
        return Measured(summaries, tuple(values), censored=censored)

    def summary(self, values: Sequence[float]) -> float:
        """What several runs come to: the least wall time, since whatever else the machine does only adds to it (Chen
        and Revels 2016); the median of what a program prints."""
        return min(values) if self.timed else median(values)

    def _look(self) -> float | None:
        """The machine's speed at this moment; `speed` is what lasts of it."""
        moment = self._lasting.look() if self.timed else None
        self.speed = self._lasting.speed if self.timed else None
        return moment

    def _compare(self, values: Sequence[float]) -> None:
        """The best are these runs, if they are better."""
        loss, incumbent = self.objectives[0].loss, self.incumbent
        if incumbent is None or loss(self._at_speed_of_best() * self.summary(values)) < loss(incumbent):
            self.best, self._speed_of_best = tuple(values), self.speed or 0.0

    def _at_speed_of_best(self, moment: float | None = None) -> float:
        """The factor of times that are taken now, or were at the speed of a moment; 1 where no speed is known."""
        speed = moment or self.speed
        if not (speed and self._speed_of_best > 0):
            return 1.0
        return min(max(speed / self._speed_of_best, 1 / SPEEDS[1]), 1 / SPEEDS[0])

    def _hopeless(self, values: Sequence[float]) -> bool:
        """Is the better of two runs clearly behind, or the first alone by twice that? A first run finds caches cold."""
        objective = self.objectives[0]
        value, best = min(values, key=objective.loss), self.incumbent
        if best is None or len(self.objectives) > 1 or value * best <= 0 or len(values) > 2:
            return False
        factor = self.plan.cutoff_factor * (2 if len(values) == 1 else 1) * (self.disturbed if self.timed else 1.0)
        return objective.gain(best, value) < 1 / factor

    def _behind(self, values: Sequence[float]) -> bool:
        """Is each run worse than the best by more than runs of one program differ? What is near is measured on; a first
        run finds caches cold."""
        if not self.best or len(self.objectives) > 1:
            return False
        losses, best = self._losses(values), self._losses(self.best)
        few = SPREAD_OF_FEW if len(values) == 1 else SPREAD
        if self.timed:
            worse = self.disturbed if len(values) < self.plan.least else 1.0
            return min(losses) > max(worse, 1 + few) * min(best)
        margin = self._margin() if len(values) > 1 else few * abs(median(self.best))
        return min(losses) > max(best) + max(max(best) - min(best), margin)

    def _enough(self, values: Sequence[float]) -> bool:
        """Is known what the value is, or that it is better than the best?"""
        if len(values) < self.plan.least:
            return False
        if not self.timed:
            return self._steady(values) or self._ahead(max(self._losses(values)))
        least, second = sorted(values)[:2]  # of wall times two runs that nothing disturbed agree
        return second - least <= self.plan.precision * least or self._ahead(self._at_speed_of_best() * second)

    def _ahead(self, loss: float) -> bool:
        if not self.best or len(self.objectives) > 1:
            return False
        return loss < min(self._losses(self.best)) - self._margin()

    def _losses(self, values: Sequence[float]) -> list[float]:
        return [self.objectives[0].loss(value) for value in values]

    def _margin(self) -> float:
        return (SPREAD if len(self.best) >= ENOUGH else SPREAD_OF_FEW) * abs(median(self.best))

    def _steady(self, values: Sequence[float]) -> bool:
        lo, hi = median_interval(values)
        middle = median(values)
        return middle != 0 and (hi - lo) / 2 <= self.plan.precision * abs(middle)
