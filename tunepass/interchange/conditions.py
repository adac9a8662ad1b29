"""Conditions of parameters in the formats of other tuners: NNI's nested choices and ConfigSpace's conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SpaceError
from tunepass.expr import nodes, typing
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.activity import Activity
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
MOST_PARENT_VALUES = 4096  # of a parameter that a condition reads
BOUNDS = {"<": "LT", ">": "GT"}


@dataclass(frozen=True, slots=True)
class Activating:
    """The values of one parameter with which another is active."""

    parent: str
    values: tuple[Value, ...]


def plain_value(value: Value) -> bool | int | float | str:
    """A value as other tuners may have it: an order is a text."""
    return " ".join(map(str, value)) if isinstance(value, tuple) else value


def activating_values(parameters: Sequence[Parameter], activity: Activity, tuner: str) -> dict[str, Activating]:
    """By parameter with a condition. SpaceError for one that reads several parameters, or one of too many values."""
    return {
        name: _activating(parameters, activity, condition.expression, name, tuner)
        for name, condition in activity.conditions.items()
    }


def _activating(
    parameters: Sequence[Parameter], activity: Activity, e: nodes.Expr, child: str, tuner: str
) -> Activating:
    parents = nodes.free_names(e)
    parent = next((p for p in parameters if parents == {p.name}), None)
    if parent is None or parent.size is None or parent.size > MOST_PARENT_VALUES:
        when = activity.conditions[child]
        message = f"{tuner} has no such condition: {child} is active only when {when}"
        raise SpaceError(message, when.span, "its conditions are about the values of one other parameter")
    original = next(p for p in activity.parameters if p.name == parent.name)
    values = list(parent.domain)
    met = satisfied(e, {parent.name: original.column(values)}, len(values))
    return Activating(parent.name, tuple(value for value, holds in zip(values, met) if holds))


def configspace_conditions(parameters: Sequence[Parameter], activity: Activity) -> list[Json]:
    """An object for each parameter with a condition, as ConfigSpace's format 0.4 has them."""
    return [
        _configspace(parameters, activity, condition.expression, name, negated=False)
        for name, condition in activity.conditions.items()
    ]


def _configspace(
    parameters: Sequence[Parameter], activity: Activity, e: nodes.Expr, child: str, *, negated: bool
) -> Mapping[str, Json]:
    """A comparison that reads an inactive parameter is false in ConfigSpace too."""
    if isinstance(e, nodes.Unary) and e.op == "not":
        return _configspace(parameters, activity, e.operand, child, negated=not negated)
    if isinstance(e, nodes.Logical):
        parts = [_configspace(parameters, activity, operand, child, negated=negated) for operand in e.operands]
        return {"child": child, "type": "OR" if (e.op == "or") != negated else "AND", "conditions": parts}
    if not negated and (bound := _bound(e)) is not None:
        return {"child": child, **bound}
    condition = typing.unary("not", e) if negated else e
    activating = _activating(parameters, activity, condition, child, "ConfigSpace")
    values: list[Json] = [plain_value(value) for value in activating.values]
    if len(values) == 1:
        return {"child": child, "parent": activating.parent, "type": "EQ", "value": values[0]}
    return {"child": child, "parent": activating.parent, "type": "IN", "values": values}


def _bound(e: nodes.Expr) -> Mapping[str, Json] | None:
    """`x < 3` or `x > 3` of a number."""
    match e:
        case nodes.Compare(operands=(nodes.Name(name=name), nodes.Constant(value=value)), ops=(op,)) if op in BOUNDS:
            return {"parent": name, "type": BOUNDS[op], "value": value}
    return None
