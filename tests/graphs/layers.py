"""Single operators, applied: what tests of the table are written with."""

from __future__ import annotations

from tunepass.expr import algebra
from tunepass.graphs.inference import NodeCosts, node_costs
from tunepass.graphs.table import OperatorTable, shipped
from tunepass.ir.graph import Attribute, GraphNode

Given = int | float | bool | str | tuple["Given", ...]


def attribute(value: Given) -> Attribute:
    if isinstance(value, tuple):
        return tuple(attribute(item) for item in value)
    return value if isinstance(value, str) else algebra.lift(value)


def applied(operator: str, *shapes: tuple[int, ...], table: OperatorTable | None = None, **given: Given) -> NodeCosts:
    """The operator on inputs of these shapes, the batch included."""
    values = {f"in{k}": tuple(algebra.lift(size) for size in shape) for k, shape in enumerate(shapes)}
    attributes = tuple((name, attribute(value)) for name, value in given.items())
    node = GraphNode(name="node", operator=operator, inputs=tuple(values), attributes=attributes)
    return node_costs(node, values, table or shipped())


def numbers(costs: NodeCosts, k: int = 0) -> tuple[int | float | None, ...]:
    """The shape of an output whose sizes no parameter decides."""
    return tuple(algebra.number(size) for size in costs.outputs[k])


def amount(costs: NodeCosts, resource: str = "weights") -> int | float | None:
    return algebra.number(costs.resources[resource])
