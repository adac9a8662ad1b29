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
    """The proof of an exact search: points = evaluated + bounded + infeasible + open.

    Args:
        points: all configurations.
        evaluated: those that were evaluated.
        bounded: those in boxes that cannot contain anything better.
        infeasible: those in boxes where a constraint fails everywhere.
        open: those that were not looked at; 0 when the front is exact.
        boxes: the number of boxes.
        found: points of the front so far.

    Example:
        >>> tp.Certificate(points=12, evaluated=8, bounded=4, infeasible=0, open=0, boxes=3).exact
        True
    """

    points: int
    evaluated: int
    bounded: int  # in boxes that cannot hold anything better
    infeasible: int  # in boxes where a constraint fails everywhere
    open: int  # not looked at: 0 when the front is exact
    boxes: int
    found: int = 0  # points of the front so far

    @property
    def exact(self) -> bool:
        """Whether every configuration is accounted for."""
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
    """The nondominated configurations of an exact search, in the order of the first objective.

    Args:
        configurations: of the front (n,).
        values: their objectives (n, m).
        certificate: how every configuration was covered.
        gap: no configuration is better than all of the front by more than this share in some objective: 0 when exact,
            infinite when nothing is known.

    Example:
        >>> certificate = tp.Certificate(points=1, evaluated=1, bounded=0, infeasible=0, open=0, boxes=1)
        >>> tp.Front((space.default,), np.array([[8.0]]), certificate).gap
        0.0
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

    Example:
        >>> from tunepass.exact.base import solver
        >>> time = extension.parse_expression("tile * unroll", {p.name: p.type for p in space.parameters})
        >>> front = solver("exhaustive").solve(space, [time])
        >>> front.configurations, front.certificate.exact
        ((Configuration(tile=4, unroll=1),), True)
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
