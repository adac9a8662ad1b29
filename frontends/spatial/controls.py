"""Controllers of a Spatial program: loops, reductions, blocks, state machines and conditionals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial import counters, primitives
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.context import Frame, finish, stages_of
from tunepass.frontends.spatial.values import (
    Closure,
    Host,
    Known,
    MemoryRef,
    Op,
    Opaque,
    ParMemory,
    Scope,
    TupleOf,
    Value,
    Wire,
)
from tunepass.ir.hardware import INT, Controller, ControllerKind, Counter, Element, Memory, Reduction, Schedule

if TYPE_CHECKING:
    from tunepass.frontends.spatial.evaluate import Lowering

UNIT = Opaque("unit")
LOOPS: dict[str, tuple[ControllerKind, int]] = {  # kind and number of argument groups
    "Foreach": ("foreach", 2),
    "Reduce": ("reduce", 4),
    "Fold": ("reduce", 4),
    "MemReduce": ("memreduce", 4),
    "MemFold": ("memreduce", 4),
}
BLOCKS = frozenset({"Pipe", "Sequential", "Parallel", "Stream", "Named"})


@dataclass(frozen=True, slots=True)
class Head:
    """What stands before a controller's arguments: `Sequential.Foreach`, `Pipe(ii=2).Reduce[T]`."""

    name: str
    style: str  # "", Sequential, Pipe, Stream
    interval: int | None
    span: Span


def controller(lowering: Lowering, node: s.Apply, scope: Scope, name: str | None) -> Value | None:
    """The controller that `node` makes, as a stage of the current body; None when it makes none."""
    groups: list[tuple[s.Node, ...]] = []
    at: s.Node = node
    while isinstance(at, s.Apply):
        groups.insert(0, at.arguments)
        at = at.function
        head = _head(lowering, at, scope)
        if head is not None and (head.name in LOOPS or head.name == "FSM" or head.name in BLOCKS):
            break
    else:
        return None
    if isinstance(at, s.Apply):
        return None
    if not lowering.context.in_hardware:
        raise SourceError(
            f"`{head.name}` stands outside of `Accel`", head.span, "hardware is described inside Accel { … }"
        )
    if head.name in LOOPS:
        return _loop(lowering, head, groups, scope, name)
    if head.name == "FSM":
        return _state_machine(lowering, head, groups, scope, name)
    return _block(lowering, head, groups, scope, name)


def _head(lowering: Lowering, node: s.Node, scope: Scope) -> Head | None:
    span = node.span
    if isinstance(node, s.Typed):
        node = node.target
    if isinstance(node, s.Ident):
        known = node.name in LOOPS or node.name in BLOCKS or node.name == "FSM"
        return Head(node.name, "", None, span) if known and scope.get(node.name) is None else None
    if not isinstance(node, s.Select) or not (node.name in LOOPS or node.name in BLOCKS or node.name == "FSM"):
        return None
    style, interval, base = "", None, node.target
    while True:
        match base:
            case s.Apply(arguments=(argument,)):  # Pipe(ii = 2), Pipe.II(2), Named("x")
                given = argument.value if isinstance(argument, s.Assign) else argument
                found = primitives.constant_of(lowering.value(given, scope))
                interval = found if isinstance(found, int) else interval
                base = base.function
            case s.Select():
                style = base.name if base.name in BLOCKS else style
                base = base.target
            case s.Ident():
                style = base.name if base.name in BLOCKS else style
                ours = base.name in BLOCKS or base.name.startswith("'") or base.name in ("Accel",)
                return Head(node.name, style, interval, span) if ours else None
            case _:
                return None


def _iterators(lowering: Lowering, names: tuple[str, ...], found: list[Counter], scope: Scope) -> None:
    for name, counter in zip(names, found):
        op = lowering.context.op("iterator", INT, span=counter.span)
        scope.set(name, Wire(op, ((counter.name, algebra.lift(1)),)))


def _loop(lowering: Lowering, head: Head, groups: list[tuple[s.Node, ...]], scope: Scope, name: str | None) -> Value:
    kind, wanted = LOOPS[head.name]
    if len(groups) != wanted:
        short, long = "Foreach(counters){ i => … }", "(accumulator)(counters){ i => … }{ a + b }"
        form = short if wanted == 2 else head.name + long
        raise SourceError(f"`{head.name}` is written {form}", head.span)
    ranges, body_node = (groups[0], groups[1]) if wanted == 2 else (groups[1], groups[2])
    body = lowering.closure(body_node[0], scope) if len(body_node) == 1 else None
    if body is None:
        body = Closure(head.name, (), body_node[0] if body_node else s.Block(head.span, ()), scope)
    if not ranges:
        raise SourceError(f"`{head.name}` needs a counter, as in `0 until n`", head.span)
    if body.parameters and len(body.parameters) != len(ranges):
        raise SourceError(
            f"`{head.name}` has {_many(len(ranges), 'counter')} and {_many(len(body.parameters), 'iterator')}",
            body.body.span if not isinstance(body_node[0], s.Function) else body_node[0].span,
        )
    accumulator = _accumulator(lowering, groups[0], scope) if wanted == 4 else None
    found = counters.counters(lowering, ranges, scope, body.parameters)
    with lowering.context.body() as frame:
        inner = Scope(body.scope)
        _iterators(lowering, body.parameters, found, inner)
        result = lowering.block(body.body, inner)
        carried = primitives.wire(lowering.context, result, head.span) if kind == "reduce" else None
    if kind == "foreach":
        _add(lowering, _controller(lowering, head, kind, found, frame, (), name))
        return UNIT
    element = carried.element if carried is not None else INT
    target, par = _target(lowering, accumulator, element, head, name)
    reduction = _reduction(lowering, groups[3], scope, target, result)
    results = (carried,) if carried is not None else ()
    made = _controller(lowering, head, kind, found, frame, results, name, reduction, target.memory, par)
    _add(lowering, made)
    return target


def _many(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _accumulator(lowering: Lowering, arguments: tuple[s.Node, ...], scope: Scope) -> Value | None:
    return lowering.value(arguments[0], scope) if arguments else None


def _target(
    lowering: Lowering, accumulator: Value | None, element: Element, head: Head, name: str | None
) -> tuple[MemoryRef, Expr]:
    """The accumulator's memory and its par; one is made for `Reduce(0)(…)`."""
    if isinstance(accumulator, ParMemory):
        return accumulator.memory, accumulator.par
    if isinstance(accumulator, MemoryRef):
        return accumulator, algebra.lift(1)
    unique = lowering.context.unique(name or f"acc_{head.span.line}")
    memory = Memory(unique, "reg", element, (), head.span)
    lowering.context.declare(memory)
    return MemoryRef(memory, Host(unique)), algebra.lift(1)


def _reduction(
    lowering: Lowering, group: tuple[s.Node, ...], scope: Scope, target: MemoryRef, result: Value
) -> Reduction:
    """The combining function as a dataflow of two inputs."""
    closure = lowering.closure(group[0], scope) if group else None
    element = target.memory.element
    with lowering.context.body() as frame:
        a, b = (Wire(lowering.context.op("input", element)) for _ in range(2))
        value: Value = Opaque("reduction")
        if closure is not None:
            value = lowering.call(closure, [a, b], group[0].span)
        carried = primitives.wire(lowering.context, value, target.memory.span or group[0].span)
    if closure is None:
        lowering.context.warn("this reduction's function is not understood; a sum is assumed", group[0].span)
    ops = [item for item in frame.items if isinstance(item, Op)]
    operations = finish(ops, (carried,) if carried is not None else ())
    source = result.memory.name if isinstance(result, MemoryRef) else None
    return Reduction(target.memory.name, element, operations, _reduction_kind(ops), source)


def _reduction_kind(ops: list[Op]) -> str:
    compute = [op.name.split("_")[-1] for op in ops if op.name != "input"]
    names = {"add": "sum", "mul": "product", "min": "min", "max": "max"}
    return names.get(compute[0], "custom") if len(compute) == 1 else "custom"


def _controller(
    lowering: Lowering,
    head: Head,
    kind: ControllerKind,
    found: list[Counter],
    frame: Frame,
    results: tuple[Op, ...],
    name: str | None,
    reduction: Reduction | None = None,
    accumulator: Memory | None = None,
    par: Expr | None = None,
) -> Controller:
    inner = not frame.stages and kind != "memreduce"
    stages = () if inner else stages_of(frame, results)
    schedule, toggle = _schedule(lowering, head, kind, inner, len(stages), name)
    reduce_counters: tuple[Counter, ...] = ()
    if kind == "memreduce" and accumulator is not None:
        one, last = algebra.lift(1), len(accumulator.dims) - 1
        reduce_counters = tuple(
            Counter(f"{accumulator.name}.{i}", algebra.lift(0), dim, one, (par or one) if i == last else one)
            for i, dim in enumerate(accumulator.dims)
        )
    return Controller(
        label=name or f"{head.name.lower()}_{head.span.line}",
        kind=kind,
        schedule=schedule,
        counters=tuple(found),
        stages=stages,
        operations=finish([o for o in frame.items if isinstance(o, Op)], results) if inner else (),
        memories=tuple(frame.memories),
        reduction=reduction,
        reduce_counters=reduce_counters,
        toggle=toggle,
        interval=head.interval,
        span=head.span,
    )


def _schedule(
    lowering: Lowering, head: Head, kind: ControllerKind, inner: bool, stages: int, name: str | None
) -> tuple[Schedule, str | None]:
    """Outer loops are MetaPipes unless the source says otherwise.

    One with at least two stages to overlap (a block reduction's accumulation is one) can also run them one after the
    other, and gets a Boolean parameter for it.
    """
    if inner:
        return Schedule.INNER, None
    if head.style == "Sequential":
        return Schedule.SEQUENTIAL, None
    if head.style == "Stream":
        return Schedule.STREAM, None
    if stages + (kind == "memreduce") < 2:
        return Schedule.PIPELINED, None
    toggle = lowering.context.unique(f"pipeline_{name or head.span.line}")
    lowering.context.toggles[toggle] = head.span
    return Schedule.PIPELINED, toggle


def _add(lowering: Lowering, made: Controller) -> None:
    lowering.context.frame.items.append(made)


def _block(lowering: Lowering, head: Head, groups: list[tuple[s.Node, ...]], scope: Scope, name: str | None) -> Value:
    """`Pipe {…}`, `Sequential {…}`, `Parallel {…}`, `Stream {…}`."""
    interval = head.interval
    if len(groups) == 2:  # Pipe(ii = 1) { … }
        given = groups[0][0].value if groups[0] and isinstance(groups[0][0], s.Assign) else None
        found = primitives.constant_of(lowering.value(given, scope)) if given is not None else None
        interval = found if isinstance(found, int) else interval
    body = groups[-1][0] if groups[-1] else s.Block(head.span, ())
    with lowering.context.body() as frame:
        result = lowering.block(body, scope)
    parallel = head.name == "Parallel"
    inner = not frame.stages and not parallel
    schedule = Schedule.INNER if inner else Schedule.PARALLEL if parallel else Schedule.SEQUENTIAL
    if head.name == "Stream" and not inner:
        schedule = Schedule.STREAM
    ops = [o for o in frame.items if isinstance(o, Op)]
    made = Controller(
        label=name or f"{head.name.lower()}_{head.span.line}",
        kind="parallel" if parallel else "unit",
        schedule=schedule,
        stages=() if inner else stages_of(frame),
        operations=finish(ops, tuple(ops)) if inner else (),
        memories=tuple(frame.memories),
        interval=interval,
        span=head.span,
    )
    _add(lowering, made)
    return result


def _state_machine(
    lowering: Lowering, head: Head, groups: list[tuple[s.Node, ...]], scope: Scope, name: str | None
) -> Value:
    """`FSM(init)(notDone)(action)(next)`."""
    if len(groups) != 4:
        raise SourceError("`FSM` is written FSM(init){ notDone }{ action }{ next }", head.span)
    counter = _states(lowering, groups, scope)
    if counter is None:
        lowering.context.warn("how often this state machine runs is unknown; once is assumed", head.span)
    with lowering.context.body() as frame:
        state = Wire(lowering.context.op("iterator", INT))
        for group in groups[1:]:
            closure = lowering.closure(group[0], scope)
            if closure is not None:
                lowering.call(closure, [state], head.span)
    inner = not frame.stages
    ops = [o for o in frame.items if isinstance(o, Op)]
    made = Controller(
        label=name or f"fsm_{head.span.line}",
        kind="fsm",
        schedule=Schedule.INNER if inner else Schedule.SEQUENTIAL,
        counters=() if counter is None else (counter,),
        stages=() if inner else stages_of(frame),
        operations=finish(ops, tuple(ops)) if inner else (),
        memories=tuple(frame.memories),
        span=head.span,
    )
    _add(lowering, made)
    return UNIT


def _states(lowering: Lowering, groups: list[tuple[s.Node, ...]], scope: Scope) -> Counter | None:
    """The counter that a machine is which runs from a constant in equal steps to a constant:
    FSM(0)(i => i < 128){ … }{ i => i + 16 }."""
    start = lowering.value(groups[0][0], scope)
    ends: list[Expr] = []
    for group, operator in ((groups[1], "<"), (groups[3], "+")):
        closure = lowering.closure(group[0], scope)
        body = closure.body if closure is not None else None
        while isinstance(body, (s.Block, s.Parenthesis)):
            inside = body.statements if isinstance(body, s.Block) else body.items
            body = inside[0] if len(inside) == 1 else None
        if closure is None or not isinstance(body, s.Infix) or body.operator != operator:
            return None
        if not isinstance(body.left, s.Ident) or body.left.name not in closure.parameters:
            return None
        with lowering.context.body():
            end = primitives.read(lowering.context, lowering.value(body.right, closure.scope), body.span)
        known = end.expr if isinstance(end, Known) else end.bound if isinstance(end, Wire) else None
        if known is None:
            return None
        ends.append(known)
    if not isinstance(start, Known) or algebra.number(ends[1]) in (None, 0):
        return None
    name = lowering.context.unique("state")
    return Counter(name, start.expr, ends[0], ends[1], algebra.lift(1), groups[1][0].span)


def conditional(lowering: Lowering, node: s.Conditional, scope: Scope) -> Value:
    """A condition known here chooses; in hardware both branches exist: stages fork, values are selected."""
    context = lowering.context
    condition = primitives.read(context, lowering.value(node.condition, scope), node.condition.span)
    known = primitives.constant_of(condition)
    if known is not None:
        chosen = node.then if known else node.otherwise
        return lowering.block(chosen, scope) if chosen is not None else UNIT
    if not context.in_hardware:
        return Opaque("if")
    branches = [node.then] if node.otherwise is None else [node.then, node.otherwise]
    frames, values = [], []
    for branch in branches:
        with context.body() as frame:
            values.append(lowering.block(branch, scope))
        frames.append(frame)
    if any(frame.stages for frame in frames):
        _add(lowering, _switch(node, frames, branches))
    else:
        for frame in frames:
            context.frame.items.extend(frame.items)
            context.frame.memories.extend(frame.memories)
    if len(values) == 2 and all(isinstance(v, TupleOf) for v in values):
        return primitives.mux(context, [condition, *values], node.span)
    if len(values) == 2 and all(isinstance(primitives.read(context, v, node.span), (Known, Wire)) for v in values):
        return primitives.mux(context, [condition, *values], node.span)
    return UNIT


def _switch(node: s.Conditional, frames: list[Frame], branches: list[s.Node]) -> Controller:
    cases = []
    for frame, branch in zip(frames, branches):
        ops = [o for o in frame.items if isinstance(o, Op)]
        outer = bool(frame.stages)
        cases.append(
            Controller(
                label=f"case_{branch.span.line}",
                kind="case",
                schedule=Schedule.SEQUENTIAL if outer else Schedule.INNER,
                stages=stages_of(frame) if outer else (),
                operations=() if outer else finish(ops, tuple(ops)),
                memories=tuple(frame.memories),
                span=branch.span,
            )
        )
    return Controller(f"if_{node.span.line}", "switch", Schedule.FORK, stages=tuple(cases), span=node.span)
