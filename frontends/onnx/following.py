"""An ONNX model put into a graph, operator by operator: constants are folded, tensors are applied to.

Where a description lets something vary, the model is followed twice: first as the file has it, so that numbers in it
(the target of a reshape, a bias's size) are known for the sizes that they are, and then as it varies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.diagnostics import SourceError, Span, nearest, spelling_hint
from tunepass.expr import algebra
from tunepass.frontends.dnn.building import GraphBuilding
from tunepass.frontends.dnn.interpreter.values import TensorValue
from tunepass.frontends.onnx.folding import folded
from tunepass.frontends.onnx.model import DEFAULT_DOMAINS, OnnxModel, OnnxNode, OnnxTensor, constant_of
from tunepass.frontends.onnx.operators.elementwise import ELEMENTWISE
from tunepass.frontends.onnx.operators.movement import MOVEMENT
from tunepass.frontends.onnx.operators.products import PRODUCTS
from tunepass.frontends.onnx.operators.role import Rule
from tunepass.frontends.onnx.operators.windows import WINDOWS
from tunepass.frontends.onnx.site import Site
from tunepass.frontends.onnx.values import Constant, Held, Written, written
from tunepass.graphs.table import OperatorTable
from tunepass.ir.graph import Attribute, Shape

RULES: Mapping[str, Rule] = {**WINDOWS, **PRODUCTS, **ELEMENTWISE, **MOVEMENT}
CONTROL = ("If", "Loop", "Scan", "SequenceMap")
UNKNOWN_SIZE = ("NonZero", "Unique", "Compress", "NonMaxSuppression", "StringSplit")


class Following:
    """`shapes` are those that the user states of values that are not followed."""

    def __init__(
        self,
        model: OnnxModel,
        table: OperatorTable,
        inputs: Mapping[str, Shape],
        varied: Mapping[int, Mapping[str, Attribute]],
        stated: Mapping[str, Shape],
        first: Following | None = None,
    ):
        self.model, self.table, self.varied, self.stated, self.first = model, table, varied, stated, first
        self.opset = model.opset
        self.building = GraphBuilding(table)
        self.users: dict[str, str] = {}  # of weights: the node that they were counted at
        self.asked: dict[int, set[str]] = {}
        self._stored: dict[tuple[str, tuple[float, ...]], TensorValue] = {}
        self._span: Span | None = None
        self.values: dict[str, Held] = {tensor.name: _constant(tensor) for tensor in model.tensors}
        for value in model.inputs:
            name = _plain(value.name)
            self.values[value.name] = self.building.input(name, inputs[value.name], value.element, value.span)

    def follow(self) -> None:
        """SourceError at the operator that cannot be followed."""
        for k, node in enumerate(self.model.nodes):
            self._node(k, node)

    def outputs(self) -> list[str]:
        names = []
        for output in self.model.outputs:
            value = self.values.get(output.name)
            if value is None:
                raise SourceError(f"nothing makes the output {output.name!r}", output.span)
            names.append((value if isinstance(value, TensorValue) else self.stored(value, value.dims)).name)
        return list(dict.fromkeys(names))

    # What sites ask

    def held(self, name: str) -> Held:
        value = self.values.get(name)
        if value is None:
            hint = spelling_hint(name, self.values, "operators stand after what they use", quote=repr)
            raise SourceError(f"nothing before it makes {name!r}", self._span, hint)
        return value

    def shape(self, value: Held) -> Shape:
        return value.dims if isinstance(value, Constant) else self.building.shape(value)

    def before(self, name: str) -> Written:
        of = self.first or self
        return written(of.shape(of.held(name)))

    def stored(self, constant: Constant, shape: Shape) -> TensorValue:
        """A constant as a value of the graph; its weights are counted once."""
        sizes = tuple(id(size) if number is None else number for size, number in zip(shape, map(algebra.number, shape)))
        key = (constant.root or f"{id(constant)}", sizes)
        if key not in self._stored:
            name = _plain(constant.root) or "constant"
            counted = constant.weight and bool(constant.dims)
            reused = [self.users[constant.root]] if constant.root in self.users else []
            row = "Parameter" if counted else "Constant"
            (value,) = self.building.apply(
                row, [], {"shape": shape}, span=self._span, name=name, reused=reused if counted else []
            )
            self._stored[key] = value
            if counted:
                self.users.setdefault(constant.root, value.name)
        return self._stored[key]

    def put(
        self,
        node: OnnxNode,
        operator: str,
        inputs: Sequence[TensorValue],
        attributes: Mapping[str, Attribute],
        reused: Sequence[str],
    ) -> tuple[TensorValue, ...]:
        name = _plain(node.called)
        return self.building.apply(operator, inputs, dict(attributes), span=node.span, name=name, reused=reused)

    # Operators

    def _node(self, k: int, node: OnnxNode) -> None:
        self._span = node.span
        site = Site(self, node, self.varied.get(k, {}))
        made = self._made(site)
        self.asked[k] = site.asked
        for name, value in zip(node.outputs, made):
            if name and name in self.values:
                raise SourceError(f"{name!r} is made twice", self._span, "each value of a graph is made once")
            if name:
                self.values[name] = value
        for name in node.outputs[len(made) :]:
            self.values.pop(name, None)

    def _made(self, site: Site) -> Sequence[Held]:
        node = site.node
        if node.outputs and all(name in self.stated for name in node.outputs if name):
            return self._as_stated(site)
        if node.domain in DEFAULT_DOMAINS and node.operator == "Constant":
            return [_constant(constant_of(node))]
        if node.domain in DEFAULT_DOMAINS and node.operator in RULES:
            constant = folded(site)
            return [constant] if constant is not None else RULES[node.operator](site)
        if node.operator in self.table.operators:
            return self._as_row(site)
        raise self._unknown(site)

    def _as_stated(self, site: Site) -> Sequence[Held]:
        inputs = [value for value in site.values() if isinstance(value, TensorValue)]
        return [made for name in site.node.outputs for made in site.put("Stated", inputs, {"shape": self.stated[name]})]

    def _as_row(self, site: Site) -> Sequence[Held]:
        """A row of the table of that name, which the user may have written: attributes are its own."""
        row = self.table.operators[site.node.operator]
        every = {name: value for name in row.attributes if (value := site.given(name)) is not None}
        taken = len(row.inputs) if not any(rule.several for rule in row.inputs) else len(site.node.inputs)
        inputs = [site.tensor(k) for k in range(min(taken, len(site.node.inputs))) if site.has(k)]
        return site.layer(row.name, inputs, range(taken, len(site.node.inputs)), every)

    def _unknown(self, site: Site) -> SourceError:
        node = site.node
        called = node.operator if node.domain in DEFAULT_DOMAINS else f"{node.domain}.{node.operator}"
        state = f"state it in a tune.yaml: `shapes: {{{node.outputs[0] if node.outputs else 'y'}: [...]}}`"
        if node.domain in DEFAULT_DOMAINS and node.operator in CONTROL:
            return site.error("what is inside depends on what goes in", state)
        if node.domain in DEFAULT_DOMAINS and node.operator in UNKNOWN_SIZE:
            return site.error("the size of what it gives depends on what goes in", state)
        close = nearest(node.operator, RULES)
        near = f"did you mean {close!r}? or " if close else ""
        return site.error(
            f"there is no operator `{called}`", f"{near}describe it in a file of operators: --operators FILE"
        )


def _constant(tensor: OnnxTensor) -> Constant:
    items = None if tensor.numbers is None else tuple(algebra.lift(number) for number in tensor.numbers)
    dims = tuple(algebra.lift(size) for size in tensor.dims)
    weight = tensor.weight and tensor.element not in ("int64", "bool", "string", "int32")
    return Constant(tensor.name, dims, items, tensor.element, weight)


def _plain(name: str) -> str:
    """`:` stands before the number of an output."""
    return name.replace(":", "_")
