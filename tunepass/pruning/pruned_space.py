"""A pruned space, queried configuration by configuration while a user waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.expr.nodes import BoolType
from tunepass.expr.numpy_eval import Evaluated, satisfied
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.pruning.base import Limit
from tunepass.space.configuration import Configuration, Value
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.group import DiagramGroup, FreeGroup, ParameterGroup
from tunepass.space.feasible.nearest import nearest_feasible
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space

MOST_ARCS = 1 << 20  # of a diagram that is walked as a table
MOST_VALUES = 1 << 16

Values = Mapping[str, Value]
Holds = Callable[[Values], bool]


@dataclass(frozen=True, slots=True)
class BrokenLimit:
    """A limit that a configuration breaks: the resource's value there (None: it has none), and how far it is beyond."""

    limit: Limit
    value: int | float | None

    @property
    def excess(self) -> int | float | None:
        """Above the most, or below the least that there may be."""
        return None if self.value is None else abs(self.value - self.limit.bound)


class PrunedSpace:
    """The configurations that meet constraints and limits; `contains` takes microseconds. See `pruned_space`.

    Args:
        parameters: of the space.
        constraints: the source's own.
        limits: bounds of resources.

    Raises:
        SpaceError: nothing is left; the message has a smallest set of conditions that conflict.

    Example:
        >>> pruned = tp.PrunedSpace(space.parameters, space.constraints, [])
        >>> pruned.contains({"tile": 16, "unroll": 3}), pruned.space.size
        (False, 12)
    """

    def __init__(self, parameters: Sequence[Parameter], constraints: Sequence[Constraint], limits: Sequence[Limit]):
        self.parameters, self.constraints, self.limits = tuple(parameters), tuple(constraints), tuple(limits)
        self.space = Space(parameters, [*constraints, *(limit.constraint for limit in limits)])
        self._names = frozenset(p.name for p in self.parameters)

    def __repr__(self) -> str:
        return f"<PrunedSpace: {len(self.limits)} limits, {self.space!r}>"

    @cached_property
    def _tests(self) -> list[Holds] | None:
        """Test of a configuration by each group; None for a group without one."""
        tests = [_test(group) for group in self.space.groups]
        return None if None in tests else [test for test in tests if test is not None]

    def contains(self, values: Values) -> bool:
        """Whether these are values of exactly the space's active parameters that every condition allows."""
        if self.space.activity:
            return self.space.contains(values)
        if values.keys() != self._names:
            return False
        tests = self._tests
        return self.space.contains(Configuration(values)) if tests is None else all(test(values) for test in tests)

    def configuration(self, values: Values) -> Configuration:
        """The values as the parameters have them (16 for 16.0). SpaceError for what is none of them."""
        if missing := [p.name for p in self.parameters if p.when is None and p.name not in values]:
            raise SpaceError(f"{', '.join(missing)}: no value is given")
        if unknown := [name for name in values if name not in self._names]:
            raise SpaceError(f"{', '.join(unknown)}: there is no such parameter")
        converted: dict[str, Value] = {}
        for p in self.parameters:
            if p.name not in values:
                continue
            value = p.canonical(values[p.name])
            if value is None:
                raise SpaceError(f"{p.name}: {values[p.name]!r} is not one of its values ({p.summary()})")
            converted[p.name] = value
        return self.space.configurations(self.space.columns([Configuration(converted)]))[0]

    def resources(self, configuration: Configuration) -> dict[str, int | float | None]:
        """What each limited resource comes to; None where it has no value."""
        resources = {limit.resource: limit.value for limit in self.limits}
        priced = zip(resources, self._priced(configuration))
        return {name: value.values[0].item() if value.defined[0] else None for name, value in priced}

    def broken(self, configuration: Configuration) -> tuple[BrokenLimit, ...]:
        """The limits that do not hold."""
        values = self.resources(configuration)
        conditions_met = self._priced(configuration)[len(values) :]
        unmet = [
            limit for limit, holds in zip(self.limits, conditions_met) if not (holds.defined[0] and holds.values[0])
        ]
        return tuple(BrokenLimit(limit, values[limit.resource]) for limit in unmet)

    @cached_property
    def _program(self) -> CompiledExpressions:
        """The value of every resource that is limited, then whether each limit holds."""
        values = {limit.resource: limit.value for limit in self.limits}
        return CompiledExpressions([*values.values(), *(limit.constraint.expression for limit in self.limits)])

    def _priced(self, configuration: Configuration) -> Sequence[Evaluated]:
        return self._program.evaluate(self.space.columns([configuration]), 1)

    def unmet(self, configuration: Configuration) -> tuple[Constraint, ...]:
        """The source's own constraints that do not hold."""
        columns = self.space.columns([configuration])
        return tuple(c for c in self.constraints if not satisfied(c.expression, columns, 1)[0])

    def nearest(self, configuration: Configuration) -> Configuration | None:
        """A configuration that is possible, with as few and small changes as there can be; None where none is found."""
        rows = nearest_feasible(self.space.groups, self.space.columns([configuration]))
        return None if rows is None else self.space.configurations(rows)[0]

    def sample(self, n: int, rng: np.random.Generator) -> list[Configuration]:
        """Up to n distinct possible configurations, uniform."""
        return self.space.sample(n, rng)


def _test(group: ParameterGroup) -> Holds | None:
    if isinstance(group, FreeGroup):
        return _free(group.parameter)
    if not isinstance(group, DiagramGroup) or group.diagram.arcs > MOST_ARCS:
        return None
    if any(not p.is_scalar or (p.size or 0) > MOST_VALUES for p in group.parameters):
        return None
    places = {p.name: _places(p) for p in group.parameters}
    steps: list[tuple[str, Mapping[Value, int], bool, int, dict[int, int]]] = []
    for (name, _), layer in zip(group.layers, group.diagram.layers):
        keys = layer.sources * layer.width + layer.value
        boolean = isinstance(next(p for p in group.parameters if p.name == name).type, BoolType)
        table = dict(zip(keys.tolist(), layer.child.tolist()))
        steps.append((name, places[name], boolean, layer.width, table))

    def holds(values: Values) -> bool:
        node: int | None = 0
        for name, place_of, boolean, width, table in steps:
            value = values[name]
            if (value.__class__ is bool) != boolean or value.__class__ is tuple:
                return False
            place = place_of.get(value)
            node = None if place is None or node is None else table.get(node * width + place)
            if node is None:
                return False
        return True

    return holds


def _free(p: Parameter) -> Holds:
    name = p.name
    return lambda values: p.admits(values[name])


def _places(p: Parameter) -> Mapping[Value, int]:
    return {value: place for place, value in enumerate(p.domain)}
