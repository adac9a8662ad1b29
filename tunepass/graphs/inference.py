"""Inference over a graph's operators: shapes, costs, and the conditions under which they exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import spelling_hint
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.graphs.formula import truth
from tunepass.graphs.table import OUT, AttributeRule, Operator, OperatorTable
from tunepass.graphs.values import GraphError, Value, product, scalar, spread, told, vector, whole
from tunepass.ir.graph import Attribute, GraphInput, GraphNode, Shape

ELEMENT_BYTE = {
    **dict.fromkeys(("float32", "int32", "uint32"), 4),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    **dict.fromkeys(("float64", "int64", "uint64"), 8),
    **dict.fromkeys(("int8", "uint8", "bool", "float8"), 1),
}


@dataclass(frozen=True, slots=True)
class ModelCondition:
    """A condition without which there is no such model; `text` is its message."""

    holds: Expr
    text: str
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCosts:
    """What an operator makes and takes. `resources` are those of the table, 0 where its row has none; `keeps` are the
    values that training keeps for the way back."""

    node: GraphNode
    outputs: tuple[Shape, ...]
    resources: Mapping[str, Expr]
    conditions: tuple[ModelCondition, ...]
    keeps: tuple[str, ...]
    view: bool


@dataclass(frozen=True, slots=True)
class Inferred:
    """A graph's shapes by value, and its nodes' costs in the order of the graph."""

    shapes: Mapping[str, Shape]
    nodes: tuple[NodeCosts, ...]

    def conditions(self) -> Iterator[ModelCondition]:
        for node in self.nodes:
            yield from node.conditions


def infer(
    inputs: Sequence[GraphInput], nodes: Sequence[GraphNode], table: OperatorTable, element_byte: Expr | int = 4
) -> Inferred:
    """GraphError, at the node, for shapes that do not fit whatever the parameters are."""
    shapes: dict[str, Shape] = {value.name: value.shape for value in inputs}
    inferred = []
    for node in nodes:
        costs = node_costs(node, shapes, table, element_byte)
        shapes |= {output_name(node.name, k): shape for k, shape in enumerate(costs.outputs)}
        inferred.append(costs)
    return Inferred(shapes, tuple(inferred))


def output_name(node: str, k: int) -> str:
    return node if k == 0 else f"{node}:{k}"


def node_costs(
    node: GraphNode, shapes: Mapping[str, Shape], table: OperatorTable, element_byte: Expr | int = 4
) -> NodeCosts:
    """Costs of one operator for its inputs' shapes."""
    try:
        operator = table.operator(node.operator)
        return _Application(node, operator, shapes, table, element_byte).costs()
    except GraphError as error:
        first_diagnostic = error.diagnostics[0]
        problem = (
            first_diagnostic.message
            if first_diagnostic.span
            else f"{node.name} ({node.operator}): {first_diagnostic.message}"
        )
        raise GraphError(problem, first_diagnostic.span or node.span, first_diagnostic.hint) from None


class _Application:
    """An operator applied to a node's inputs."""

    def __init__(
        self,
        node: GraphNode,
        operator: Operator,
        shapes: Mapping[str, Shape],
        table: OperatorTable,
        element_byte: Expr | int,
    ):
        self.node, self.operator, self.table = node, operator, table
        self.values: dict[str, tuple[str, ...]] = {}
        self.names: dict[str, Value] = {"element_byte": algebra.lift(element_byte)}
        self._bind_inputs(shapes)
        self._bind_attributes()

    def costs(self) -> NodeCosts:
        for name, rule in self.operator.where.items():
            self.names[name] = rule.value(self.names)
        conditions = list(self._required())
        outputs = tuple(vector(rule.value(self.names), "a shape") for rule in self.operator.outputs)
        conditions += () if self.operator.empty else self._existing(outputs)
        self.names |= {OUT: outputs[0], "n": product(outputs[0])}
        resources = {name: algebra.lift(0) for name in self.table.resources}
        for name, rule in self.operator.resources.items():
            resources[name] = _amount(rule.value(self.names))
        if self.node.weights_of:
            counted = self.node.unless
            for name in ("weights", "state"):
                cost = resources[name]
                resources[name] = algebra.lift(0) if counted is None else algebra.where(counted, 0, cost)
        if self.node.present is not None:
            resources = {name: algebra.where(self.node.present, cost, 0) for name, cost in resources.items()}
        keeps = [self.node.name if name == OUT else value for name in self.operator.keeps for value in self._kept(name)]
        return NodeCosts(
            node=self.node,
            outputs=outputs,
            resources=resources,
            conditions=tuple(conditions),
            keeps=tuple(dict.fromkeys(keeps)),
            view=self.operator.view or self.node.in_place,
        )

    def _kept(self, name: str) -> tuple[str, ...]:
        return (name,) if name == OUT else self.values.get(name, ())

    def _bind_inputs(self, shapes: Mapping[str, Shape]) -> None:
        given = list(self.node.inputs)
        for value in given:
            if value not in shapes:
                raise GraphError(f"nothing before it makes {value!r}")
        last: Value = ()
        for rule in self.operator.inputs:
            if rule.several:
                self.values[rule.name] = tuple(given)
                self.names[rule.name] = tuple(shapes[value] for value in given)
                given = []
            elif given:
                value = given.pop(0)
                self.values[rule.name] = (value,)
                last = self.names[rule.name] = shapes[value]
            elif rule.optional:
                self.names[rule.name] = last
            else:
                raise GraphError(f"the input {rule.name!r} is missing")
        if given:
            most = len(self.operator.inputs)
            raise GraphError(f"{len(self.node.inputs)} inputs, it takes {most if most else 'none'}")

    def _bind_attributes(self) -> None:
        given = dict(self.node.attributes)
        rules = self.operator.attributes
        for name in given:
            if name not in rules:
                hint = spelling_hint(name, rules, f"it has {', '.join(rules) or 'none'}", quote=repr)
                raise GraphError(f"it has no attribute {name!r}", hint=hint)
        for name, rule in rules.items():
            if name in given:
                value: Value = _value(given[name])
            elif rule.default is not None:
                value = rule.default.value({})
            else:
                raise GraphError(f"the attribute {name!r} is missing")
            self.names[name] = self._fitted(name, rule, value)

    def _fitted(self, name: str, rule: AttributeRule, value: Value) -> Value:
        """The value in the form that formulas expect of the kind."""
        match rule.kind:
            case "size" | "real":
                return scalar(value, f"a number for {name!r}")
            case "flag":
                number = scalar(value, f"True or False for {name!r}")
                known = algebra.number(number)
                return algebra.lift(int(bool(known))) if known is not None else number
            case "integer":
                return algebra.lift(whole(value, f"{name!r}"))
            case "integers":
                items = value if isinstance(value, tuple) else (value,)
                return tuple(algebra.lift(whole(item, f"{name!r}")) for item in items)
            case "axes" | "reals":
                return spread(value, self._image_rank(0), f"{name!r}")
            case "frames":
                return spread(value, self._image_rank(1), f"{name!r}")
            case "shape":
                return vector(value, f"sizes for {name!r}")
            case "word" if not isinstance(value, str) and str(getattr(value, "type", "")) != "string":
                raise GraphError(f"{name!r} is a word, not {told(value)}")
        return value

    def _image_rank(self, steps: int) -> int:
        first = self.names[self.operator.inputs[0].name]
        rank = len(vector(first, "a shape")) - 2 - steps
        if rank < 0:
            raise GraphError(f"the input {told(first)} has no batch, sizes and channels")
        return rank

    def _required(self) -> Iterator[ModelCondition]:
        for rule, text in self.operator.requires:
            yield from self._condition(truth(rule.value(self.names)), text)

    def _existing(self, outputs: tuple[Shape, ...]) -> Iterator[ModelCondition]:
        """What comes out has to have a size of at least 1 along each axis."""
        for shape in outputs:
            for size in shape:
                known = algebra.number(size)
                if known is None or known < 1:
                    text = (
                        f"the output {told(shape)} has to have elements" if known is not None else "no output is empty"
                    )
                    yield from self._condition(algebra.compare(size, ">=", 1), text)

    def _condition(self, holds: Expr, text: str) -> Iterator[ModelCondition]:
        known = algebra.number(holds)
        if known is None:
            present = self.node.present
            yield ModelCondition(
                holds if present is None else algebra.where(present, holds, True), text, self.node.name
            )
        elif not known:
            if self.node.present is None:
                inputs = ", ".join(told(self.names[rule.name]) for rule in self.operator.inputs)
                raise GraphError(f"{text}; its input is {inputs}")
            yield ModelCondition(algebra.where(self.node.present, False, True), text, self.node.name)


def _value(attribute: Attribute) -> Value:
    return tuple(_value(item) for item in attribute) if isinstance(attribute, tuple) else attribute


def _amount(value: Value) -> Expr:
    """A cost is never of a Boolean type."""
    number = scalar(value, "a cost")
    return algebra.mul(1, number) if str(number.type) != "Bool" else algebra.where(number, 1, 0)
