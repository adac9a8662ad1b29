"""When a search ends: by the clock, on a signal, or on the request of the caller.

Ctrl-C, a polite kill and a hang-up interrupt at once: what was measured is kept, and the best so far becomes the
choice. While an exact solver runs they ask it to stop between two steps, so that its certificate says what it did; the
second time they interrupt at once there too.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tunepass.signals import Interrupted, handled


def never() -> bool:
    """A caller that does not ask for the end."""
    return False


@dataclass(slots=True)
class Stop:
    """Calling it says whether it is time to stop; `until` is on `clock`'s scale, None: no limit."""

    until: float | None = None
    stop_signal: int = 0  # number of the signal that asked for the end
    polled: bool = False  # somebody calls it between two steps
    clock: Callable[[], float] = field(default=time.monotonic)
    requested: Callable[[], bool] = never  # the caller's request

    def __call__(self) -> bool:
        return bool(self.stop_signal) or self.requested() or (self.until is not None and self.clock() >= self.until)

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
    """A Stop after `budget_s`, or on a signal that ends commands."""
    stop = Stop(None if budget_s is None else time.monotonic() + budget_s)
    interrupted: list[Interrupted] = []

    def on_signal(number: int) -> None:
        if stop.polled and not stop.stop_signal:
            stop.stop_signal = number
        elif number == signal.SIGINT or all(each.lost for each in interrupted):
            interrupted.append(Interrupted(number))
            raise interrupted[-1]

    with handled(on_signal):
        yield stop
