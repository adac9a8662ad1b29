"""The role of an exact solver: expressions in, the Pareto front out, with a certificate of what was looked at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tunepass import registry
from tunepass.expr.nodes import Expr
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

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

    @property
    def caption(self) -> str:
        """How many configurations are covered, and how: what stands below a picture of the front."""
        counts = [
            (self.evaluated, "evaluated"),
            (self.bounded, "cannot be better"),
            (self.infeasible, "cannot be used"),
            (self.open, "not looked at"),
        ]
        parts = ", ".join(f"{count:,} {label}" for count, label in counts if count)
        return f"{'exact: ' if self.exact else ''}of {self.points:,} configurations {parts or 'none'}"


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


class ExactSolver(ABC):
    """Finds the whole Pareto front of objectives that are expressions over a space's parameters.

    The contract, tested for every solver in tunepass.testing: a search that is not stopped returns the front that brute
    force finds, one configuration for every nondominated loss vector, and its certificate is exact and accounts for
    every configuration; a stopped search returns the front of what it evaluated, and its gap bounds what it missed.
    """

    @abstractmethod
    def solve(
        self,
        space: Space,
        objectives: Sequence[Expr],
        constraints: Sequence[Expr] = (),
        *,
        max_points: int | None = None,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[Certificate], None] | None = None,
    ) -> Front:
        """The Pareto front of `objectives`, all minimised, where `constraints` and those of the space hold.

        The search ends early once `max_points` configurations were evaluated, or when `stop` returns true between two
        steps; `progress` is called after every step. Raises SpaceError for a space that the solver cannot search.
        """


def is_solver(strategy: object) -> bool:
    """Is a strategy's name, or the path of its class, that of an exact solver?"""
    if not isinstance(strategy, str):
        return False
    if strategy in registry.built_in("strategies"):
        return strategy in registry.built_in("exact_solvers")
    return registry.has("exact_solvers", strategy, paths=True)


def solver(name: str) -> ExactSolver:
    """The exact solver of that name, or at that path, in the registry; TunepassError for an unknown name."""
    return cast(Callable[[], ExactSolver], registry.find("exact_solvers", name, paths=True))()
