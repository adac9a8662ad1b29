"""The nests that a transform sequence makes of a module's operations of `linalg`, as expressions of the knobs.

The sequence is followed step by step and no module is changed: a handle stands for nests, loops or functions, a tile
size for an expression of a knob. Where regions of `transform.tune.alternatives`, or the values of an attribute, make
other nests, each has a state of its own with the values of the knobs that lead to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import Expr, Type
from tunepass.integrations.mlir.constraints import CONSTANT, CONSTRAIN, MATCHED
from tunepass.integrations.mlir.knobs import ALTERNATIVES, KNOB, Knob, Knobs
from tunepass.integrations.mlir.payload import CONTAINERS, NotModelledError, index_name, linalg_operations, work_of
from tunepass.integrations.mlir.reader import Attribute, Operation, SsaValue
from tunepass.integrations.mlir.schedule_state import Handle, Nest, State
from tunepass.ir.accesses import IterationWork
from tunepass.ir.tiled_nests import NestAlternative, TiledNest, TileLoop
from tunepass.space.configuration import Value

SEQUENCE, MAIN, YIELD = "transform.named_sequence", "__transform_main", "transform.yield"
DENSE = re.compile(r"array<i\d+(?::([^>]*))?>")
FILTERS, LOOPS = ("filter_result_type", "filter_operand_types"), 2  # of transform.structured.match
MOST_STATES = 64
ONE = alg.lift(1)


States = list[State]
Rule = Callable[["Schedule", Operation, State], States]


def nests_of(module: Operation, knobs: Knobs, types: Mapping[str, Type]) -> tuple[NestAlternative, ...]:
    """The nests that the module's main sequence makes, for each alternative.

    Args:
        module: the operation that has the knobs inside.
        knobs: those that were read.
        types: of their parameters.

    Raises:
        NotModelledError: an operation that the model does not know.
    """
    return Schedule(module, knobs, types).alternatives()


class Schedule:
    """The sequence `__transform_main` of a module, followed from its first operation to its last."""

    def __init__(self, module: Operation, knobs: Knobs, types: Mapping[str, Type]):
        self.module, self.knobs, self.reader, self.types = module, knobs, knobs.reader, types
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
        rule = RULES.get(name)
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


# --- operations that name things


def _knob(schedule: Schedule, op: Operation, state: State) -> States:
    name = typing.name(schedule.knobs.parameter_of[op], schedule.types)
    return [replace(state, numbers={**state.numbers, **dict.fromkeys(schedule.reader.results(op), name)})]


def _constant(schedule: Schedule, op: Operation, state: State) -> States:
    value = schedule.whole(op, "value")
    known = {} if value is None else dict.fromkeys(schedule.reader.results(op), alg.lift(value))
    return [replace(state, numbers={**state.numbers, **known})]


def _none(schedule: Schedule, op: Operation, state: State) -> States:
    return [state]


def _match(schedule: Schedule, op: Operation, state: State) -> States:
    reader, within = schedule.reader, schedule.handle(op, state)
    names = [str(each).strip('"') for each in _listed(schedule, op, "ops")]
    if names and all(name in CONTAINERS for name in names):
        handle = Handle(within.nests, inside=True)
    elif names and not any(name.startswith("linalg.") for name in names):
        handle = Handle(unknown=", ".join(names))
    elif any(reader.attribute(op, key) is not None for key in FILTERS) or schedule.whole(op, "interface") == LOOPS:
        handle = Handle(unknown=f"what {reader.name(op)} filters")
    else:
        payload = schedule.payload
        known = (n for n in within.nests if not names or reader.name(payload[n]) in names)
        handle = Handle(tuple(n for n in known if _has_attributes(schedule, op, payload[n])))
    return [state.bound(reader.results(op), [handle])]


def _has_attributes(schedule: Schedule, op: Operation, matched: Operation) -> bool:
    reader = schedule.reader
    stated = reader.attribute(op, "op_attrs")
    required = {} if stated is None else reader.plain(stated)
    assert isinstance(required, dict), "verified by MLIR"
    known = ((reader.attribute(matched, key), value) for key, value in required.items())
    return all(attribute is not None and attribute == value for attribute, value in known)


def _listed(schedule: Schedule, op: Operation, key: str) -> Sequence[Attribute]:
    attribute = schedule.reader.attribute(op, key)
    listed = None if attribute is None else schedule.reader.plain(attribute)
    return listed if isinstance(listed, tuple) else ()


def _split_handle(schedule: Schedule, op: Operation, state: State) -> States:
    handle, results = schedule.handle(op, state), schedule.reader.results(op)
    if len(handle.nests) != len(results):
        count = f"{len(handle.nests)} operations of linalg"
        raise NotModelledError(op, f"{schedule.reader.name(op)} splits {count} into {len(results)}")
    return [state.bound(results, [Handle((number,), handle.loop) for number in handle.nests])]


def _parent(schedule: Schedule, op: Operation, state: State) -> States:
    name = schedule.reader.attribute(op, "op_name")
    isolated = schedule.reader.attribute(op, "isolated_from_above") is not None
    if isolated or (name is not None and str(name).strip('"') in CONTAINERS):
        handle = Handle(tuple(range(len(state.nests))), inside=True)
    else:
        handle = Handle(unknown="transform.get_parent_op")
    return [state.bound(schedule.reader.results(op), [handle])]


def _alternatives(schedule: Schedule, op: Operation, state: State) -> States:
    regions, chooser = schedule.reader.regions(op), schedule.knobs.chooser(op)
    if chooser is None:
        raise NotModelledError(op, f"{ALTERNATIVES} are selected by no knob")
    knob = next(each for each in schedule.knobs.by_name.values() if each.parameter == chooser)
    values = [state.choices[chooser]] if chooser in state.choices else knob.values
    after: States = []
    for value in values:
        if not isinstance(value, int) or not 0 <= value < len(regions):
            raise NotModelledError(op, f"{ALTERNATIVES} have no region {value}")
        after += schedule.region(op, regions[value], replace(state, choices={**state.choices, chooser: value}))
    return after


def _include(schedule: Schedule, op: Operation, state: State) -> States:
    reader, name = schedule.reader, schedule.symbol(op, "target")
    if (callee := schedule.sequences.get(name)) is None:
        raise NotModelledError(op, f"there is no transform sequence @{name}")
    regions, given = reader.regions(callee), reader.operands(op)
    return schedule.region(op, regions[0] if regions else [], state.renamed(given, reader.arguments(callee)))


# --- operations that change loops


def _tile(schedule: Schedule, op: Operation, state: State, *, sizes: str, one_loop: bool = False) -> States:
    """`tile_using_for` and `tile_using_forall`: loops over tiles inside of those that there are."""
    reader, handle = schedule.reader, schedule.handle(op, state)
    if schedule.array(op, reader.attribute(op, "static_num_threads")):
        raise NotModelledError(op, f"{reader.name(op)} has a number of threads in the place of sizes")
    after = []
    for chosen, attribute in schedule.chosen(op, sizes, state):
        given = iter(reader.operands(op)[1:])
        steps = [
            schedule.number(op, next(given), chosen) if number < 0 else alg.lift(number)
            for number in schedule.array(op, attribute)
        ]
        for forked, order in schedule.chosen(op, "interchange", chosen):
            permutation = schedule.array(op, order)
            first = len(forked.nests[handle.nests[0]].loops) if handle.nests else 0
            tiled = forked.changed(handle.nests, partial(_tiled, steps=steps, permutation=permutation))
            results = reader.results(op)
            loops = [Handle(handle.nests, None if one_loop else first + n) for n in range(len(results) - 1)]
            after.append(tiled.bound(results, [Handle(handle.nests), *loops]))
    return after


def _tiled(nest: Nest, steps: Sequence[Expr], permutation: Sequence[int]) -> Nest:
    pairs = [*zip(nest.indices, steps)]
    ordered = [pairs[place] for place in permutation if place < len(pairs)] if permutation else pairs
    loops = [TileLoop(index, step) for index, step in ordered if alg.number(step) != 0]
    return replace(nest, loops=(*nest.loops, *loops))


def _interchange(schedule: Schedule, op: Operation, state: State) -> States:
    handle, after = schedule.handle(op, state), []
    for forked, attribute in schedule.chosen(op, "iterator_interchange", state):
        order = schedule.array(op, attribute)
        changed = forked.changed(handle.nests, partial(_interchanged, order=order)) if order else forked
        after.append(changed.bound(schedule.reader.results(op), [Handle(handle.nests)]))
    return after


def _interchanged(nest: Nest, order: Sequence[int]) -> Nest:
    return replace(nest, indices=tuple(nest.indices[place] for place in order))


def _vectorize(schedule: Schedule, op: Operation, state: State) -> States:
    handle = schedule.handle(op, state)
    changed = state.changed(handle.nests, lambda nest: replace(nest, vectors=True))
    return [changed.bound(schedule.reader.results(op), [handle])]


def _unroll(schedule: Schedule, op: Operation, state: State) -> States:
    handle = schedule.handle(op, state)
    if handle.loop is None:
        raise NotModelledError(op, f"{schedule.reader.name(op)} is applied to no loop of a tile")
    knob, factor = schedule.knob_of(op, "factor"), ONE
    if knob is not None and all(isinstance(value, int) for value in knob.values):
        factor = typing.name(knob.parameter, schedule.types)
    elif (stated := schedule.whole(op, "factor")) is not None:
        factor = alg.lift(stated)
    place = handle.loop
    return [state.changed(handle.nests, lambda nest: replace(nest, unrolled=(*nest.unrolled, (place, factor))))]


NEUTRAL = (
    "transform.annotate",
    "transform.apply_",
    "transform.bufferization.",
    "transform.cast",
    "transform.debug.",
    "transform.print",
    "transform.structured.generalize",
    "transform.structured.hoist_redundant_vector_",
    "transform.structured.specialize",
)
"""Beginnings of names of operations that leave loops as they are."""

RULES: Mapping[str, Rule] = {
    KNOB: _knob,
    CONSTANT: _constant,
    CONSTRAIN: _none,
    MATCHED: _none,
    YIELD: _none,
    ALTERNATIVES: _alternatives,
    "transform.get_parent_op": _parent,
    "transform.include": _include,
    "transform.loop.unroll": _unroll,
    "transform.split_handle": _split_handle,
    "transform.structured.interchange": _interchange,
    "transform.structured.match": _match,
    "transform.structured.tile_using_for": partial(_tile, sizes="static_sizes"),
    "transform.structured.tile_using_forall": partial(_tile, sizes="static_tile_sizes", one_loop=True),
    "transform.structured.vectorize": _vectorize,
    "transform.structured.vectorize_children_and_apply_patterns": _vectorize,
}
