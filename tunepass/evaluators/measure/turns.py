"""Several programs that are alive at once and measured in short turns, so that they meet the same machine.

A machine whose core is shared with others has two speeds or more, and changes them several times a second. Whoever is
measured as a whole before the next one meets another machine; slices of a hundredth of a second, in turns, do not.

| symbol  | meaning                                          |
|---------|--------------------------------------------------|
| x_it    | log of the median of program i's samples, turn t |
| l_t     | mean of x_it over the programs: the turn's level |
| v_i     | exp(median of l_t + median over t of x_it - l_t) |

Of two programs, v_1 / v_2 is the median of what they differ by in a turn.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import numpy as np

from tunepass.evaluators.measure.timing import CALIBRATION_SLACK, Sample


class Stopped(Exception):
    """Nobody gets the floor any more."""


class Turns:
    """The floor is given to one party after another, for `rounds` rounds, in one order: who had it twice in a row would
    find the caches as it left them. Nobody has it before everybody has asked for it, or left."""

    def __init__(self, parties: int, rounds: int):
        self._left = [*range(parties)] * rounds
        self._absent = set(range(parties))
        self._gone: set[int] = set()
        self._stopped = False
        self._changed = threading.Condition()

    def leave(self, party: int) -> None:
        """Its turns are left out."""
        with self._changed:
            self._absent.discard(party)
            self._gone.add(party)
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    @contextmanager
    def floor(self, party: int) -> Iterator[None]:
        """Waits for the party's next turn, which ends with the block. Raises Stopped."""
        with self._changed:
            self._absent.discard(party)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._stopped or self._next() == party)
            if self._stopped:
                raise Stopped
        try:
            yield
        finally:
            with self._changed:
                self._left.pop(0)
                self._changed.notify_all()

    def _next(self) -> int | None:
        while self._left and self._left[0] in self._gone:
            self._left.pop(0)
        return self._left[0] if self._left and not self._absent else None


@dataclass(frozen=True, slots=True)
class Party:
    """One of those who take part. Once it has left, nobody waits for it."""

    turns: Turns
    number: int

    def floor(self) -> AbstractContextManager[None]:
        return self.turns.floor(self.number)

    def leave(self) -> None:
        self.turns.leave(self.number)


def in_same_turns(slices: Sequence[Sequence[Sequence[Sample]]]) -> list[float]:
    """v_i in seconds, of the samples of each program (none of them empty) in each turn."""
    medians = np.array([_medians(turn) for turn in zip(*slices, strict=True)]).T  # x (programs, turns)
    levels = medians.mean(axis=0)  # (turns,)
    return [float(value) for value in np.exp(np.median(levels) + np.median(medians - levels, axis=1))]


def _medians(turn: Sequence[Sequence[Sample]]) -> list[float]:
    """Logs, of the samples that nothing disturbed where there are enough."""
    fastest = min(sample.calibration_s for samples in turn for sample in samples)
    values = []
    for samples in turn:
        clean = [s.seconds for s in samples if not s.interruptions and s.calibration_s <= CALIBRATION_SLACK * fastest]
        enough = len(clean) >= min(3, len(samples))
        values.append(float(np.log(np.median(clean if enough else [sample.seconds for sample in samples]))))
    return values
