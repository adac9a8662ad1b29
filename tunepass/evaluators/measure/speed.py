"""The machine's speed, for programs that bring no harness to take it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from tunepass._native import lib

LATEST = 12  # readings, of three measurements or so, that tell what the machine is able to
FIRST = 6  # readings before the first measurement, so far apart:
APART_S = 0.03


def machine_speed() -> float:
    """Turns a second of the calibration loop, the best of three: about a tenth of a millisecond."""
    return 1 / max(1e-9, min(float(lib.tp_calibrate()) for _ in range(3)))


class LastingSpeed:
    """The speed of the machine but for moments: the fastest of the latest readings.

    Whoever uses the other half of a core, or its clock, takes a third of its speed for a few hundredths of a second,
    again and again. A reading says nothing of the run beside it then: a time that was put at another speed by it would
    be a lucky one. A machine that stays slower shows it in all of its readings, though only after as many; one that
    gets faster shows it at once.
    """

    def __init__(self, read: Callable[[], float], pause: Callable[[float], None] = time.sleep):
        self.read, self.pause = read, pause
        self._latest: deque[float] = deque(maxlen=LATEST)

    def look(self) -> float:
        """Another reading. The first look takes a moment."""
        while len(self._latest) < FIRST - 1:
            self._latest.append(self.read())
            self.pause(APART_S)
        self._latest.append(self.read())
        return self._latest[-1]

    @property
    def speed(self) -> float:
        return max(self._latest)
