"""Rounds of finalists while they are measured: who needs no more of them, and whom the time is enough for."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tunepass.evaluators.elsewhere import EncodesRule
from tunepass.study.objective import Objective
from tunepass.study.storage.json_text import decode_objectives, encode_objectives

MOST_ROUNDS = 100  # the last look of tunepass.study.comparison.sequential
FEWEST_ROUNDS = 4  # that decide anything, whatever the time
FIRST_INTERIM_ROUND = 6  # of tunepass.study.comparison.sequential
TIMED_ROUNDS = 2  # tell how long a round takes
ENOUGH_ROUNDS = 24  # while the time is not enough for so many, the worse half goes after each
RESERVED_ROUNDS = 20  # of the best, that time is kept for: they tell a gain of a tenth from the noise of a busy machine


@dataclass(slots=True)
class Rounds(EncodesRule):
    """Called after each round with the values so far, the default's first; its answer is who needs no further rounds.

    `seconds` count from the start, with the compilation. No round begins that would last longer, and where there is no
    time for ENOUGH_ROUNDS of all, those that seem worst make room for the others: half of them after each round, more
    where the rest would not come to the first look. The best makes FEWEST_ROUNDS in any case."""

    objective: Objective
    seconds: float
    clock: Callable[[], float]
    spared: int | None = None
    started: float = field(init=False)
    latest: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.latest = self.clock()

    def encode(self) -> str:
        """The rule as JSON, for a process that measures elsewhere; its time starts there."""
        return json.dumps([encode_objectives((self.objective,)), self.seconds, self.spared])

    @staticmethod
    def decode(text: str, clock: Callable[[], float]) -> Rounds:
        """The rule of `encode`, starting now."""
        objectives, seconds, spared = json.loads(text)
        return Rounds(decode_objectives(objectives)[0], seconds, clock, spared)

    def __call__(self, values: Sequence[Sequence[float]]) -> list[int]:
        from tunepass.study.comparison.winner import (  # brings scipy, which a build from the lock does without
            ranked,
            unneeded,
        )

        now, rounds = self.clock(), len(values[0])
        round_s, self.latest = now - self.latest, now
        running = [i for i, each in enumerate(values) if i > 0 and len(each) == rounds]
        late = rounds >= FEWEST_ROUNDS and now - self.started + round_s > self.seconds
        if late or not running:
            return list(range(len(values)))
        lost = unneeded(self.objective, values, spared=self.spared)
        if rounds < TIMED_ROUNDS or len(lost) == len(values):
            return lost
        left_s, measurement_s = self.seconds - (now - self.started), round_s / (len(running) + 1)
        continuing = room(left_s / measurement_s if measurement_s > 0 else math.inf, rounds, len(running))
        behind = ranked(self.objective, values, running)[continuing:]
        return [*lost, *(i for i in behind if i not in lost and i != self.spared)]


def room(measurements: float, rounds: int, running: int) -> int:
    """How many finalists of those `running` go on after so many `rounds`, where there is time for `measurements`, the
    default's among them."""

    def come_to(target: int) -> int:
        return running if rounds >= target or math.isinf(measurements) else int(measurements / (target - rounds)) - 1

    return max(1, min(running, come_to(FIRST_INTERIM_ROUND), max(come_to(ENOUGH_ROUNDS), (running + 1) // 2)))


def measurements(finalists: int, rounds: int = RESERVED_ROUNDS) -> int:
    """How many measurements it takes until the best of so many finalists has made `rounds`, the default's among them,
    where the worse half goes after each round."""
    running, count = finalists, min(rounds, TIMED_ROUNDS) * (finalists + 1)
    for _ in range(TIMED_ROUNDS, rounds):
        running = (running + 1) // 2
        count += running + 1
    return count
