"""Finalists measured again in turns, forth and back, so that a drift of the machine reaches all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

from tunepass.study.outcome import Failed

Behind = Callable[[Sequence[Sequence[float]]], Collection[int]]  # values by round -> who needs no further rounds

LEAST_ROUNDS = 4  # of finalists, whatever the time: fewer decide nothing (tunepass.study.comparison.sequential)


def interleaved(
    alive: Sequence[bool],
    measure: Callable[[int], float | Failed],
    rounds: int,
    seconds: float | None = None,
    behind: Behind | None = None,
) -> list[list[float]]:
    """`in_rounds`, measured one after the other."""
    return in_rounds(alive, lambda order: [measure(index) for index in order], rounds, seconds, behind)


def in_rounds(
    alive: Sequence[bool],
    measure: Callable[[Sequence[int]], Sequence[float | Failed]],
    rounds: int,
    seconds: float | None = None,
    behind: Behind | None = None,
) -> list[list[float]]:
    """For each finalist its value by round; none for one that is not alive, or fails in any round. After LEAST_ROUNDS
    no round begins that would last longer than what is left of `seconds`, as the last one did. Who is `behind` after
    a round makes no further ones."""
    started = now = time.monotonic()
    running = [index for index, lives in enumerate(alive) if lives]
    values: list[list[float]] = [[] for _ in alive]
    for turn in range(rounds):
        order = running if turn % 2 == 0 else running[::-1]
        for index, value in zip(order, measure(order), strict=True):
            if isinstance(value, Failed):
                running, values[index] = [i for i in running if i != index], []
            else:
                values[index].append(value)
        if behind is not None:
            lost = behind(values)
            running = [i for i in running if i not in lost]
        before, now = now, time.monotonic()
        late = seconds is not None and turn + 1 >= LEAST_ROUNDS and (now - started) + (now - before) > seconds
        if late or not running:
            break
    return values
