"""When a search ends: by the clock, or because somebody asks for it.

Ctrl-C and a polite kill interrupt at once: what was measured is kept, and the best so far becomes the choice. While an
exact solver runs they ask it to stop between two steps, so that its certificate says what it did; the second time they
interrupt at once there too.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType


@dataclass(slots=True)
class Stop:
    """Calling it says whether it is time to stop; `until` is on `clock`'s scale, None: no limit."""

    until: float | None = None
    asked: bool = False
    polled: bool = False  # somebody calls it between two steps
    clock: Callable[[], float] = field(default=time.monotonic)

    def __call__(self) -> bool:
        return self.asked or (self.until is not None and self.clock() >= self.until)

    @contextmanager
    def between_steps(self) -> Iterator[None]:
        """Within, a signal only asks."""
        self.polled = True
        try:
            yield
        finally:
            self.polled = False


@contextmanager
def stoppable(budget_s: float | None) -> Iterator[Stop]:
    """A Stop after `budget_s`, or on SIGINT and SIGTERM."""
    stop = Stop(None if budget_s is None else time.monotonic() + budget_s)
    numbers = (signal.SIGINT, signal.SIGTERM)

    def on_signal(number: int, frame: FrameType | None) -> None:
        if stop.asked or not stop.polled:
            raise KeyboardInterrupt
        stop.asked = True

    try:
        before = [signal.signal(number, on_signal) for number in numbers]
    except ValueError:  # not the main thread: somebody else owns the signals
        yield stop
        return
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)
