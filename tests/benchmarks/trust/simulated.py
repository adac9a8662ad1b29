"""Builds simulated on recorded rounds: how often a kernel that nothing changes is given another choice, and how soon a
gain is found.

`recorded.json` has rounds of programs that differ in a constant and not in speed, measured in turns as finalists are.
A simulated build draws blocks of consecutive rounds from one recording, so that what lasts longer than a round stays as
it was (moving blocks bootstrap: Künsch 1989, "The jackknife and the bootstrap for general stationary observations",
Annals of Statistics 17), and gives the recorded programs their roles by lot.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tunepass.evaluators.measure.interleaved import interleaved
from tunepass.search.finalists.rounds import MOST_ROUNDS, Rounds
from tunepass.study.comparison.winner import Decision, Finalist, decide_winner
from tunepass.study.objective import Objective

RECORDED = Path(__file__).parent / "recorded.json"
TIME = Objective("time", unit="ms")
BLOCK = 8  # rounds
FEW, MANY = 24, 160  # measurements that the time of a build allows

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Recording:
    """`logs` (programs, rounds) of times in ms."""

    kind: str
    load: float  # processes that wanted to run, on average
    logs: Floats


def recordings(path: Path = RECORDED) -> list[Recording]:
    data = json.loads(path.read_text())
    return [Recording(item["kind"], item["load"], np.log(np.array(item["values"]))) for item in data]


class Measurements:
    """A clock that a measurement moves by a second."""

    def __init__(self, logs: Floats):
        self.now, self.logs, self.made = 0.0, logs, [0] * len(logs)

    def __call__(self) -> float:
        return self.now

    def measure(self, index: int) -> float:
        self.now += 1.0
        self.made[index] += 1
        return float(np.exp(self.logs[index, self.made[index] - 1]))


def decided(logs: Floats, measurements: int) -> tuple[Decision, int]:
    """What a build whose time allows so many measurements decides, and after how many rounds."""
    clock = Measurements(logs)
    watch = Rounds(TIME, float(measurements), clock)
    default, *values = interleaved([True] * len(logs), clock.measure, min(MOST_ROUNDS, logs.shape[1]), behind=watch)
    return decide_winner(TIME, default, [Finalist(each) for each in values]), len(default)


def draws(recording: Recording, builds: int, seed: int) -> Iterator[tuple[Floats, int]]:
    """(programs, MOST_ROUNDS) logs of the default and its finalists, and the measurements that there is time for."""
    rng = np.random.default_rng(seed)
    programs, rounds = recording.logs.shape
    for _ in range(builds):
        starts = rng.integers(0, rounds - BLOCK + 1, -(-MOST_ROUNDS // BLOCK))
        columns = (starts[:, None] + np.arange(BLOCK)).ravel()[:MOST_ROUNDS]
        roles = rng.permutation(programs)[: rng.integers(2, programs + 1)]
        yield recording.logs[roles][:, columns], int(rng.integers(FEW, MANY))


def false_choices(recording: Recording, builds: int, seed: int = 0) -> int:
    """Of so many builds of a kernel that nothing changes."""
    return sum(not decided(logs, most)[0].kept_default for logs, most in draws(recording, builds, seed))


def found(recording: Recording, gain: float, builds: int, seed: int = 0) -> tuple[int, float]:
    """How many builds choose a finalist that is `gain` times faster, and their median of rounds."""
    chosen, rounds = 0, []
    for logs, most in draws(recording, builds, seed):
        logs[1] -= np.log(gain)
        decision, made = decided(logs, most)
        chosen += decision.chosen == 0
        rounds.append(made)
    return chosen, float(np.median(rounds))


def table(recorded: Sequence[Recording], builds: int) -> tuple[int, list[str]]:
    """False choices in all, and a line for each recording."""
    wrong, lines = 0, []
    share = builds // len(recorded)
    for recording in recorded:
        false = false_choices(recording, share)
        wrong += false
        gains = (f"{gain}x {count / 200:.0%} ({rounds:.0f})" for gain in (1.05, 1.1, 1.25)
                 for count, rounds in [found(recording, gain, 200)])  # fmt: skip
        lines.append(
            f"{recording.kind:<10} load {recording.load:4.1f}: {false} of {share} wrong; found {', '.join(gains)}"
        )
    return wrong, lines
