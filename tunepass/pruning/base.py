"""The role of a pruning solver: parameters and conditions in, the configurations that are left out.

    Limit       a resource and the most of it that there may be
    Solver      says what conditions leave of a space
    Remaining   what is left: how many, which values each parameter still takes, and every configuration

A condition at which an expression is undefined does not hold, as everywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from tunepass import registry
from tunepass.diagnostics import SpaceError
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.columns import Columns, Mask
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.components import components
from tunepass.space.parameter import Parameter
from tunepass.spread import Spread, in_turn

CHUNK = 1 << 16  # configurations listed at once


@dataclass(frozen=True, slots=True)
class Limit:
    """`resource` may be at most `most`, or where `least` is set at least that. `origin` says who asks for it:
    `--limit`, `the source`, or a device's name."""

    resource: str
    value: Expr
    bound: int | float
    unit: str
    origin: str
    constraint: Constraint
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """How many configurations there are: at least `low`, at most `high`."""

    low: int
    high: int

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def gap(self) -> float:
        """How much more `high` is than `low`, as a share of `high`."""
        return (self.high - self.low) / self.high if self.high else 0.0


class Remaining(ABC):
    """The answer of a pruning solver: the configurations that meet all conditions.

    Real parameters that no condition mentions are free: they are neither counted nor listed.

    Example:
        >>> from tunepass.pruning.base import solver
        >>> remaining = solver("diagram").remaining(space.parameters, space.constraints)
        >>> remaining.count.low, remaining.count.exact
        (12, True)
    """

    parameters: tuple[Parameter, ...]
    count: Count

    @abstractmethod
    def kept(self) -> Mapping[str, Mask]:
        """Which values of each finite scalar parameter's domain occur in what is left; where the count is not exact, a
        value may be kept that does not."""

    @abstractmethod
    def rows(self, start: int, end: int) -> Columns:
        """The configurations at places `start` to `end` - 1 of an order of their own, where the count is exact."""

    def columns(self, chunk: int = CHUNK) -> Iterator[Columns]:
        """Every configuration once, at most `chunk` rows at a time. SpaceError where the count is not exact."""
        for share in self.shares(chunk):
            yield share.columns()

    def shares(self, chunk: int = CHUNK) -> Iterator[Share]:
        """The same for others to list: counts say where each begins, nothing before it is listed for that."""
        if not self.count.exact:
            raise SpaceError("what is left is bounded, not known: it cannot be listed", hint="give it more time")
        if self.count.low >= 1 << 62:
            raise SpaceError(f"{self.count.low:,} configurations are too many to list")
        for start in range(0, self.count.low, chunk):
            yield Share(self, start, min(start + chunk, self.count.low))

    def about(self, names: Collection[str]) -> Remaining:
        """What is left of some of the parameters at least, without regard to those that are tied to none of them."""
        return self

    @abstractmethod
    def contains(self, columns: Columns) -> Mask:
        """Mask (n,) of the rows, values of the parameters' domains, that remain."""


@dataclass(frozen=True, slots=True)
class Share:
    """Some of what is left, by its places."""

    remaining: Remaining
    start: int
    end: int

    def columns(self) -> Columns:
        return self.remaining.rows(self.start, self.end)


class Solver(ABC):
    """Finds the configurations that conditions leave of a space.

    The contract, tested for every solver in tunepass.testing: a search that is not stopped leaves exactly the
    configurations that brute force leaves; the count of a stopped search contains theirs.

    Example:
        >>> from tunepass.pruning.base import solver
        >>> isinstance(solver("intervals"), extension.PruningSolver)
        True
    """

    @abstractmethod
    def remaining(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        *,
        stop: Callable[[], bool] | None = None,
    ) -> Remaining:
        """What meets all constraints. The search ends early where `stop` returns true between two steps. SpaceError
        for parameters that the solver cannot list or bound."""

    def each(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        selections: Sequence[Sequence[Constraint]],
        *,
        stop: Callable[[], bool] | None = None,
    ) -> list[Remaining]:
        """What meets all constraints and those of one selection, for every selection."""
        return [self.remaining(parameters, (*constraints, *selection), stop=stop) for selection in selections]


def hold_without_names(constraints: Sequence[Constraint]) -> bool:
    """Do the constraints that depend on no parameter hold?"""
    return all(bool(satisfied(c.expression, {}, 1)[0]) for c in constraints if not c.names)


def tied(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint]
) -> Iterator[tuple[list[Parameter], list[Constraint]]]:
    """Parameters that conditions tie together, with those conditions; not those that no condition mentions."""
    for names, numbers in components(parameters, constraints):
        if numbers:
            yield [p for p in parameters if p.name in names], [constraints[i] for i in numbers]


def solver(name: str, spread: Spread = in_turn) -> Solver:
    """The pruning solver of that name, or at that path, in the registry; it does what it can side by side by `spread`.

    Raises TunepassError for an unknown name or a solver that is not installed.
    """
    return cast(Callable[..., Solver], registry.find("pruning_solvers", name, paths=True))(spread=spread)
