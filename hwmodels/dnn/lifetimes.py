"""Tensors that are alive at each step of a model, and their peak in bytes.

Steps are the graph's nodes in order. A tensor is alive from the step that makes it to the last that uses it; views and
`Select` pass on the memory of their inputs. Training keeps what the table of operators says (`keeps`, `kept_byte`) up
to the step's way back, which goes through the nodes in reverse order; there the gradient of a tensor is alive from the
last node that used it back to the one that made it.

    inference  max over steps s of         sum of tensors alive at s
    training   max over steps s back of    kept by steps up to s  +  gradients of the tensors alive at s

Both count only what has to be there: no scratch memory, no rounding by an allocator. They are bounds from below of
what a run takes, which is the direction in which a limit has to err: nothing that fits is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.expr.sharing import Sharing
from tunepass.graphs.conditions import both, either, negated
from tunepass.graphs.inference import Inferred, output_name
from tunepass.graphs.values import product, total
from tunepass.ir.graph import Graph

SELECT = "Select"


@dataclass(frozen=True, slots=True)
class TensorMemory:
    """A tensor that a value is held in, under a condition (None: always)."""

    tensor: str
    condition: Expr | None = None


@dataclass(frozen=True)
class Lifetimes:
    """Lifetimes in a graph whose elements take `element_byte`."""

    graph: Graph
    inferred: Inferred
    element_byte: Expr
    sharing: Sharing = field(default_factory=Sharing)

    @cached_property
    def tensors(self) -> Mapping[str, tuple[int, Expr]]:
        """The step that makes each tensor (-1: an input), and its bytes."""
        tensors = {value.name: (-1, self._byte(value.name, None)) for value in self.graph.inputs}
        for step, costs in enumerate(self.inferred.nodes):
            if not costs.view:
                for k in range(len(costs.outputs)):
                    name = output_name(costs.node.name, k)
                    tensors[name] = (step, self._byte(name, costs.node.present))
        return tensors

    def _byte(self, value: str, present: Expr | None) -> Expr:
        byte = algebra.mul(self.element_byte, product(self.inferred.shapes[value]))
        return self.sharing.shared(byte if present is None else algebra.where(present, byte, 0))

    @cached_property
    def memories(self) -> Mapping[str, tuple[TensorMemory, ...]]:
        """Memories of each value."""
        memories: dict[str, tuple[TensorMemory, ...]] = {name: (TensorMemory(name),) for name in self.tensors}
        for costs in self.inferred.nodes:
            node = costs.node
            if not costs.view:
                continue
            if node.operator == SELECT:
                condition = dict(node.attributes)["condition"]
                assert isinstance(condition, Expr)
                sides = ((node.inputs[0], condition), (node.inputs[1], negated(condition)))
                memories[node.name] = tuple(
                    TensorMemory(memory.tensor, both(memory.condition, side))
                    for value, side in sides
                    for memory in memories[value]
                )
            elif not node.inputs:
                memories[node.name] = ()  # weights, or constants, which are there all the time
            else:
                memories[node.name] = memories[node.inputs[0]]
        return memories

    @cached_property
    def uses(self) -> Mapping[str, tuple[tuple[int, Expr | None], ...]]:
        """The steps that use each tensor and when they do; the model's outputs are used after the last step."""
        uses: dict[str, list[tuple[int, Expr | None]]] = {name: [] for name in self.tensors}
        for step, costs in enumerate(self.inferred.nodes):
            if not costs.view:
                for value in costs.node.inputs:
                    for memory in self.memories[value]:
                        uses[memory.tensor].append((step, both(memory.condition, costs.node.present)))
        for value in self.graph.outputs:
            for memory in self.memories[value]:
                uses[memory.tensor].append((len(self.inferred.nodes), memory.condition))
        return {name: tuple(steps) for name, steps in uses.items()}

    def alive(self, step: int) -> list[Expr]:
        """The bytes of each tensor alive at the step, the outputs of the step included."""
        alive = []
        for name, (produced_at, byte) in self.tensors.items():
            if produced_at > step:
                continue
            if produced_at == step or self._always_until[name] >= step:
                alive.append(byte)
            elif later := [c for used, c in self.uses[name] if used >= step and c is not None]:
                alive.append(algebra.where(either(later), byte, 0))
        return alive

    @cached_property
    def _always_until(self) -> Mapping[str, int]:
        """The last step that uses each tensor whatever the parameters are; -1: there is none."""
        return {
            name: max((step for step, condition in uses if condition is None), default=-1)
            for name, uses in self.uses.items()
        }

    @cached_property
    def _alive(self) -> tuple[Expr, ...]:
        """The bytes that are alive at each step."""
        return tuple(self.sharing.shared(total(self.alive(step))) for step in self._steps())

    def inference_byte(self) -> Expr:
        """The most that is alive at any step; weights are not counted."""
        return most(list(self._alive), self.sharing)

    @cached_property
    def kept(self) -> tuple[tuple[Expr, ...], ...]:
        """What training keeps of each step beside what earlier steps keep: bytes."""
        before: set[str] = set()
        per_step = []
        for costs in self.inferred.nodes:
            new = [tensor for tensor in self._kept_tensors(costs.keeps) if tensor not in before]
            before.update(new)
            per_step.append((*(self.tensors[tensor][1] for tensor in new), costs.resources["kept_byte"]))
        return tuple(per_step)

    def _kept_tensors(self, values: tuple[str, ...]) -> list[str]:
        return list(dict.fromkeys(memory.tensor for value in values for memory in self.memories[value]))

    def kept_byte(self) -> Expr:
        """All that one step of training keeps for the way back."""
        return total([byte for step in self._steps() for byte in self.kept[step]])

    def training_byte(self) -> Expr:
        """The most bytes on the way back, kept tensors and gradients; weights and their gradients are not counted."""
        sums = PrefixSums([total(list(self.kept[step])) for step in self._steps()])
        return most([algebra.add(sums.upto(s + 1), self._alive[s]) for s in self._steps()], self.sharing)

    def _steps(self) -> range:
        return range(len(self.inferred.nodes))


def most(terms: list[Expr], sharing: Sharing) -> Expr:
    """The largest of many terms; equal ones are compared once."""
    unique = list({id(term): term for term in map(sharing.shared, terms)}.values())
    constants = [number for number in map(algebra.number, unique) if number is not None]
    others = [term for term in unique if algebra.number(term) is None]
    terms = [*others, *([algebra.lift(max(constants))] if constants else [])]
    return terms[0] if len(terms) == 1 else algebra.apply("max", *terms)


class PrefixSums:
    """Sums of the first k of many terms, that share their parts: k terms are a sum of log2 k blocks."""

    def __init__(self, terms: list[Expr]):
        self.levels = [terms]
        while len(terms) > 1:
            terms = [algebra.add(*terms[i : i + 2]) for i in range(0, len(terms) - 1, 2)]
            self.levels.append(terms)

    def upto(self, count: int) -> Expr:
        """The sum of the first `count` terms."""
        blocks, at = [], 0
        for level in reversed(range(len(self.levels))):
            if count - at >= 1 << level:
                blocks.append(self.levels[level][at >> level])
                at += 1 << level
        return total(blocks)
