"""Costs of the stages of a trial."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tunepass.study.outcome import Outcome, cut_short


@contextmanager
def spent(seconds: dict[str, float], stage: str) -> Iterator[None]:
    """Adds the time within to the stage, without what stages inside it took."""
    before, started = sum(seconds.values()), time.monotonic()
    try:
        yield
    finally:
        inside = sum(seconds.values()) - before
        seconds[stage] = seconds.get(stage, 0.0) + time.monotonic() - started - inside


def measuring(outcome: Outcome) -> str:
    """The stage that a measurement reached: one that was cut short did not come further than its probe."""
    return "probe" if cut_short(outcome) else "measure"
