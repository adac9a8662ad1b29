"""Rules for the operations of a transform sequence: the nests of tiles that each makes of those before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import Expr, Type
from tunepass.integrations.mlir.constraints import CONSTANT, CONSTRAIN, MATCHED
from tunepass.integrations.mlir.knobs import ALTERNATIVES, KNOB, Knobs
from tunepass.integrations.mlir.payload import CONTAINERS, NotModelledError
from tunepass.integrations.mlir.reader import Attribute, Operation
from tunepass.integrations.mlir.schedule import Rule, Schedule, States
from tunepass.integrations.mlir.schedule_state import Handle, Nest, State
from tunepass.ir.tiled_nests import NestAlternative, TileLoop

YIELD = "transform.yield"
FILTERS, LOOPS = ("filter_result_type", "filter_operand_types"), 2  # of transform.structured.match
ONE = alg.lift(1)


def nests_of(module: Operation, knobs: Knobs, types: Mapping[str, Type]) -> tuple[NestAlternative, ...]:
    """The nests that the module's main sequence makes, for each alternative.

    Args:
        module: the operation that has the knobs inside.
        knobs: those that were read.
        types: of their parameters.

    Raises:
        NotModelledError: an operation that the model does not know.
    """
    return Schedule(module, knobs, types, RULES).alternatives()


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
