"""Finalists measured again in turns, forth and back, so that a drift of the machine reaches all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

from tunepass.study.outcome import Failed

Behind = Callable[[Sequence[Sequence[float]]], Collection[int]]  # values by round -> who cannot win any more

LEAST_ROUNDS = 5  # of finalists, whatever the time: fewer decide nothing (tunepass.study.winner)


def interleaved(
    alive: Sequence[bool],
    measure: Callable[[int], float | Failed],
    rounds: int,
    seconds: float | None = None,
    behind: Behind | None = None,
) -> list[list[float]]:
    """For each finalist its value by round; none for one that is not alive, or fails in any round. After `seconds`, and
    LEAST_ROUNDS, no further round begins. From LEAST_ROUNDS on, who is `behind` makes no further rounds."""
    started = time.monotonic()
    running = [index for index, lives in enumerate(alive) if lives]
    values: list[list[float]] = [[] for _ in alive]
    for turn in range(rounds):
        if seconds is not None and turn >= LEAST_ROUNDS and time.monotonic() - started > seconds:
            break
        for index in running if turn % 2 == 0 else running[::-1]:
            value = measure(index)
            if isinstance(value, Failed):
                running, values[index] = [i for i in running if i != index], []
            else:
                values[index].append(value)
        if behind is not None and turn + 1 >= LEAST_ROUNDS:
            lost = behind(values)
            running = [i for i in running if i not in lost]
    return values
