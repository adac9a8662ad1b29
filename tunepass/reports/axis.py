"""Axes: from values to places on a picture, with round ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LOG_FROM = 8.0  # a range spanning more than this factor is drawn on a log axis


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps [lo, hi] to places [start, end] on the picture, linearly or by logarithm."""

    lo: float
    hi: float
    start: float
    end: float
    log: bool = False

    def place(self, value: float) -> float:
        lo, hi = self.lo, self.hi
        if self.log:
            lo, hi, value = math.log(lo), math.log(hi), math.log(value)
        return self.start + (value - lo) / (hi - lo) * (self.end - self.start)

    def ticks(self) -> tuple[float, ...]:
        """Round values within the axis: 1-2-5 steps."""
        ticks = log_ticks(self.lo, self.hi) if self.log else linear_ticks(self.lo, self.hi)
        return tuple(tick for tick in ticks if self.lo <= tick <= self.hi)


def axis_for(values: Sequence[float], start: float, end: float) -> Axis:
    """An axis that holds all the values with a little air; logarithmic when they span a large factor."""
    lo, hi = min(values), max(values)
    if lo > 0 and hi / lo > LOG_FROM:
        return Axis(lo / 1.15, hi * 1.15, start, end, log=True)
    air = (hi - lo) * 0.08 or abs(hi) * 0.1 or 1.0
    return Axis(max(0.0, lo - air) if lo >= 0 else lo - air, hi + air, start, end)


def linear_ticks(lo: float, hi: float, target: int = 5) -> tuple[float, ...]:
    raw = (hi - lo) / target
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= raw * 0.999)
    first = math.ceil(lo / step)
    return tuple(k * step for k in range(first, math.floor(hi / step) + 1))


def log_ticks(lo: float, hi: float) -> tuple[float, ...]:
    powers = range(math.floor(math.log10(lo)), math.ceil(math.log10(hi)) + 1)
    per_decade = (1, 2, 5) if len(powers) <= 4 else (1,)
    return tuple(k * 10.0**power for power in powers for k in per_decade)


def short(value: float) -> str:
    """A number in at most four significant digits, without an exponent where it can be helped."""
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        text = f"{value:.4g}"
        return text if "e" not in text else f"{value:.0f}"
    return f"{value:.3g}"
