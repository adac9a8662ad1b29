"""The accumulators of reductions and the functions that combine their values."""

from __future__ import annotations

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate import values as v
from tunepass.frontends.spatial.elaborate.bodies import dataflow
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.controllers.heads import Head
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.functions import call, closure
from tunepass.frontends.spatial.elaborate.numbers.reading import wire
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import Counter, Element, Memory, Reduction


def accumulator(
    context: Context, given: v.Value | None, element: Element, head: Head, name: str | None
) -> tuple[v.MemoryRef, Expr]:
    """The accumulator's memory and its par; a register is made for `Reduce(0)(…)`."""
    if isinstance(given, v.ParMemory):
        return given.memory, given.par
    if isinstance(given, v.MemoryRef):
        return given, algebra.lift(1)
    unique = context.unique(name or f"acc_{head.span.line}")
    memory = Memory(unique, "reg", element, (), head.span)
    context.declare(memory)
    return v.MemoryRef(memory, v.HostValue(unique)), algebra.lift(1)


def reduction(
    elaborator: Elaborator, arguments: tuple[n.Node, ...], scope: v.Scope, target: v.MemoryRef, result: v.Value
) -> Reduction:
    """The combining function as a dataflow of two inputs; `result` is what the body gives for an iteration."""
    context, element = elaborator.context, target.memory.element
    combine, span = (closure(arguments[0], scope), arguments[0].span) if arguments else (None, target.memory.span)
    assert span is not None
    with context.body() as body:
        inputs: list[v.Value] = [v.Wire(context.op("input", element)) for _ in range(2)]
        value = call(elaborator, combine, inputs, span) if combine is not None else v.Unmodelled("reduction")
        combined = wire(context, value, target.memory.span or span)
    if combine is None:
        context.warn("this reduction's function is not understood; a sum is assumed", span)
    operations = dataflow(body.ops, (combined,) if combined is not None else ())
    source = result.memory.name if isinstance(result, v.MemoryRef) else None
    return Reduction(target.memory.name, element, operations, _kind(body.ops), source)


def _kind(ops: list[v.Op]) -> str:
    """What a combining function of one operation computes; custom for any other."""
    computed = [op.name.split("_")[-1] for op in ops if op.name != "input"]
    names = {"add": "sum", "mul": "product", "min": "min", "max": "max"}
    return names.get(computed[0], "custom") if len(computed) == 1 else "custom"


def accumulator_counters(memory: Memory, par: Expr) -> tuple[Counter, ...]:
    """The indices of a block reduction's accumulator; the innermost runs `par` at a time."""
    zero, one, last = algebra.lift(0), algebra.lift(1), len(memory.dims) - 1
    return tuple(
        Counter(f"{memory.name}.{i}", zero, size, one, par if i == last else one) for i, size in enumerate(memory.dims)
    )
