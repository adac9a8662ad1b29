"""Weights of modules that a PyTorch model has and its output does not need: `model.parameters()` has them too."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.building import GraphBuilding
from tunepass.frontends.dnn.interpreter import values as v
from tunepass.frontends.dnn.layers.applying import apply_layer, attribute_of
from tunepass.frontends.dnn.layers.arguments import TABLES, TORCH
from tunepass.frontends.dnn.layers.rules import rule
from tunepass.graphs.conditions import both
from tunepass.graphs.inference import node_costs
from tunepass.ir.graph import GraphNode, Shape

LARGE = {1: 1 << 20, 2: 1 << 12, 3: 1 << 8}  # sides of an image that layers fit, by its axes
Found = tuple[Expr | None, v.LayerValue | v.TensorValue]
WIDTHS = {
    "TransformerEncoderLayer": "d_model",
    "TransformerDecoderLayer": "d_model",
    "MultiheadAttention": "embed_dim",
}


def registered(value: v.PyValue, condition: Expr | None = None, seen: set[int] | None = None) -> Iterator[Found]:
    """The layers and parameters that belong to a module, and when; each once."""
    seen = set() if seen is None else seen
    if isinstance(value, v.ConditionalValue):
        yield from registered(value.value, both(condition, value.condition), seen)
        return
    if isinstance(value, v.AlternativesValue):
        for test, item in value.items:
            yield from registered(item, both(condition, test), seen)
        return
    if isinstance(value, v.TensorValue):
        yield condition, value
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, v.LayerValue) and value.framework == TORCH:
        yield condition, value
    for part in _parts(value):
        yield from registered(part, condition, seen)


def _parts(value: v.PyValue) -> list[v.PyValue]:
    if isinstance(value, v.Instance):
        return [*value.fields.values(), value.container]
    if isinstance(value, v.SequentialValue):
        return list(value.items)
    if isinstance(value, (v.Registered, v.RegisteredByName)):
        return list(value.values()) if isinstance(value, v.RegisteredByName) else list(value)
    return []


def unused_nodes(building: GraphBuilding, model: v.PyValue, there: Collection[str]) -> tuple[GraphNode, ...]:
    """A node for each such module, of its weights alone. `there` are the names of the nodes that the output needs."""
    made = {node.name: node for node in building.nodes}
    found: dict[str, GraphNode] = {}
    for condition, item in registered(model):
        if isinstance(item, v.TensorValue):
            node = made.get(item.name)
            if node is not None and node.operator == "Parameter" and node.name not in there:
                found[node.name] = node
        elif not any(name in there for name in item.applied):
            count = _weights(building, item)
            if count is not None and algebra.number(count) != 0:
                name = f"unused_{len(found)}_{item.name.lower()}"
                shape = (("shape", (count,)),)
                found[name] = GraphNode(
                    name=name, operator="Parameter", inputs=(), attributes=shape, present=condition, span=item.span
                )
    return tuple(found.values())


def _weights(building: GraphBuilding, layer: v.LayerValue) -> Expr | None:
    """What a layer has, applied to an input that fits it. None: what fits it is not known."""
    apart = GraphBuilding(building.table)
    apart.words = building.words
    copy = v.LayerValue(layer.name, layer.framework, layer.arguments, layer.span)
    try:
        shape = _fitting(layer)
        if shape is None:
            return None
        inputs = [apart.input("x", shape, "float32", None)] * (2 if layer.name == "TransformerDecoderLayer" else 1)
        apply_layer(apart, copy, inputs)
        costs = [node_costs(node, apart.shapes, apart.table) for node in apart.nodes]
    except SourceError:
        return None
    return algebra.add(*(cost.resources["weights"] for cost in costs))


def _fitting(layer: v.LayerValue) -> Shape | None:
    """The shape of an input."""
    one = algebra.lift(1)
    if layer.name in ("LayerNorm", "RMSNorm"):
        given = attribute_of(layer.arguments.get("normalized_shape"), "normalized_shape", layer.span)
        sizes = given if isinstance(given, tuple) else (given,)
        return (one, *sizes)  # type: ignore[arg-type]
    if layer.name == "Embedding":
        return (one, one)
    name = WIDTHS.get(layer.name)
    checked = next((a for a in rule(TABLES[TORCH][layer.name]).arguments if a.checked or a.name == name), None)
    if checked is None:
        return None  # it has no weights that are told of an input, as an activation
    size = attribute_of(layer.arguments.get(checked.name), checked.name, layer.span)
    if not isinstance(size, Expr):
        return None
    if checked.checked == "channels":
        axes = int(layer.name[-2]) if layer.name[-1:] == "d" and layer.name[-2:-1].isdigit() else 2
        return (one, size, *[algebra.lift(LARGE[axes])] * axes)
    cell = layer.name.endswith("Cell") or layer.name == "Linear"
    return (one, size) if cell else (one, one, size)
