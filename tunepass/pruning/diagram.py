"""The pruning solver `diagram`: what is left as a product of decision diagrams, exact whatever its size."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.pruning.base import Count, Remaining, Solver, hold_without_names
from tunepass.pruning.bounded import Bounded, bounded_group
from tunepass.pruning.intervals import IntervalSolver
from tunepass.pruning.listing import Listing, Selected, is_listable, nodes_of
from tunepass.pruning.orders import ordered_group
from tunepass.space.columns import Columns, Mask
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.components import components
from tunepass.space.feasible.diagram.compile import TooLarge
from tunepass.space.feasible.group import DiagramGroup, FreeGroup, ParameterGroup
from tunepass.space.feasible.product import GroupProduct
from tunepass.space.parameter import Parameter
from tunepass.spread import Spread, in_turn

NODE_LIMIT = 2_000_000
LIGHT = 60  # parts of a condition that a diagram takes better than a list
HEAVY = 400  # parts of conditions that boxes take better than a diagram
MOST_BOXES = 10_000  # where neither works


class DiagramRemaining(Remaining):
    """A product of groups, each of which counts and lists its own."""

    def __init__(
        self, parameters: Sequence[Parameter], parts: Sequence[ParameterGroup | Selected], *, possible: bool = True
    ):
        self.parameters = tuple(parameters)
        self._parts = tuple(parts)
        size = math.prod(part.size for part in parts) if possible else 0
        self.count = Count(size, size)

    @cached_property
    def groups(self) -> tuple[ParameterGroup, ...]:
        return tuple(part.group if isinstance(part, Selected) else part for part in self._parts)

    @cached_property
    def _product(self) -> GroupProduct:
        return GroupProduct([p for p in self.parameters if p.size is not None], self.groups)

    def kept(self) -> Mapping[str, Mask]:
        if not self.count.high:
            return {p.name: np.zeros(p.size, np.bool_) for p in self.parameters if p.size is not None and p.is_scalar}
        masks: dict[str, Mask] = {}
        for group in self.groups:
            if isinstance(group, DiagramGroup):
                masks |= _values(group)
            else:
                masks |= {p.name: np.ones(p.size or 0, np.bool_) for p in group.parameters if p.is_scalar}
        return {p.name: masks[p.name] for p in self.parameters if p.name in masks}

    def about(self, names: Collection[str]) -> Remaining:
        parts = [part for part in self._parts if any(p.name in names for p in _members(part))]
        members = {p.name for part in parts for p in _members(part)}
        members_in_order = [p for p in self.parameters if p.name in members]
        return DiagramRemaining(members_in_order, parts, possible=bool(self.count.high))

    def rows(self, start: int, end: int) -> Columns:
        return self._product.rows(np.arange(start, end))

    def contains(self, columns: Columns) -> Mask:
        inside = self._product.contains(columns)
        return inside if self.count.high else np.zeros_like(inside)


def _members(part: ParameterGroup | Selected) -> Sequence[Parameter]:
    return part.base.parameters if isinstance(part, Selected) else part.parameters


def _values(group: DiagramGroup) -> dict[str, Mask]:
    """The values that lie on a path to the end, by scalar parameter."""
    layers = group.diagram.layers
    alive = np.ones(1, np.bool_)  # of the nodes behind
    masks: list[Mask] = []
    for layer in reversed(layers):
        leads = alive[layer.child]
        mask = np.zeros(layer.width, np.bool_)
        mask[layer.value[leads]] = True
        masks.append(mask)
        alive = np.bincount(layer.sources[leads], minlength=len(layer.start) - 1) > 0
    named = zip(group.layers, reversed(masks))
    return {name: mask for (name, position), mask in named if position < 0}


class DiagramSolver(Solver):
    """Exact. Where the diagram passes `node_limit` nodes and there is too much to list, what is left is bounded by
    boxes."""

    def __init__(self, node_limit: int = NODE_LIMIT, *, spread: Spread = in_turn):
        self.node_limit = node_limit

    def remaining(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        *,
        stop: Callable[[], bool] | None = None,
    ) -> Remaining:
        light = [c for c in constraints if nodes_of([c]) <= LIGHT]
        heavy = [c for c in constraints if nodes_of([c]) > LIGHT]
        return self.each(parameters, light, [heavy], stop=stop)[0]

    def each(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        selections: Sequence[Sequence[Constraint]],
        *,
        stop: Callable[[], bool] | None = None,
    ) -> list[Remaining]:
        """Configurations that are few once `constraints` hold are listed once for all selections."""
        limits = list({id(c): c for selection in selections for c in selection}.values())
        conditions = [*constraints, *limits]
        tied = []
        for names, numbers in components(parameters, conditions):
            members = [p for p in parameters if p.name in names]
            group_conditions = [conditions[i] for i in numbers]
            if group_conditions or members[0].size is not None:
                _check_finite(members)
                tied.append(
                    self._tied(members, [c for c in group_conditions if not _among(c, limits)], group_conditions)
                )
        return [self._left(parameters, tied, (*constraints, *selection), stop) for selection in selections]

    def _tied(
        self, members: Sequence[Parameter], constraints: Sequence[Constraint], conditions: Sequence[Constraint]
    ) -> _Tied:
        """Of parameters that `conditions` tie together: a listing of what `constraints` leave where that is little."""
        limits = [c for c in conditions if not _among(c, constraints)]
        try:
            base = GroupProduct(members, list(self._groups(members, constraints)))
        except TooLarge:
            base = None
        listing = Listing(base, limits) if base is not None and is_listable(base.size, limits) else None
        return _Tied(tuple(members), tuple(conditions), listing)

    def _groups(self, members: Sequence[Parameter], constraints: Sequence[Constraint]) -> Iterator[ParameterGroup]:
        for names, numbers in components(members, constraints):
            parameters = [p for p in members if p.name in names]
            if numbers:
                yield ordered_group(parameters, [constraints[i].expression for i in numbers], self.node_limit)
            else:
                yield FreeGroup(parameters[0], parameters[0].size or 0)

    def _left(
        self,
        parameters: Sequence[Parameter],
        tied: Sequence[_Tied],
        conditions: Sequence[Constraint],
        stop: Callable[[], bool] | None,
    ) -> Remaining:
        possible = hold_without_names(conditions)
        parts: list[ParameterGroup | Selected] = []
        try:
            for one in tied:
                group_conditions = [c for c in one.conditions if _among(c, conditions)]
                if one.listing is None and nodes_of(group_conditions) > HEAVY:
                    raise TooLarge
                parts += (
                    [one.listing.selected(group_conditions)]
                    if one.listing
                    else self._groups(one.members, group_conditions)
                )
        except TooLarge:
            return self._bounded(parameters, conditions, stop)
        return DiagramRemaining(parameters, parts, possible=possible)

    def _bounded(
        self,
        parameters: Sequence[Parameter],
        conditions: Sequence[Constraint],
        stop: Callable[[], bool] | None,
    ) -> Remaining:
        """Sums that are rounded bound the count best; conditions of another form are left to boxes."""
        groups = []
        try:
            for names, numbers in components(parameters, conditions):
                if nodes_of([conditions[i] for i in numbers]) > HEAVY:
                    raise TooLarge
                if numbers:
                    members = [p for p in parameters if p.name in names]
                    groups.append(bounded_group(members, [conditions[i] for i in numbers]))
        except TooLarge:
            return IntervalSolver(MOST_BOXES).remaining(parameters, conditions, stop=stop)
        return Bounded(parameters, conditions, groups)


@dataclass(frozen=True, slots=True)
class _Tied:
    """Parameters that conditions tie together, listed where they are few."""

    members: tuple[Parameter, ...]
    conditions: tuple[Constraint, ...]
    listing: Listing | None


def _among(c: Constraint, others: Sequence[Constraint]) -> bool:
    return any(c is other for other in others)


def _check_finite(members: Sequence[Parameter]) -> None:
    for p in members:
        if p.size is None:
            message = f"{p.name} is a real number that conditions depend on: what is left cannot be counted"
            raise SpaceError(message, p.span, "give it a list of values: `ordinal(...)`")
