"""The graph under construction: operators are applied as the source is followed, so shapes are known on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from tunepass.diagnostics import Diagnostic, SourceError, Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.expr.sharing import Sharing
from tunepass.frontends.dnn.interpreter.values import TensorValue
from tunepass.graphs.conditions import either
from tunepass.graphs.inference import ModelCondition, node_costs, output_name
from tunepass.graphs.table import OperatorTable
from tunepass.graphs.values import GraphError
from tunepass.ir.graph import Attribute, GraphInput, GraphNode, Shape


class GraphBuilding:
    def __init__(self, table: OperatorTable):
        self.table = table
        self.inputs: list[GraphInput] = []
        self.nodes: list[GraphNode] = []
        self.shapes: dict[str, Shape] = {}
        self.conditions: list[ModelCondition] = []
        self.sharing = Sharing()
        self.assumed: dict[str, Diagnostic] = {}  # of nodes, what they were made on the assumption of
        self.words: Mapping[str, tuple[str, ...]] = {}  # of each parameter whose values are words
        self._names: dict[str, int] = {}
        self._present: list[Expr] = []

    def input(self, name: str, shape: Shape, element: str, span: Span | None) -> TensorValue:
        name = self._unique(name)
        self.inputs.append(GraphInput(name=name, shape=shape, element=element, span=span))
        self.shapes[name] = shape
        return TensorValue(name)

    def apply(
        self,
        operator: str,
        inputs: Sequence[TensorValue],
        attributes: dict[str, Attribute] | None = None,
        *,
        span: Span | None = None,
        name: str = "",
        in_place: bool = False,
        reused: Sequence[str] = (),
    ) -> tuple[TensorValue, ...]:
        """The values that the operator makes. SourceError at the span for shapes that do not fit."""
        node = GraphNode(
            name=self._unique(name or operator.lower()),
            operator=operator,
            inputs=tuple(value.name for value in inputs),
            attributes=tuple((attributes or {}).items()),
            present=algebra.both(*self._present) if self._present else None,
            weights_of=reused[0] if reused else None,
            unless=self._there(reused) if reused else None,
            in_place=in_place,
            span=span,
        )
        try:
            costs = node_costs(node, self.shapes, self.table)
        except GraphError as error:
            first = error.diagnostics[0]
            raise SourceError(first.message, first.span or span, first.hint) from None
        self.nodes.append(node)
        self.conditions += [replace(c, holds=self.sharing.shared(c.holds)) for c in costs.conditions]
        names = [output_name(node.name, k) for k in range(len(costs.outputs))]
        shared = (tuple(self.sharing.shared(size) for size in shape) for shape in costs.outputs)
        self.shapes |= dict(zip(names, shared))
        return tuple(TensorValue(value) for value in names)

    def between(self, inputs: Sequence[str], outputs: Sequence[str]) -> list[GraphNode]:
        """The nodes that the outputs come from, up to the inputs, in order."""
        wanted, kept = {output.partition(":")[0] for output in outputs}, []
        for node in reversed(self.nodes):
            if node.name in wanted and node.name not in inputs:
                kept.append(node)
                wanted |= {value.partition(":")[0] for value in node.inputs}
        return kept[::-1]

    def _there(self, names: Sequence[str]) -> Expr | None:
        """That one of the nodes is there; None: always."""
        present = [node.present for node in self.nodes if node.name in names]
        if not present or any(condition is None for condition in present):
            return None
        return either([condition for condition in present if condition is not None])

    def require(self, left: Expr, right: Expr, text: str, name: str) -> bool:
        """That two numbers are equal, where what is applied now is there; False where they never are."""
        left, right = self.sharing.shared(left), self.sharing.shared(right)
        holds = algebra.lift(True) if left is right else algebra.compare(left, "==", right)
        known = algebra.number(holds)
        if known is None:
            if self._present:
                holds = algebra.where(algebra.both(*self._present), holds, True)
            self.conditions.append(ModelCondition(self.sharing.shared(holds), text, name))
        return known is None or bool(known)

    def shape(self, value: TensorValue) -> Shape:
        return self.shapes[value.name]

    @contextmanager
    def when(self, condition: Expr) -> Iterator[None]:
        """What is applied inside is there under the condition."""
        self._present.append(condition)
        try:
            yield
        finally:
            self._present.pop()

    @contextmanager
    def always(self) -> Iterator[None]:
        """What is applied inside is there whatever conditions hold around it."""
        present, self._present = self._present, []
        try:
            yield
        finally:
            self._present = present

    def _unique(self, name: str) -> str:
        count = self._names.get(name, 0)
        unique = f"{name}_{count}" if count else name
        while count and unique in self._names:
            count += 1
            unique = f"{name}_{count}"
        self._names[name] = count + 1
        self._names.setdefault(unique, 1)
        return unique
