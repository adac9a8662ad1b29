"""Values that are only there under a condition on parameters, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.building import GraphBuilding
from tunepass.frontends.dnn.interpreter.values import ConditionalValue, PyValue, TensorValue


def presence(value: PyValue) -> tuple[Expr | None, PyValue]:
    """When a value is there (None: always), and the value."""
    return (value.condition, value.value) if isinstance(value, ConditionalValue) else (None, value)


def where_there(
    building: GraphBuilding, values: Sequence[PyValue], make: Callable[[list[PyValue]], PyValue]
) -> PyValue:
    """What is made of values of which some are only there under conditions: it is there where all of them are."""
    conditions = [value.condition for value in values if isinstance(value, ConditionalValue)]
    plain = [presence(value)[1] for value in values]
    if not conditions:
        return make(plain)
    condition = algebra.both(*conditions)
    with building.when(condition):
        result = make(plain)
    return ConditionalValue(condition, result) if isinstance(result, TensorValue) else result


def joining(values: Sequence[PyValue]) -> str:
    """The operator that joins tensors: each may be missing, or some is always there."""
    return "JoinOptional" if all(presence(value)[0] is not None for value in values) else "Concatenate"


def optional(building: GraphBuilding, value: PyValue, axis: int, span: Span) -> PyValue:
    """A tensor that is joined with others along the axis: it has no elements where it is not there."""
    condition, tensor = presence(value)
    if condition is None or not isinstance(tensor, TensorValue):
        return value
    with building.when(condition):
        return building.apply("Optional", [tensor], {"axis": algebra.lift(axis), "there": condition}, span=span)[0]
