"""What the lowering of one app shares: warnings, names, parameters, and the body being filled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tunepass.diagnostics import Diagnostic, Severity, Span
from tunepass.frontends.spatial.declared import Declared
from tunepass.frontends.spatial.values import Op
from tunepass.ir.hardware import INT, Controller, Element, Index, Memory, Operation, Schedule, Stage, Struct

FREE = frozenset({"iterator", "input", "arg_read", "reg_read", "field", "fifo_status"})
IMPURE = frozenset({"iterator", "input", "unknown"})


@dataclass(eq=False)
class Frame:
    """The body of a controller while it is read: operations and stages in order."""

    items: list[Op | Stage] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    known: dict[tuple[str, Element, tuple[int, ...]], Op] = field(default_factory=dict)

    @property
    def stages(self) -> list[Stage]:
        return [item for item in self.items if not isinstance(item, Op)]


@dataclass(eq=False)
class Context:
    aliases: dict[str, str] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    declared: list[Declared] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    outside: list[Memory] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    guessed: set[str] = field(default_factory=set)  # types that were warned about
    toggles: dict[str, Span] = field(default_factory=dict)

    @property
    def in_hardware(self) -> bool:
        return bool(self.frames)

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def warn(self, message: str, span: Span, hint: str | None = None) -> None:
        """One warning for each message and line."""
        if not any(w.message == message and w.span is not None and w.span.line == span.line for w in self.warnings):
            self.warnings.append(Diagnostic(message, span, hint, Severity.WARNING))

    def unique(self, name: str) -> str:
        """`name`, or `name_2` and so on when it is taken."""
        count = self.names.get(name, 0) + 1
        self.names[name] = count
        return name if count == 1 else f"{name}_{count}"

    def declare(self, memory: Memory) -> None:
        (self.frame.memories if self.in_hardware else self.outside).append(memory)

    def op(
        self,
        name: str,
        element: Element = INT,
        inputs: tuple[Op, ...] = (),
        memory: str | None = None,
        index: tuple[Index, ...] = (),
        span: Span | None = None,
    ) -> Op:
        """A new operation of the body; equal pure operations are one."""
        pure = memory is None and name not in IMPURE
        key = (name, element, tuple(id(i) for i in inputs))
        if pure and key in self.frame.known:
            return self.frame.known[key]
        op = Op(name, element, inputs, memory, index, span)
        self.frame.items.append(op)
        if pure:
            self.frame.known[key] = op
        return op

    @contextmanager
    def body(self) -> Iterator[Frame]:
        frame = Frame()
        self.frames.append(frame)
        try:
            yield frame
        finally:
            self.frames.pop()


def is_effect(op: Op) -> bool:
    return op.name.endswith(("_store", "_write", "_enq", "_deq", "_shift", "_reset"))


def finish(ops: list[Op], results: tuple[Op, ...] = ()) -> tuple[Operation, ...]:
    """Operations with numbered inputs; those that nothing needs are left out, inputs from elsewhere too."""
    needed: set[int] = set()
    pending = [op for op in ops if is_effect(op) or op in results]
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


def stages_of(frame: Frame, results: tuple[Op, ...] = ()) -> tuple[Stage, ...]:
    """The stages of an outer body: operations between controllers become unit pipes, as in Spatial."""
    stages: list[Stage] = []
    group: list[Op] = []
    used = {id(i) for item in frame.items if isinstance(item, Op) for i in item.inputs}

    def flush() -> None:
        wanted = tuple(op for op in group if op in results or id(op) not in used)
        operations = finish(group, wanted)
        if any(o.name not in FREE for o in operations):
            span = next((o.span for o in operations if o.span and o.name not in FREE), None)
            line = f"_{span.line}" if span else ""
            stages.append(Controller(f"pipe{line}", "unit", Schedule.INNER, operations=operations, span=span))
        group.clear()

    for item in frame.items:
        if isinstance(item, Op):
            group.append(item)
        else:
            flush()
            stages.append(item)
    flush()
    return tuple(stages)
