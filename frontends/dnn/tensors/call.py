"""A function of tensors with its arguments, written as a call or as a method."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.machine import Caller, Machine
from tunepass.frontends.dnn.interpreter.values import FilledValue, LayerValue, Method, PyValue, TensorValue, Unknown
from tunepass.frontends.dnn.layers.arguments import TORCH
from tunepass.ir.graph import Attribute, Shape


@dataclass(frozen=True, slots=True)
class TensorFunctionCall:
    """`name(tensor, *given, **named)`, or `tensor.name(*given, **named)`."""

    calls: Caller
    name: str
    tensor: TensorValue
    given: list[PyValue]
    named: dict[str, PyValue]
    node: ast.AST

    @property
    def run(self) -> Machine:
        return self.calls.interpreter

    @property
    def span(self) -> Span:
        return self.run.span(self.node)

    @property
    def shape(self) -> Shape:
        return self.run.building.shape(self.tensor)

    def bound(self, *names: str) -> dict[str, PyValue]:
        """The arguments after the tensor, by these names."""
        return {**dict(zip(names, self.given)), **self.named}

    def sizes(self, name: str = "shape") -> PyValue:
        """Sizes or axes: `(2, 3)`, or one argument each."""
        if name in self.named:
            return self.named[name]
        one = len(self.given) == 1 and isinstance(self.given[0], (list, tuple))
        return self.given[0] if one else tuple(self.given)

    def other(self, name: str = "other", at: int = 0) -> PyValue:
        value = self.given[at] if len(self.given) > at else self.named.get(name)
        if isinstance(value, Method) and isinstance(value.owner, LayerValue) and value.name == "weight":
            value = weight_of(value.owner)
        return self.calls.tensor(value, self.node) if isinstance(value, FilledValue) else value

    def made(self, operator: str, *others: TensorValue, **attributes: Attribute) -> TensorValue:
        return self.run.building.apply(operator, [self.tensor, *others], attributes, span=self.span)[0]


def whole(calls: Caller, value: PyValue, what: str, node: ast.AST) -> Expr:
    if not isinstance(value, int):
        raise calls.error(f"{what} is a whole number", node)
    return algebra.lift(int(value))


def plain(size: Expr) -> PyValue:
    """A size as Python's number where it is one."""
    known = algebra.number(size)
    return int(known) if known is not None else size


WEIGHT = {"Embedding": ("num_embeddings", "embedding_dim"), "Linear": ("out_features", "in_features")}


def weight_of(layer: LayerValue) -> FilledValue:
    """A layer's weight as a tensor of its own: the layer has counted it."""
    told = layer.arguments
    if layer.framework == TORCH and layer.name[:4] == "Conv" and layer.name[-2:] in ("1d", "2d", "3d"):
        kernel, groups = told.get("kernel_size", Unknown("a size")), told.get("groups", 1)
        axes = tuple(kernel) if isinstance(kernel, (list, tuple)) else (kernel,) * int(layer.name[-2])
        outer, inner = told.get("out_channels", Unknown("a size")), told.get("in_channels", Unknown("a size"))
        first, second = (inner, outer) if "Transpose" in layer.name else (outer, inner)
        return FilledValue((first, _shared(second, groups), *axes))
    return FilledValue(tuple(told.get(name, Unknown("a size")) for name in WEIGHT.get(layer.name, ())))


def _shared(channels: PyValue, groups: PyValue) -> PyValue:
    """Of each group's channels."""
    if isinstance(channels, Unknown) or not isinstance(groups, (int, Expr)) or not isinstance(channels, (int, Expr)):
        return Unknown("the channels of a group")
    return channels if groups == 1 else plain(algebra.floordiv(channels, groups))
