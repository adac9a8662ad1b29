"""Functions of reals with known minima, none of them where a space's default or its corners are.

Every function is asked in [0, 1]^d; its own box is moved by a fixed shift a dimension, so that the minimum is not in
the middle. What is told is the value over the minimum plus 1e-3 of the spread of random values: positive, and on a log
scale as wide as timings are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Real
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured, Outcome

Floats = NDArray[np.float64]
MARKS = (50, 100)
HARTMANN_A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
HARTMANN_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def branin(x: Floats) -> float:
    a, b = x
    curve = b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6
    return float(curve**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10)


def hartmann(x: Floats) -> float:
    return float(-np.array([1, 1.2, 3, 3.2]) @ np.exp(-(HARTMANN_A * (x - HARTMANN_P) ** 2).sum(axis=1)))


def levy(x: Floats) -> float:
    w = 1 + (x - 1) / 4
    inner = ((w[:-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:-1] + 1) ** 2)).sum()
    return float(np.sin(np.pi * w[0]) ** 2 + inner + (w[-1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[-1]) ** 2))


def ackley(x: Floats) -> float:
    mean, waves = np.sqrt((x * x).mean()), np.cos(2 * np.pi * x).mean()
    return float(20 + np.e - 20 * np.exp(-0.2 * mean) - np.exp(waves))


def rosenbrock(x: Floats) -> float:
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


@dataclass(frozen=True, slots=True, eq=False)
class RealProblem:
    """`regret` of x in [0, 1]^d is the value over the minimum."""

    name: str
    function: Callable[[Floats], float]
    low: Floats
    high: Floats
    least: float
    floor: float

    @classmethod
    def of(
        cls, name: str, function: Callable[[Floats], float], box: Sequence[tuple[float, float]], least: float
    ) -> RealProblem:
        low, high = np.array(box, np.float64).T
        shift = 0.15 * (high - low) * np.random.default_rng([0x7265616C, len(box)]).uniform(-1, 1, len(box))
        low, high = (low, high) if name in FIXED else (low + shift, high + shift)
        rng = np.random.default_rng(1)
        drawn = [function(low + rng.random(len(box)) * (high - low)) for _ in range(200)]
        return cls(name, function, low, high, least, 1e-3 * float(np.std(drawn)))

    @property
    def space(self) -> Space:
        return Space([Real(f"x{i}", 0.0, 1.0) for i in range(len(self.low))])

    @property
    def objective(self) -> Objective:
        return Objective("value")

    @property
    def optimum(self) -> float:
        return self.floor

    def value(self, unit: Floats) -> float:
        return max(0.0, self.function(self.low + unit * (self.high - self.low)) - self.least) + self.floor

    def price(self, configuration: Configuration) -> Outcome:
        unit = np.array([float(str(configuration[f"x{i}"])) for i in range(len(self.low))])
        return Measured({"value": self.value(unit)})


FIXED = ("Branin2", "Hartmann6")  # their minima are off the middle as published
PROBLEMS = (
    RealProblem.of("Branin2", branin, [(-5, 10), (0, 15)], 0.397887),
    RealProblem.of("Hartmann6", hartmann, [(0, 1)] * 6, -3.32237),
    RealProblem.of("Levy6", levy, [(-10, 10)] * 6, 0.0),
    RealProblem.of("Ackley10", ackley, [(-32.768, 32.768)] * 10, 0.0),
    RealProblem.of("Rosenbrock8", rosenbrock, [(-5, 10)] * 8, 0.0),
)


def chosen(words: Sequence[str] = ()) -> list[RealProblem]:
    """All problems, or where words are given those whose names have one of them."""
    return [problem for problem in PROBLEMS if not words or any(word in problem.name for word in words)]
