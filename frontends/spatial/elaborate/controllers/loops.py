"""Loops: `Foreach(counters){ i => … }`, `Reduce(accumulator)(counters){ i => … }{ a + b }` and their relatives."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import SourceError
from tunepass.frontends.spatial.elaborate.bodies import BodyBuilder, dataflow, stages
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.controllers.counters import bind_iterators, counters
from tunepass.frontends.spatial.elaborate.controllers.heads import Groups, Head
from tunepass.frontends.spatial.elaborate.controllers.reductions import accumulator, accumulator_counters, reduction
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.functions import closure
from tunepass.frontends.spatial.elaborate.numbers.reading import wire
from tunepass.frontends.spatial.elaborate.values import UNIT, Closure, Op, Scope, Value
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import INT, Controller, ControllerKind, Counter, Reduction, Schedule

_REDUCTIONS: dict[str, ControllerKind] = {
    "Reduce": "reduce", "Fold": "reduce", "MemReduce": "memreduce", "MemFold": "memreduce",
}  # fmt: skip
_STYLES = {"Sequential": Schedule.SEQUENTIAL, "Stream": Schedule.STREAM}


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop whose body has been read: `results` are the operations that a reduction carries out of it."""

    head: Head
    name: str | None  # the val it is bound to
    kind: ControllerKind
    counters: tuple[Counter, ...]
    body: BodyBuilder
    results: tuple[Op, ...] = ()


def foreach(elaborator: Elaborator, head: Head, groups: Groups, scope: Scope, name: str | None) -> Value:
    """`Foreach(counters){ i => … }`."""
    if len(groups) != 2:
        raise SourceError(f"`{head.name}` is written Foreach(counters){{ i => … }}", head.span)
    function = _body_function(head, groups[0], groups[1], scope)
    loop_counters = counters(elaborator, groups[0], scope, function.parameters)
    with elaborator.context.body() as body:
        _iterate(elaborator, function, loop_counters)
    loop = _Loop(head, name, "foreach", tuple(loop_counters), body)
    elaborator.context.add_stage(_controller(elaborator.context, loop))
    return UNIT


def reduce(elaborator: Elaborator, head: Head, groups: Groups, scope: Scope, name: str | None) -> Value:
    """`Reduce(accumulator)(counters){ i => … }{ a + b }`; the accumulator is its value."""
    context, kind = elaborator.context, _REDUCTIONS[head.name]
    if len(groups) != 4:
        form = f"{head.name}(accumulator)(counters){{ i => … }}{{ a + b }}"
        raise SourceError(f"`{head.name}` is written {form}", head.span)
    function = _body_function(head, groups[1], groups[2], scope)
    given = elaborator.value(groups[0][0], scope) if groups[0] else None
    loop_counters = counters(elaborator, groups[1], scope, function.parameters)
    with context.body() as body:
        result = _iterate(elaborator, function, loop_counters)
        carried = wire(context, result, head.span) if kind == "reduce" else None
    target, par = accumulator(context, given, carried.element if carried is not None else INT, head, name)
    combined = reduction(elaborator, groups[3], scope, target, result)
    results = (carried,) if carried is not None else ()
    loop = _Loop(head, name, kind, tuple(loop_counters), body, results)
    indices = accumulator_counters(target.memory, par) if kind == "memreduce" else ()
    context.add_stage(_controller(context, loop, combined, indices))
    return target


def _body_function(head: Head, ranges: tuple[n.Node, ...], body: tuple[n.Node, ...], scope: Scope) -> Closure:
    """The body as a function of the iterators; one without parameters where it names none."""
    function = closure(body[0], scope) if len(body) == 1 else None
    if function is None:
        function = Closure(head.name, (), body[0] if body else n.Block(head.span, ()), scope)
    if not ranges:
        raise SourceError(f"`{head.name}` needs a counter, as in `0 until n`", head.span)
    if function.parameters and len(function.parameters) != len(ranges):
        raise SourceError(
            f"`{head.name}` has {_count(len(ranges), 'counter')} and {_count(len(function.parameters), 'iterator')}",
            body[0].span if isinstance(body[0], n.Function) else function.body.span,
        )
    return function


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _iterate(elaborator: Elaborator, function: Closure, loop_counters: list[Counter]) -> Value:
    """The value of one iteration."""
    inner = Scope(function.scope)
    bind_iterators(elaborator.context, function.parameters, loop_counters, inner)
    return elaborator.block(function.body, inner)


def _controller(
    context: Context, loop: _Loop, combined: Reduction | None = None, reduce_counters: tuple[Counter, ...] = ()
) -> Controller:
    inner = loop.body.is_inner and loop.kind != "memreduce"
    made_stages = () if inner else stages(loop.body, loop.results)
    context.switches.setdefault(loop.head.span.start, loop.head.toggle(loop.name))
    return Controller(
        label=loop.head.label(loop.name),
        kind=loop.kind,
        schedule=Schedule.INNER if inner else _STYLES.get(loop.head.style, Schedule.PIPELINED),
        counters=loop.counters,
        stages=made_stages,
        operations=dataflow(loop.body.ops, loop.results) if inner else (),
        memories=tuple(loop.body.memories),
        reduction=combined,
        reduce_counters=reduce_counters,
        interval=loop.head.interval,
        span=loop.head.span,
    )
