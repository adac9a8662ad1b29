"""Rounds of finalists while they are measured: who needs no more of them, and whom the time is enough for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tunepass.study.objective import Objective

MOST_ROUNDS = 100  # the last look of tunepass.study.sequential
FEWEST_ROUNDS = 4  # that decide anything, whatever the time
FIRST_LOOK = 6  # rounds after which something can be decided
TIMED_ROUNDS = 2  # tell how long a round takes


@dataclass(slots=True)
class Rounds:
    """Called after each round with the values so far, the default's first; its answer is who needs no further rounds.

    `seconds` count from the start, with the compilation. No round begins that would last longer, and where they are too
    few for the first look, those that seem worst make room for the others. The best makes FEWEST_ROUNDS in any case."""

    objective: Objective
    seconds: float
    clock: Callable[[], float]
    started: float = field(init=False)
    latest: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.latest = self.clock()

    def __call__(self, values: Sequence[Sequence[float]]) -> list[int]:
        from tunepass.study.winner import ranked, unneeded  # brings scipy, which a build from the lock does without

        now, rounds = self.clock(), len(values[0])
        round_s, self.latest = now - self.latest, now
        running = [i for i, each in enumerate(values) if i > 0 and len(each) == rounds]
        late = rounds >= FEWEST_ROUNDS and now - self.started + round_s > self.seconds
        if late or not running:
            return list(range(len(values)))
        if not TIMED_ROUNDS <= rounds < FIRST_LOOK:
            return unneeded(self.objective, values)
        left_s, measurement_s = self.seconds - (now - self.started), round_s / (len(running) + 1)
        room = int(left_s / ((FIRST_LOOK - rounds) * measurement_s)) - 1 if measurement_s > 0 else len(running)
        return ranked(self.objective, values, running)[max(1, room) :]
