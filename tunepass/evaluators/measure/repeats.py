"""A program that prints or takes a number which varies: medians over runs, cut short where it cannot win."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from tunepass.evaluators.measure.speed import machine_speed
from tunepass.evaluators.measure.timing import MeasurePlan, median_interval
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured

WALL_TIME = Objective("time", unit="ms")
Values = Mapping[str, float]


class Repeats:
    """Remembers the best median of the first objective. With several objectives nothing is cut: what is slow may be
    good otherwise. `speed` is the machine's during the last measurement, if that was of wall times."""

    def __init__(self, plan: MeasurePlan, objectives: Sequence[Objective]):
        self.plan, self.objectives = plan, tuple(objectives)
        self.incumbent: float | None = None
        self.speed: float | None = None

    def measure(self, once: Callable[[], Values | Failed], first: Values) -> Measured | Failed:
        """Runs until the median is known or the plan is spent. The first run warmed the caches: its values count only
        where the candidate is cut after it, or where one run is all."""
        name, plan = self.objectives[0].name, self.plan
        timed = self.objectives == (WALL_TIME,)
        runs: list[Values] = []
        speeds = [machine_speed()] if timed else []
        until = time.monotonic() + plan.budget_s
        censored = self._hopeless(first[name])
        while not censored and len(runs) < plan.most and plan.most > 1:
            values = once()
            if isinstance(values, Failed):
                return values
            runs.append(values)
            if timed:
                speeds.append(machine_speed())
            if time.monotonic() >= until or (len(runs) >= plan.least and self._steady([run[name] for run in runs])):
                break
        runs = runs or [first]
        medians = {objective: median([run[objective] for run in runs]) for objective in first}
        if not censored and self._leads(medians[name]):
            self.incumbent = medians[name]
        self.speed = median(speeds) if timed else None
        return Measured(medians, tuple(run[name] for run in runs), censored=censored)

    def _leads(self, value: float) -> bool:
        objective = self.objectives[0]
        return self.incumbent is None or objective.loss(value) < objective.loss(self.incumbent)

    def _hopeless(self, value: float) -> bool:
        if self.incumbent is None or len(self.objectives) > 1 or value * self.incumbent <= 0:
            return False
        return self.objectives[0].gain(self.incumbent, value) < 1 / (2 * self.plan.cutoff_factor)

    def _steady(self, values: Sequence[float]) -> bool:
        lo, hi = median_interval(values)
        middle = median(values)
        return middle != 0 and (hi - lo) / 2 <= self.plan.precision * abs(middle)
