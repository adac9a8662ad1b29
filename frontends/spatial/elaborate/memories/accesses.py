"""Elements of memories read and written, queues, and what else a program asks of a memory."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import Span
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate import values as v
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.memories.constructors import SCALAR_KINDS
from tunepass.frontends.spatial.elaborate.memories.transfers import tile
from tunepass.frontends.spatial.elaborate.numbers.arithmetic import BINARY, binary
from tunepass.frontends.spatial.elaborate.numbers.reading import held, read, stated, wire
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import BIT, INT, AddressIndex

SIZES = {"length": 0, "size": 0, "rows": 0, "dim0": 0, "cols": 1, "dim1": 1, "dim2": 2}  # the dimension of each
_READS = {"deq": "deq", "pop": "deq", "peek": "load", "deqVec": "deq", "shiftOut": "deq"}
_WRITES = frozenset({"enq", "push", "enqVec"})
_STATUS = frozenset({"empty", "full", "almostEmpty", "almostFull", "numel", "isEmpty", "isFull", "isAlmostEmpty"})
_HOST_METHODS = frozenset({"length", "rows", "cols", "map", "zip", "foreach", "reduce", "flatten", "reverse", "apply"})


def access(
    elaborator: Elaborator, target: v.MemoryRef, arguments: Sequence[n.Node], span: Span, scope: v.Scope
) -> v.Value:
    """`memory(i, j)`: an element, or a region of a DRAM."""
    context, memory = elaborator.context, target.memory
    if memory.kind == "dram":
        return tile(elaborator, target, arguments, scope)
    addresses = [elaborator.value(argument, scope) for argument in arguments]
    if not context.in_hardware:
        return v.Unmodelled(memory.name)
    if memory.kind in SCALAR_KINDS:
        return read(context, target, span)
    if any(isinstance(address, v.CounterRange) for address in addresses):
        return target  # a window of an on-chip memory
    inputs = _inputs(context, addresses, span)
    return v.Wire(context.op(f"{memory.kind}_load", memory.element, inputs, memory.name, _index(addresses), span))


def member(
    elaborator: Elaborator, target: v.MemoryRef, function: n.Select, arguments: Sequence[n.Node], scope: v.Scope
) -> v.Value:
    """`memory.name(arguments)`: a queue's operation, its state, a size, a hint for banking."""
    context, memory, name, span = elaborator.context, target.memory, function.name, function.span
    given = [argument.value if isinstance(argument, n.Assign) else argument for argument in arguments]  # `deq(en = …)`
    if name == "value":
        return read(context, target, span)
    if not context.in_hardware:
        return v.Unmodelled(name) if name in _HOST_METHODS else target
    if name in SIZES and SIZES[name] < len(memory.dims):
        return v.Known(memory.dims[SIZES[name]])
    if name == "apply":
        return access(elaborator, target, given, span, scope)
    if name in _STATUS:
        return v.Wire(context.op("fifo_status", INT if name == "numel" else BIT, memory=memory.name, span=span))
    if name == "reset":
        context.op("reg_reset", memory.element, memory=memory.name, span=span)
        return v.UNIT
    if name not in _WRITES and name not in _READS and name != "write":
        return target  # .buffer, .hierarchical, .bank(…), .effort(…) and other hints for the memory analysis
    values = [elaborator.value(argument, scope) for argument in given]
    if name in _READS:
        return v.Wire(context.op(f"{memory.kind}_{_READS[name]}", memory.element, memory=memory.name, span=span))
    if name in _WRITES:
        _write(context, target, values[:1], f"{memory.kind}_enq", span)
    else:
        _write(context, target, values, "reg_write", span)
    return v.UNIT


def store(elaborator: Elaborator, target: n.Apply, value: n.Node, scope: v.Scope) -> v.Value:
    """`memory(i, j) = x`."""
    memory = elaborator.value(target.function, scope)
    stored = elaborator.value(value, scope)
    if not elaborator.context.in_hardware:
        return v.UNIT
    if not isinstance(memory, v.MemoryRef):
        return elaborator.context.unmodelled("this assignment", target.span)
    addresses = [elaborator.value(argument, scope) for argument in target.arguments]
    _write(elaborator.context, memory, [stored], f"{memory.memory.kind}_store", target.span, addresses)
    return v.UNIT


def update(elaborator: Elaborator, node: n.Update, scope: v.Scope) -> v.Value:
    """`reg := x` writes, `regfile <<= x` shifts in, `reg += x` writes the sum."""
    context = elaborator.context
    target = elaborator.value(node.target.function if isinstance(node.target, n.Apply) else node.target, scope)
    if isinstance(target, v.TupleOf):  # an element of a collection
        target = elaborator.value(node.target, scope)
    written = elaborator.value(node.value, scope)
    if not context.in_hardware:
        return v.UNIT
    if not isinstance(target, v.MemoryRef):
        return context.unmodelled(f"`{node.operator}` on this", node.span)
    if node.operator == "<<=":
        _write(context, target, [written], f"{target.memory.kind}_shift", node.span)
        return v.UNIT
    arithmetic = node.operator.strip(":=")  # `+=`, and `:+=` of the new dialect
    if arithmetic in BINARY:
        held = read(context, target, node.span)
        written = binary(context, arithmetic, held, written, node.span)
    _write(context, target, [written], "stream_write" if target.memory.kind == "stream" else "reg_write", node.span)
    if target.host is not None:
        target.host.held.append(_number_written(context, target, written, node.span))
    return v.UNIT


def _number_written(context: Context, target: v.MemoryRef, written: v.Value, span: Span) -> Expr | None:
    """The number that a register is given; None where it follows from what the register held."""
    if isinstance(written, v.HostValue):
        return context.extents.of_host(written, span)
    if isinstance(written, v.MemoryRef) and written.memory.name != target.memory.name:
        known = stated(context, written, span)
        return held(written) if known is None else known
    if isinstance(written, v.Known):
        return written.expr
    if not isinstance(written, v.Wire) or written.bound is None:
        return None
    pending, seen = [written.op], set[int]()
    while pending:
        op = pending.pop()
        if op.name == "reg_read" and op.memory == target.memory.name:
            return None
        pending += [given for given in op.inputs if id(given) not in seen]
        seen.update(map(id, op.inputs))
    return written.bound


def _write(
    context: Context,
    target: v.MemoryRef,
    written: Sequence[v.Value],
    operation: str,
    span: Span,
    addresses: Sequence[v.Value] = (),
) -> None:
    inputs = _inputs(context, [*written, *addresses], span)
    context.op(operation, target.memory.element, inputs, target.memory.name, _index(addresses), span)


def _inputs(context: Context, values: Sequence[v.Value], span: Span) -> tuple[v.Op, ...]:
    ops = (wire(context, value, span) for value in values)
    return tuple(op for op in ops if op is not None)


def _index(addresses: Sequence[v.Value]) -> tuple[AddressIndex, ...]:
    """What each dimension's address depends on."""
    return tuple(
        AddressIndex(tuple(counter for counter, _ in address.terms or ()), address.terms is not None)
        if isinstance(address, v.Wire)
        else AddressIndex()
        for address in addresses
    )
