"""The nests that a transform sequence makes of a module's operations of `linalg`, as expressions of the knobs.

The sequence is followed step by step and no module is changed: a handle stands for nests, loops or functions, a tile
size for an expression of a knob. Where regions of `transform.tune.alternatives`, or the values of an attribute, make
other nests, each has a state of its own with the values of the knobs that lead to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import Expr, Type
from tunepass.integrations.mlir.knobs import Knob, Knobs
from tunepass.integrations.mlir.payload import CONTAINERS, NotModelledError, index_name, linalg_operations, work_of
from tunepass.integrations.mlir.reader import Attribute, Operation, SsaValue
from tunepass.integrations.mlir.schedule_state import Handle, Nest, State
from tunepass.ir.accesses import IterationWork
from tunepass.ir.tiled_nests import NestAlternative, TiledNest
from tunepass.space.configuration import Value

SEQUENCE, MAIN = "transform.named_sequence", "__transform_main"
DENSE = re.compile(r"array<i\d+(?::([^>]*))?>")
MOST_STATES = 64
NEUTRAL = (
    "transform.annotate",
    "transform.apply_conversion_patterns",
    "transform.apply_cse",
    "transform.apply_dce",
    "transform.apply_licm",
    "transform.apply_patterns",
    "transform.bufferization.",
    "transform.cast",
    "transform.debug.",
    "transform.print",
    "transform.structured.generalize",
    "transform.structured.hoist_redundant_vector_",
    "transform.structured.specialize",
)
"""Beginnings of names of operations that leave loops as they are."""


States = list[State]
Rule = Callable[["Schedule", Operation, State], States]


class Schedule:
    """The sequence `__transform_main` of a module, followed from its first operation to its last by rules for each."""

    def __init__(self, module: Operation, knobs: Knobs, types: Mapping[str, Type], rules: Mapping[str, Rule]):
        self.module, self.knobs, self.reader, self.types, self.rules = module, knobs, knobs.reader, types, rules
        self.payload = linalg_operations(module, self.reader)
        self.works: dict[int, IterationWork] = {}
        self.sequences = {self.symbol(op): op for op in self._sequences(module)}

    def alternatives(self) -> tuple[NestAlternative, ...]:
        reader, listed = self.reader, list(self.sequences.values())
        main = self.sequences.get(MAIN, listed[0] if len(listed) == 1 else None)
        if main is None:
            raise NotModelledError(self.module, f"{reader.name(self.module)} has no transform sequence @{MAIN}")
        if not self.payload:
            raise NotModelledError(self.module, f"{reader.name(self.module)} has no operation of linalg in a function")
        nests = [Nest(n, self._indices(op)) for n, op in enumerate(self.payload)]
        every = Handle(tuple(range(len(nests))), inside=True)
        state = State(tuple(nests)).bound(reader.arguments(main), [every])
        states = self._run(reader.regions(main)[0], [state])
        if not any(nest.touched for state in states for nest in state.nests):
            raise NotModelledError(main, f"@{MAIN} changes no loops of an operation of linalg")
        last = len(states) - 1
        return tuple(
            NestAlternative(
                None if number == last else self._condition(state.choices),
                tuple(self._nest(nest) for nest in state.nests if nest.touched),
            )
            for number, state in enumerate(states)
        )

    def _nest(self, nest: Nest) -> TiledNest:
        if nest.op not in self.works:
            self.works[nest.op] = work_of(self.payload[nest.op], self.reader)
        innermost = len(nest.loops) - 1
        copies = [factor for place, factor in nest.unrolled if place == innermost]
        return TiledNest(
            work=self.works[nest.op],
            loops=nest.loops,
            points=nest.indices,
            vectors=nest.vectors,
            unroll=alg.mul(1, *copies),
        )

    def _condition(self, choices: Mapping[str, Value]) -> Expr:
        equal = []
        for name, value in choices.items():
            assert not isinstance(value, tuple), "no knob is a permutation"
            equal.append(alg.compare(typing.name(name, self.types), "==", typing.constant(value)))
        return alg.both(*equal)

    def _indices(self, op: Operation) -> tuple[str, ...]:
        """The names of all indices, as the maps list them."""
        head = self.reader.indexing_maps(op)[0].partition("->")[0]
        return tuple(index_name(number) for number in range(len(re.findall(r"\w+(?=[,)])", head))))

    def _sequences(self, op: Operation) -> Iterator[Operation]:
        for operations in self.reader.regions(op):
            for child in operations:
                if self.reader.name(child) == SEQUENCE:
                    yield child
                elif self.reader.name(child) in CONTAINERS:
                    yield from self._sequences(child)

    def symbol(self, op: Operation, key: str = "sym_name") -> str:
        attribute = self.reader.attribute(op, key)
        return str(attribute).strip('@"') if attribute is not None else ""

    def _run(self, operations: Sequence[Operation], states: States) -> States:
        for op in operations:
            states = [after for state in states for after in self._step(op, state)]
            if len(states) > MOST_STATES:
                raise NotModelledError(
                    op, f"{self.reader.name(op)} makes more than {MOST_STATES} combinations of alternatives"
                )
        return states

    def _step(self, op: Operation, state: State) -> States:
        name = self.reader.name(op)
        rule = self.rules.get(name)
        if rule is None and name.startswith(NEUTRAL):
            return [self._passed_on(op, state)]
        if rule is None:
            raise NotModelledError(op, f"{name} is not known")
        return rule(self, op, state)

    # --- values of the sequence

    def handle(self, op: Operation, state: State) -> Handle:
        """The handle that is the first operand.

        Raises:
            NotModelledError: it is not known which.
        """
        handle = state.of(self.reader.operands(op)[0])
        if handle.unknown:
            raise NotModelledError(op, f"{self.reader.name(op)} is applied to {handle.unknown}")
        return handle

    def number(self, op: Operation, value: SsaValue, state: State) -> Expr:
        if value in state.numbers:
            return state.numbers[value]
        raise NotModelledError(op, f"{self.reader.name(op)} has a size that is neither a knob nor a constant")

    def array(self, op: Operation, attribute: Attribute | None) -> list[int]:
        """`array<i64: 1, 0>` or `[1, 0]`; empty where there is none."""
        if attribute is None:
            return []
        if (dense := DENSE.fullmatch(str(attribute))) is not None:
            return [int(number) for number in (dense[1] or "").split(",") if number.strip()]
        listed = self.reader.plain(attribute)
        values = [self.reader.plain(each) for each in listed] if isinstance(listed, tuple) else [None]
        if not all(isinstance(value, int) for value in values):
            raise NotModelledError(op, f"{self.reader.name(op)} has {attribute} in the place of whole numbers")
        return [value for value in values if isinstance(value, int)]

    def whole(self, op: Operation, key: str) -> int | None:
        """The attribute, where it is a whole number."""
        attribute = self.reader.attribute(op, key)
        value = None if attribute is None else self.reader.plain(attribute)
        return value if isinstance(value, int) else None

    def knob_of(self, op: Operation, key: str) -> Knob | None:
        """The knob whose choice is written as this attribute."""
        knobs = self.knobs.by_name.values()
        return next((knob for knob in knobs if any(site.op == op and site.key == key for site in knob.sites)), None)

    def chosen(self, op: Operation, key: str, state: State) -> list[tuple[State, Attribute | None]]:
        """The attribute, with a state for each option where it is a knob."""
        knob = self.knob_of(op, key)
        if knob is None:
            return [(state, self.reader.attribute(op, key))]
        values = [state.choices[knob.parameter]] if knob.parameter in state.choices else knob.values
        return [
            (replace(state, choices={**state.choices, knob.parameter: value}), knob.option(value)) for value in values
        ]

    def _passed_on(self, op: Operation, state: State) -> State:
        """An operation that leaves loops as they are: its results stand for what its operand does."""
        operands = self.reader.operands(op)
        handle = state.of(operands[0]) if operands else Handle(unknown=self.reader.name(op))
        return state.bound(self.reader.results(op), [handle] * len(self.reader.results(op)))

    def region(self, op: Operation, operations: Sequence[Operation], state: State) -> States:
        """The states after a region; the operation's results are what the region yields."""
        yielded = self.reader.operands(operations[-1]) if operations else []
        return [after.renamed(yielded, self.reader.results(op)) for after in self._run(operations, [state])]
