"""The pruning solver `diagram`: what is left as a product of decision diagrams, exact whatever its size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.expr.numpy_eval import satisfied
from tunepass.pruning.base import Count, Remaining, Solver
from tunepass.space.columns import Columns, Mask
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.compile import TooLarge
from tunepass.space.feasible.compiled import build_group
from tunepass.space.feasible.components import components
from tunepass.space.feasible.group import DiagramGroup, FreeGroup, ParameterGroup
from tunepass.space.feasible.product import GroupProduct
from tunepass.space.parameter import Parameter

NODE_LIMIT = 5_000_000


class DiagramRemaining(Remaining):
    """A product of groups, each of which counts and lists its own."""

    def __init__(self, parameters: Sequence[Parameter], groups: Sequence[ParameterGroup], *, possible: bool = True):
        self.parameters = tuple(parameters)
        self.groups = tuple(groups)
        size = math.prod(group.size for group in self.groups) if possible else 0
        self.count = Count(size, size)

    @cached_property
    def _product(self) -> GroupProduct:
        return GroupProduct([p for p in self.parameters if p.size is not None], self.groups)

    def kept(self) -> Mapping[str, Mask]:
        if not self.count.high:
            return {p.name: np.zeros(p.size, np.bool_) for p in self.parameters if p.size is not None and p.is_scalar}
        found: dict[str, Mask] = {}
        for group in self.groups:
            if isinstance(group, DiagramGroup):
                found |= _values(group)
            else:
                found |= {p.name: np.ones(p.size or 0, np.bool_) for p in group.parameters if p.is_scalar}
        return {p.name: found[p.name] for p in self.parameters if p.name in found}

    def columns(self, chunk: int = 65536) -> Iterator[Columns]:
        for start in range(0, self.count.high, chunk):
            stop = min(start + chunk, self.count.high)
            yield self._product.rows(np.arange(start, stop))

    def contains(self, columns: Columns) -> Mask:
        inside = self._product.contains(columns)
        return inside if self.count.high else np.zeros_like(inside)


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
    """Exact, or SpaceError where the diagram passes `node_limit` nodes."""

    def __init__(self, node_limit: int = NODE_LIMIT):
        self.node_limit = node_limit

    def remaining(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        *,
        stop: Callable[[], bool] | None = None,
    ) -> Remaining:
        groups: list[ParameterGroup] = []
        possible = all(satisfied(c.expression, {}, 1)[0] for c in constraints if not c.names)
        for names, numbers in components(parameters, constraints):
            members = [p for p in parameters if p.name in names]
            if numbers:
                groups.append(self._tied(members, [constraints[i] for i in numbers]))
            elif members[0].size is not None:
                groups.append(FreeGroup(members[0], members[0].size))
        return DiagramRemaining(parameters, groups, possible=possible)

    def _tied(self, members: Sequence[Parameter], constraints: Sequence[Constraint]) -> ParameterGroup:
        for p in members:
            if p.size is None:
                message = f"{p.name} is a real number that conditions depend on: what is left cannot be counted"
                raise SpaceError(message, p.span, "give it a list of values: `ordinal(...)`")
        try:
            return build_group(members, [c.expression for c in constraints], self.node_limit)
        except TooLarge:
            message = f"what is left passes {self.node_limit:,} nodes of a diagram"
            raise SpaceError(message, constraints[0].span, "--solver intervals bounds it") from None
