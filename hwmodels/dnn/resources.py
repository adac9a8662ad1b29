"""Resources of a model, as expressions over its parameters.

    weights         numbers that are learned; weight_byte: their size
    flops, macs     of one inference of the whole batch
    time            seconds of one inference: sum over operators of bytes / bandwidth + flops / peak
                    (Gao et al., ICSE 2021, section IV-C); roofline_time takes the larger of the two
    memory_sum      the paper's accumulation (section IV-B): weights and outputs of all operators, and the input
    inference_byte  weights, and the most that is alive at any step (lifetimes.py)
    training_byte   weights, their gradients, what the optimizer keeps, and the most on the way back

The last two are bounds from below: nothing that fits is cut by them. What a device's context takes is added by the one
who knows the device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tunepass.diagnostics import spelling_hint
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import CategoryType, Expr
from tunepass.expr.sharing import Sharing
from tunepass.graphs.inference import ELEMENT_BYTE, Inferred, NodeCosts
from tunepass.graphs.optimizers import OPTIMIZER_SLOTS
from tunepass.graphs.values import GraphError, product, total
from tunepass.hwmodels.dnn.device import Accelerator
from tunepass.hwmodels.dnn.lifetimes import Lifetimes
from tunepass.ir.graph import Graph

UNITS = {
    "weight_byte": "B",
    "time": "s",
    "roofline_time": "s",
    "memory_sum": "B",
    "inference_byte": "B",
    "training_byte": "B",
}


@dataclass(frozen=True)
class GraphResources:
    """The resources of one model."""

    graph: Graph
    inferred: Inferred
    sharing: Sharing = field(default_factory=Sharing)

    @property
    def element_byte(self) -> Expr:
        """Bytes of a number, which the precision decides."""
        return by_word(self.graph.precision, {name: float(byte) for name, byte in ELEMENT_BYTE.items()}, "a precision")

    def counted(self, resource: str) -> Expr:
        """The sum over all operators of a resource of the table."""
        return total([costs.resources[resource] for costs in self.inferred.nodes])

    def values(self, device: Accelerator | None = None) -> dict[str, Expr]:
        """By name; times only of a device."""
        byte, weights, state = self.element_byte, self.counted("weights"), self.counted("state")
        stored = algebra.mul(byte, algebra.add(weights, state))
        lifetimes = Lifetimes(self.graph, self.inferred, byte, self.sharing)
        learned = algebra.mul(byte, weights, 1 + self._slots())
        values = {
            "weights": weights,
            "weight_byte": algebra.mul(byte, weights),
            "macs": self.counted("macs"),
            "flops": self.counted("flops"),
            "memory_sum": algebra.add(self._inputs(), *(self._accumulated(costs) for costs in self.inferred.nodes)),
            "inference_byte": algebra.add(stored, lifetimes.inference_byte()),
            "training_byte": algebra.add(stored, learned, lifetimes.training_byte()),
        }
        node_resources = set(self.inferred.nodes[0].resources) if self.inferred.nodes else set()
        values |= {name: self.counted(name) for name in node_resources - {*values, "state", "kept_byte", "workspace"}}
        if device is not None:
            values |= {"time": self._time(device, roofline=False), "roofline_time": self._time(device, roofline=True)}
        return values

    def _slots(self) -> int:
        name = self.graph.training.optimizer.lower()
        if name not in OPTIMIZER_SLOTS:
            hint = spelling_hint(name, OPTIMIZER_SLOTS, f"known: {', '.join(OPTIMIZER_SLOTS)}", quote=repr)
            raise GraphError(f"nothing is known of the optimizer {name!r}", self.graph.span, hint)
        return OPTIMIZER_SLOTS[name]

    def _inputs(self) -> Expr:
        return total([algebra.mul(self.element_byte, product(value.shape)) for value in self.graph.inputs])

    def _accumulated(self, costs: NodeCosts) -> Expr:
        """M(op) of section IV-C: its weights and its output."""
        return algebra.mul(self.element_byte, algebra.add(costs.resources["weights"], self._output(costs)))

    def _output(self, costs: NodeCosts) -> Expr:
        elements = algebra.lift(0) if costs.view else total([product(shape) for shape in costs.outputs])
        present = costs.node.present
        return elements if present is None else algebra.where(present, elements, 0)

    def _time(self, device: Accelerator, roofline: bool) -> Expr:
        rate = by_word(self.graph.precision, {name: device.rate(name) for name in ELEMENT_BYTE}, "a precision")
        combine = algebra.maximum if roofline else algebra.add
        steps = []
        for costs in self.inferred.nodes:
            if costs.view:
                continue
            read = total([product(self.inferred.shapes[value]) for value in costs.node.inputs])
            if costs.node.present is not None:
                read = algebra.where(costs.node.present, read, 0)
            moved = algebra.mul(self.element_byte, algebra.add(read, costs.resources["weights"], self._output(costs)))
            share = device.efficiency.get(costs.node.operator, 1.0)
            work = algebra.div(costs.resources["flops"], algebra.mul(rate, share))
            steps.append(combine(algebra.div(moved, device.byte_per_s), work))
        return total(steps)


def by_word(word: Expr | str, values: Mapping[str, float], subject: str) -> Expr:
    """The number that belongs to a word, or to the word that a parameter chooses."""
    words = word.type.values if isinstance(word, Expr) and isinstance(word.type, CategoryType) else (word,)
    for name in words:
        if not isinstance(name, str) or name not in values:
            raise GraphError(f"{name!r} is not {subject}", hint=f"known: {', '.join(values)}")
    numbers = [_plain(values[name]) for name in words if isinstance(name, str)]
    result = numbers[-1]
    if isinstance(word, Expr):
        for name, number in list(zip(words, numbers))[-2::-1]:
            chosen = typing.compare((word, typing.constant(str(name))), ("==",))
            result = algebra.where(chosen, number, result)
    return result


def _plain(value: float) -> Expr:
    return algebra.lift(int(value) if value == int(value) and value < 1e6 else value)
