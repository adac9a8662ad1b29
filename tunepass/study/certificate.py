"""What an exact search did to every configuration, and how far it may be from the truth where it was stopped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.space.configuration import Configuration

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was done to every configuration: `points` = evaluated + left out by bound + by infeasibility + open."""

    points: int
    evaluated: int
    bounded: int  # in boxes that cannot hold anything better
    infeasible: int  # in boxes where a constraint fails everywhere
    open: int  # not looked at: 0 when the front is exact
    boxes: int
    found: int = 0  # points of the front so far

    @property
    def exact(self) -> bool:
        return self.open == 0


@dataclass(frozen=True, slots=True)
class Front:
    """Nondominated configurations with their objective values (n, m), by the first objective.

    `gap`: no configuration, looked at or not, is better than all of the front by more than this share in some objective
    (0 when exact, infinite when nothing is known).
    """

    configurations: tuple[Configuration, ...]
    values: Floats
    certificate: Certificate
    gap: float = 0.0
