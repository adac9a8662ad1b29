"""A choice of many trials for a report to draw and list: a picture has room for few points, a page for few bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.results.trial_columns import configurations, losses
from tunepass.study.trial import Trial

MOST_POINTS = 1500  # of a picture, besides improvements: more than two in every column of its pixels
PAGE_BYTES = 700_000  # of the tables of a page


def improvements(trials: Sequence[Trial], objective: Objective) -> list[int]:
    """Indices of the trials that were better than all before them."""
    loss = losses(trials, objective)
    least = np.fmin.accumulate(loss)  # so far; NaN until one was measured
    before = np.concatenate([[np.inf], np.where(np.isnan(least), np.inf, least)[:-1]])[: len(loss)]
    return [int(i) for i in np.flatnonzero(loss < before)]


def thinned(trials: Sequence[Trial], objective: Objective, most: int = MOST_POINTS) -> list[Trial]:
    """Trials to draw, in order: all of few; of many, the first, the last, the best of each of `most` / 2 equal runs of
    them, one other of each, and every improvement."""
    if len(trials) <= most:
        return list(trials)
    chosen = {0, len(trials) - 1, *improvements(trials, objective)}
    runs = max(1, most // 2)
    loss = losses(trials, objective)
    ordered = np.where(np.isnan(loss), np.inf, loss)  # the first of a run of which none was measured is its best
    for run in range(runs):
        first, end = run * len(trials) // runs, (run + 1) * len(trials) // runs
        if first < end:
            chosen |= {first + int(np.argmin(ordered[first:end])), (first + end) // 2}
    return [trials[i] for i in sorted(chosen)]


def listing_order(
    trials: Sequence[Trial], objectives: Sequence[Objective], choice: Configuration | None
) -> Iterator[int]:
    """Indices in the order in which a table takes them in: the first trial, the chosen one and every improvement, then
    the others so that any number of them lies evenly among all."""
    if not trials:
        return
    first = {0: None} | {i: None for objective in objectives for i in improvements(trials, objective)}
    first |= {i: None for i, configuration in enumerate(configurations(trials)) if configuration == choice}
    bits = max(1, (len(trials) - 1).bit_length())
    spread = (int(f"{i:0{bits}b}"[::-1], 2) for i in range(1 << bits))
    yield from first
    yield from (i for i in spread if i < len(trials) and i not in first)
