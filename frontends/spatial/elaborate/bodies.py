"""The body of a controller while it is read, and what it becomes: a dataflow of operations, or stages in order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from tunepass.frontends.spatial.elaborate.values import Op, Value
from tunepass.ir.hardware import Controller, Memory, Operation, Schedule, Stage

_FREE = frozenset({"iterator", "input", "arg_read", "reg_read", "field", "fifo_status"})
_EFFECTS = ("_store", "_write", "_enq", "_deq", "_shift", "_reset")


@dataclass(eq=False)
class BodyBuilder:
    """Operations and stages in the order of the source, and the memories declared among them.

    `shared` holds the pure operations by what tells them apart: equal ones are one. With each are kept the values that
    told it apart, so that their ids stay theirs.
    """

    items: list[Op | Stage] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    shared: dict[Hashable, tuple[Op, tuple[str | Value, ...]]] = field(default_factory=dict)

    @property
    def ops(self) -> list[Op]:
        return [item for item in self.items if isinstance(item, Op)]

    @property
    def is_inner(self) -> bool:
        """Nothing but operations."""
        return all(isinstance(item, Op) for item in self.items)


def _is_effect(op: Op) -> bool:
    return op.name.endswith(_EFFECTS)


def dataflow(ops: Sequence[Op], results: Sequence[Op] = ()) -> tuple[Operation, ...]:
    """Operations with numbered inputs; those that no effect or result needs are left out, inputs from elsewhere too."""
    needed: set[int] = set()
    pending = [op for op in ops if _is_effect(op) or op in results]
    while pending:
        op = pending.pop()
        if id(op) not in needed:
            needed.add(id(op))
            pending.extend(op.inputs)
    kept = [op for op in ops if id(op) in needed or op.name == "input"]
    number = {id(op): i for i, op in enumerate(kept)}
    return tuple(
        Operation(
            op.name,
            op.element,
            tuple(number[id(i)] for i in op.inputs if id(i) in number),
            op.memory,
            op.index,
            op.span,
        )
        for op in kept
    )


def stages(body: BodyBuilder, results: Sequence[Op] = ()) -> tuple[Stage, ...]:
    """The stages of an outer body: operations between controllers become unit pipes, as in Spatial."""
    used = {id(i) for op in body.ops for i in op.inputs}
    made: list[Stage] = []
    between: list[Op] = []
    for item in body.items:
        if isinstance(item, Op):
            between.append(item)
        else:
            made += [*_unit_pipe(between, results, used), item]
            between = []
    return (*made, *_unit_pipe(between, results, used))


def _unit_pipe(ops: list[Op], results: Sequence[Op], used: set[int]) -> list[Stage]:
    """The pipe that runs `ops`; none where they cost nothing. `used` holds the ids of the ops that others read."""
    operations = dataflow(ops, [op for op in ops if op in results or id(op) not in used])
    paid = [operation for operation in operations if operation.name not in _FREE]
    if not paid:
        return []
    span = next((operation.span for operation in paid if operation.span), None)
    label = f"pipe_{span.line}" if span else "pipe"
    return [Controller(label, "unit", Schedule.INNER, operations=operations, span=span)]
