"""Parameters and the constraints that tie them: the set of feasible configurations, counted, drawn and walked.

A space is a product of groups: a diagram for every set of parameters that constraints tie together, and every other
parameter alone. Without real parameters and within the node limit it is `complete`: everything is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from tunepass.diagnostics import Diagnostic, SamplingError, Severity, SpaceError
from tunepass.expr import nodes
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.activity import Activity
from tunepass.space.assignments import completed, exact_columns, to_columns, to_configurations, with_defaults
from tunepass.space.columns import Column, Columns, Indices, Mask, length, replaced, take
from tunepass.space.configuration import Configuration, Value
from tunepass.space.constraint import Constraint
from tunepass.space.guards import check_guards
from tunepass.space.parameter import Parameter
from tunepass.space.plain_values import as_scalar, as_whole
from tunepass.space.prior import Floats

T = TypeVar("T")

if TYPE_CHECKING:  # feasible is loaded by the first space: `tunepass cc` names the class and makes none
    from tunepass.space.feasible.group import ParameterGroup

NODE_LIMIT = 5_000_000
MOST_STEPS = 4096  # values of a longer parameter are neighbours only in part
MOST_DRAWN = 1 << 32  # configurations at once
MOST_NAMED = 8  # parameters that a representation names


class Space:
    """Parameters and the constraints that tie them: the set of feasible configurations.

    A space with real parameters is not `finite`: it has no `size`, `rank`, `unrank` or `enumerate`. Any other is
    `complete`, counted exactly, up to `node_limit`. `warnings` are diagnostics for the user. A parameter whose
    condition (`when`) does not hold is inactive: a configuration has no value for it.

    Args:
        parameters: Real, Integer, Ordinal, Categorical or Permutation, with distinct names.
        constraints: conditions as text or as Constraint; all must hold.
        node_limit: nodes of the decision diagram beyond which the space is sampled instead of counted.

    Raises:
        SpaceError: a wrong argument; a constraint reads a parameter where it may be inactive; or no configuration is
            feasible: the message names conditions that conflict.
        ExpressionError: a constraint does not parse, with its place.

    Example:
        >>> space = tp.Space([tp.Ordinal("tile", [4, 8, 16]), tp.Integer("unroll", 1, 4)], ["tile % unroll == 0"])
        >>> space
        <Space of tile, unroll: 9 configurations>
        >>> space.contains({"tile": 4, "unroll": 3})
        False
        >>> space.neighbours(space.default)[0]
        Configuration(tile=8, unroll=1)
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint | str] = (),
        *,
        node_limit: int = NODE_LIMIT,
    ):
        from tunepass.space.feasible.build import build_groups

        self.parameters = _listed("parameters", parameters)
        _check_parameters(self.parameters)
        self.constraints = tuple(
            c if isinstance(c, Constraint) else Constraint.parse(c, self.parameters)
            for c in _listed("constraints", constraints)
        )
        _check_names(self.constraints, {p.name: p.type for p in self.parameters})
        self.activity = Activity(self.parameters)
        check_guards(self.activity, self.constraints)
        if (as_whole(node_limit) or 0) < 1:
            raise SpaceError(f"node_limit is a whole number >= 1, got {node_limit!r}")
        self.node_limit, self.is_table = node_limit, False
        groups, self._notes = build_groups(self.parameters, self.constraints, node_limit, self.activity)
        self._set_groups(groups)

    @classmethod
    def from_table(cls, rows: Sequence[Mapping[str, Value]], parameters: Sequence[Parameter] | None = None) -> Space:
        """The space whose feasible configurations are exactly the given ones.

        Args:
            rows: the configurations, each with a value for every parameter that is active in it.
            parameters: None: categorical or ordinal ones of the values that occur.

        Returns:
            The space.

        Raises:
            SpaceError: no rows, or a row that does not fit the parameters.

        Example:
            >>> tp.Space.from_table([{"tile": 4}, {"tile": 16}]).size
            2
        """
        from tunepass.space.feasible.diagram import table

        rows = _listed("rows", rows)
        for row in rows:
            if not isinstance(row, Mapping):
                raise SpaceError(f"a row is a mapping of parameters to values, got {row!r}")
        parameters = table.parameters_of(rows) if parameters is None else _listed("parameters", parameters)
        space = cls(parameters)
        if space.activity:
            if other := sorted(set().union(*rows) - {p.name for p in parameters}):
                raise SpaceError(f"{other[0]}: there is no such parameter")
            columns = space.columns([Configuration(row) for row in rows])
            rows = [with_defaults(parameters, row) for row in space.configurations(columns)]
        space._set_groups((table.group_of(rows, space.parameters),))
        space.is_table = True
        return space

    def __repr__(self) -> str:
        names = ", ".join(p.name for p in self.parameters[:MOST_NAMED])
        more = f", … ({len(self.parameters)} parameters)" if len(self.parameters) > MOST_NAMED else ""
        if not self.finite:
            return f"<Space of {names}{more}: not finite>"
        size = f"{_rounded(self._product.size)} configurations" if self.complete else "sampled, not counted"
        return f"<Space of {names}{more}: {size}>"

    def _set_groups(self, groups: tuple[ParameterGroup, ...]) -> None:
        from tunepass.space.feasible.product import GroupProduct

        self._product = GroupProduct(self.parameters, groups)
        self._came_short = False

    # --- what the space is

    @property
    def groups(self) -> tuple[ParameterGroup, ...]:
        """The factors of the feasible set."""
        return self._product.groups

    @property
    def finite(self) -> bool:
        """Is no parameter real?"""
        return self._product.finite

    @property
    def complete(self) -> bool:
        """Is the space counted, not sampled?"""
        return self._product.complete

    @cached_property
    def listed(self) -> bool:
        """Is every configuration a row of indices in the parameters' domains, all of them counted?"""
        return self.complete and self.finite and all(p.is_scalar for p in self.parameters)

    @property
    def dense(self) -> int:
        """How many assignments the discrete parameters have, feasible or not."""
        return math.prod(p.size for p in self.parameters if p.size is not None)

    @property
    def size(self) -> int:
        """How many configurations are feasible, exactly."""
        self._require_counted("size")
        return self._product.size

    def _require_counted(self, what: str) -> None:
        if not self.finite:
            raise SpaceError(f"a space with real parameters has no {what}")
        if not self.complete:
            raise SpaceError(f"this space is sampled, not counted (past {self.node_limit} nodes): it has no {what}")

    @property
    def default(self) -> Configuration:
        """The parameters' defaults; where those are infeasible together, a feasible configuration near them. Raises
        SamplingError where none is found."""
        default, notes = self._default
        if default is None:
            raise SamplingError(notes)
        return default

    @cached_property
    def defaults(self) -> Configuration:
        """The values of the default configuration, and for each parameter that is inactive in it its own default."""
        return with_defaults(self.parameters, self.default)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What the user should know: what is sampled, and a default that is not the parameters' own."""
        default, notes = self._default
        return self._notes + (notes if default is not None else ())

    @cached_property
    def _default(self) -> tuple[Configuration | None, tuple[Diagnostic, ...]]:
        columns = self.activity.canonical({p.name: p.column([p.default]) for p in self.parameters})
        wanted = self.configurations(columns)[0]
        if self.contains_columns(columns)[0]:
            return wanted, ()
        from tunepass.space.feasible.conflict import not_found
        from tunepass.space.feasible.nearest import nearest_feasible

        unmet = [c for c in self.constraints if not satisfied(c.expression, columns, 1)[0]]
        nearest = nearest_feasible(self.groups, columns)
        if nearest is None:
            return None, not_found(self.parameters, unmet)
        default = self.configurations(nearest)[0]
        changes = ", ".join(f"{name}={value!r}" for name, value in default.items() if value != wanted.get(name))
        message = f"the default configuration is infeasible; the nearest feasible one changes {changes}"
        return default, (Diagnostic(message, unmet[0].span if unmet else None, severity=Severity.WARNING),)

    # --- batches of columns

    def columns(self, configurations: Sequence[Configuration]) -> Columns:
        """Columns of configurations; a missing parameter or a value outside its domain raises SpaceError.

        An inactive parameter may be missing, and has its default in the columns.
        """
        return to_columns(self.parameters, self.activity, configurations)

    def configurations(self, columns: Columns) -> list[Configuration]:
        """The inverse of `columns`."""
        return to_configurations(self.parameters, self.activity, columns)

    def completed(self, values: Mapping[str, Value]) -> Configuration:
        """The configuration of these values, feasible or not: without those that are inactive, and with the default of
        every parameter that is missing."""
        return completed(self.parameters, self.activity, values)

    @cached_property
    def canonical_constraints(self) -> tuple[Constraint, ...]:
        """The constraints, and for each parameter with a condition that it has its default while it is inactive: those
        of the rows of columns."""
        return (*self.constraints, *self.activity.fillers)

    def contains_columns(self, columns: Columns) -> Mask:
        """Which rows (n,) are feasible."""
        return self._product.contains(columns)

    def contains_indices(self, indices: Indices) -> Mask:
        """Which rows (n, parameters) of indices in the domains are feasible, in a space that is `listed`."""
        return self._product.contains_indices(indices)

    def contains_values(self, indices: Indices, values: Mapping[str, Column]) -> Mask:
        """Mask (n,) of feasible rows (n, parameters) of indices in lists of values of scalar parameters. A list with as
        many values as the domain is the domain in its order."""
        return self._product.contains_values(indices, values)

    def sample_columns(self, n: int, rng: np.random.Generator, prior: bool = False) -> Columns:
        """Up to n distinct feasible rows, uniform, or by the parameters' priors restricted to what is feasible.

        Fewer only when fewer exist; in a sampled space also when fewer are found, which `warnings` then says.
        Rows of prior mass zero come last.
        """
        from tunepass.space.feasible.sampling.distinct import sample_distinct

        rows = sample_distinct(self._product, n, rng, self.log_prior if prior else None)
        if length(rows) < n and not self.complete and not self._came_short:
            self._came_short = True
            message = f"sampling found only {length(rows)} of {n} rows"
            self._notes += (Diagnostic(message, severity=Severity.WARNING),)
        return rows

    def enumerate_columns(self, chunk: int = 65536) -> Iterator[Columns]:
        """Every feasible configuration in order of rank, `chunk` rows at a time."""
        self._require_counted("enumeration")
        for start in range(0, self.size, chunk):
            yield self.columns_of_ranks(np.arange(start, min(start + chunk, self.size)))

    def columns_of_ranks(self, ranks: Indices) -> Columns:
        """The feasible configurations of ranks (n,), a row each."""
        self._require_counted("a rank")
        return self._product.rows(ranks)

    def neighbour_columns(self, configuration: Configuration) -> Columns:
        """Feasible rows that change one parameter: to any other value, or by a swap or an insertion in an order. Reals
        stay as they are."""
        columns = self.columns([configuration])
        if self.activity:
            return self._active_neighbours(columns)
        rows, _ = replaced(columns, self._product.steps(columns))
        return take(rows, self.contains_columns(rows))

    def _active_neighbours(self, columns: Columns) -> Columns:
        """Neighbours of the one row; parameters that the change makes active have their defaults."""
        masks = self.activity.masks(columns)
        steps = {
            p.name: p.steps(columns[p.name], MOST_STEPS)
            for p in self.parameters
            if p.size is not None and masks.get(p.name, np.ones(1, dtype=bool))[0]
        }
        rows = self.activity.canonical(replaced(columns, steps)[0])
        return take(rows, self.contains_columns(rows))

    def log_prior(self, columns: Columns, least: float = 0.0) -> Floats:
        """Log of the prior probability (density, for reals) of every row (n,), not renormalised to what is feasible.

        Only active parameters with a prior count, each value with a probability of `least` or more.
        """
        total, masks = np.zeros(length(columns)), self.activity.masks(columns)
        for p in self.parameters:
            if p.prior is not None:
                mass = p.log_prior(columns[p.name], least)
                total += np.where(masks[p.name], mass, 0.0) if p.name in masks else mass
        return total

    def require_proof(self, known: int) -> None:
        """Raises SamplingError unless `known` configurations are proved to be all that there are."""
        from tunepass.space.feasible.conflict import nothing_new

        if self.finite and self.complete:
            if known >= self.size:
                return
            raise SamplingError(
                f"the strategy suggests nothing, but {known} of {self.size} configurations were suggested or observed"
            )
        raise SamplingError(nothing_new(self.parameters, self.constraints))

    # --- single configurations

    def sample(self, n: int, rng: np.random.Generator, prior: bool = False) -> list[Configuration]:
        """Distinct feasible configurations, drawn uniformly.

        Args:
            n: how many.
            rng: the source of randomness.
            prior: draws by the parameters' priors instead.

        Returns:
            `n` configurations; fewer only where fewer exist, or where a sampled space yields fewer (see `warnings`).

        Example:
            >>> len(space.sample(5, np.random.default_rng(0)))
            5
        """
        count = as_whole(n)
        if count is None or not 0 <= count < MOST_DRAWN:
            raise SpaceError(f"sample draws a whole number >= 0 and below 2**32 of configurations, got {n!r}")
        if not isinstance(prior, bool):
            raise SpaceError(f"prior is True or False, got {prior!r}")
        if not isinstance(rng, np.random.Generator):
            raise SpaceError(f"rng is a numpy.random.Generator, got {rng!r}", hint="write numpy.random.default_rng(0)")
        return self.configurations(self.sample_columns(count, rng, prior))

    def contains(self, configuration: Mapping[str, Value]) -> bool:
        """Is this a feasible configuration of exactly the space's parameters?"""
        if not isinstance(configuration, Mapping):
            raise SpaceError(f"a configuration is a mapping of parameters to values, got {configuration!r}")
        configuration = {name: cast(Value, as_scalar(value)) for name, value in configuration.items()}
        if self.activity:
            columns = exact_columns(self.parameters, self.activity, configuration)
            return columns is not None and bool(self.contains_columns(columns)[0])
        if set(configuration) != {p.name for p in self.parameters}:
            return False
        if not all(p.admits(configuration[p.name]) for p in self.parameters):
            return False
        if self.listed:
            indices = [p.domain.index(p.canonical(configuration[p.name])) for p in self.parameters]
            return bool(self.contains_indices(np.array([indices], np.int64))[0])
        return bool(self.contains_columns(self.columns([Configuration(configuration)]))[0])

    def neighbours(self, configuration: Configuration) -> list[Configuration]:
        """Feasible configurations that change one parameter; see `neighbour_columns`."""
        return self.configurations(self.neighbour_columns(configuration))

    def rank(self, configuration: Configuration) -> int:
        """The place of a feasible configuration in the enumeration."""
        self._require_counted("ranks")
        rank = self._product.rank(self.columns([configuration]))
        if rank is None:
            raise SpaceError(f"only a feasible configuration has a rank, got {configuration!r}")
        return rank

    def unrank(self, rank: int) -> Configuration:
        """The configuration at a place in the enumeration."""
        self._require_counted("ranks")
        whole = as_whole(rank)
        if whole is None or not 0 <= whole < self.size:
            raise SpaceError(f"a rank is a whole number, 0 <= rank < {self.size} must hold, got {rank=}")
        return self.configurations(self._product.unrank(whole))[0]

    def enumerate(self) -> Iterator[Configuration]:
        """Every feasible configuration in order of rank."""
        for columns in self.enumerate_columns():
            yield from self.configurations(columns)


def _rounded(count: int) -> str:
    """The count in full, or its power of ten where few would read it."""
    return f"{count:,}" if count < 10**12 else f"about 10^{int(count.bit_length() * math.log10(2))}"


def _listed(argument: str, values: Iterable[T]) -> tuple[T, ...]:
    """The values as a tuple; SpaceError for one alone, and for text, whose letters are no constraints."""
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise SpaceError(f"{argument} is a list, got {values!r}", hint=f"write {argument}=[...]")
    return tuple(values)


def _check_parameters(parameters: tuple[Parameter, ...]) -> None:
    if not parameters:
        raise SpaceError("a space has at least one parameter, got none")
    seen: set[str] = set()
    for p in parameters:
        if not isinstance(p, Parameter):
            raise SpaceError(f"parameters are Real, Integer, Ordinal, Categorical or Permutation, got {p!r}")
        if p.name in seen:
            raise SpaceError(f"parameter names must be distinct, got {p.name!r} twice", p.span)
        seen.add(p.name)


def _check_names(constraints: Sequence[Constraint], types: Mapping[str, nodes.Type]) -> None:
    for c in constraints:
        for node in c.names:
            if types.get(node.name) != node.type:
                raise SpaceError(f"a constraint names parameters of its space, got {node.name!r}", node.span)
