"""The machine's speed, for programs that bring no harness to take it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from tunepass._native import lib

LATEST = 16  # readings, of three measurements or so: another speed shows in all of them
FIRST = 6  # readings before the first measurement, so far apart:
APART_S = 0.03
SAME = 1.05  # times that readings differ by on a machine at rest


def machine_speed() -> float:
    """Turns a second of the calibration loop, the best of three: about a tenth of a millisecond."""
    return 1 / max(1e-9, min(float(lib.tp_calibrate()) for _ in range(3)))


class LastingSpeed:
    """The speed of the machine but for moments: it is another one once all of the latest readings say so.

    Whoever uses the other half of a core, or its clock, takes a third of its speed for a few hundredths of a second,
    again and again. A reading says nothing of the run beside it then: a time that was put at another speed by it would
    be a lucky one.
    """

    def __init__(self, read: Callable[[], float], pause: Callable[[float], None] = time.sleep):
        self.read, self.pause = read, pause
        self.speed = 0.0  # until the first look
        self._latest: deque[float] = deque(maxlen=LATEST)

    def look(self) -> float:
        """Another reading. The first look takes a moment."""
        while len(self._latest) < FIRST - 1:
            self._latest.append(self.read())
            self.pause(APART_S)
        self._latest.append(self.read())
        if not self.speed:
            self.speed = max(self._latest)
        elif len(self._latest) == LATEST:
            slowest, fastest = min(self._latest), max(self._latest)
            if fastest * SAME < self.speed:
                self.speed = fastest
            elif slowest > self.speed * SAME:
                self.speed = slowest
        return self._latest[-1]
