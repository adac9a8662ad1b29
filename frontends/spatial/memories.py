"""Memories of a Spatial program: constructors, element accesses, queue operations, and DRAM transfers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial import primitives, sequences
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.values import (
    Closure,
    Host,
    Known,
    MemoryRef,
    Module,
    Op,
    Opaque,
    ParMemory,
    Range,
    Scope,
    Tile,
    TupleOf,
    Value,
    Wire,
)
from tunepass.ir.hardware import BIT, INT, Index, Memory, MemoryKind, Transfer, TransferKind

if TYPE_CHECKING:
    from tunepass.frontends.spatial.evaluate import Lowering

UNIT = Opaque("unit")
KINDS: dict[str, MemoryKind] = {
    "DRAM": "dram", "DRAM1": "dram", "DRAM2": "dram", "DRAM3": "dram",
    "SRAM": "sram", "SRAM1": "sram", "SRAM2": "sram", "SRAM3": "sram", "SRAM4": "sram",
    "Reg": "reg", "FIFOReg": "reg", "FIFO": "fifo", "FILO": "filo", "Stack": "filo", "RegFile": "regfile",
    "RegFile1": "regfile", "RegFile2": "regfile", "LUT": "lut", "LUT1": "lut", "LUT2": "lut",
    "LineBuffer": "linebuffer", "ArgIn": "argin", "ArgOut": "argout", "HostIO": "argin", "HostIn": "argin",
    "HostOut": "argout", "StreamIn": "stream", "StreamOut": "stream", "MergeBuffer": "fifo",
}  # fmt: skip
_HINTS = frozenset({"buffer", "nonbuffer", "hierarchical", "flat"})
_SIZES = {"length": 0, "size": 0, "rows": 0, "dim0": 0, "cols": 1, "dim1": 1, "dim2": 2}
_SCALAR = frozenset({"reg", "argin", "argout", "stream"})
_READS = {"deq": "deq", "pop": "deq", "peek": "load", "deqVec": "deq", "shiftOut": "deq"}
_WRITES = frozenset({"enq", "push", "enqVec"})
_STATUS = frozenset({"empty", "full", "almostEmpty", "almostFull", "numel", "isEmpty", "isFull", "isAlmostEmpty"})
_HOST_METHODS = frozenset({"map", "zip", "foreach", "reduce", "flatten", "reverse", "apply"})


def construct(lowering: Lowering, node: s.Apply, scope: Scope, name: str | None) -> Value | None:
    """`SRAM[T](rows, columns)` and its like; None when `node` makes no memory."""
    head: s.Node = node
    groups: list[tuple[s.Node, ...]] = []
    while isinstance(head, s.Apply):
        groups.insert(0, head.arguments)
        head = head.function
    types = ""
    if isinstance(head, s.Typed):
        types, head = head.types, head.target
    if isinstance(head, s.Select) and head.name in _HINTS:  # `SRAM.buffer[T](n)`
        head = head.target
    kind = KINDS.get(head.name) if isinstance(head, s.Ident) else None
    if kind is None or (isinstance(head, s.Ident) and scope.get(head.name) is not None):
        return None
    element = lowering.element(types, node.span if kind != "lut" or types else None)
    dims: tuple[Expr, ...] = ()
    if kind not in _SCALAR and groups:
        dims = tuple(_size(lowering, a, scope) for a in groups[0])
    unique = lowering.context.unique(name or f"{kind}_{node.span.line}")
    memory = Memory(unique, kind, element, dims, node.span)
    lowering.context.declare(memory)
    return MemoryRef(memory, Host(unique) if kind in _SCALAR else None)


def _size(lowering: Lowering, node: s.Node, scope: Scope) -> Expr:
    value = primitives.read(lowering.context, lowering.value(node, scope), node.span)
    if isinstance(value, Known):
        return value.expr
    if isinstance(value, Wire) and value.bound is not None:
        return value.bound
    lowering.unmodelled(f"the size `{node.span.text}`, unknown here,", node.span, "it is taken as 1")
    return algebra.lift(1)


def property_of(lowering: Lowering, target: Value, node: s.Select, scope: Scope) -> Value:
    """`memory.name` without arguments: a banking hint, a queue's state, `deq`; anything of a host value is opaque."""
    if isinstance(target, Known) and node.name in ("to", "value", "length"):
        return target
    if isinstance(target, Host) and node.name in _SIZES:
        return target.member(node.name)
    if not isinstance(target, MemoryRef):
        return Opaque(node.name)
    return _of_memory(lowering, target, node, (), scope)


def method(lowering: Lowering, function: s.Select, node: s.Apply, scope: Scope) -> Value:
    """`target.name(arguments)`."""
    if isinstance(function.target, s.Ident) and scope.get(function.target.name) is None:
        if lowering.context.in_hardware:
            lowering.unmodelled(f"`{function.span.text}(…)`", node.span)
        return Opaque(function.span.text)
    target = lowering.value(function.target, scope)
    if isinstance(target, Module):
        found = target.scope.names.get(function.name)
        if isinstance(found, Closure):
            given = [lowering.closure(a, scope) or lowering.value(a, scope) for a in node.arguments]
            return lowering.call(found, given, node.span)
    if isinstance(target, MemoryRef):
        return _of_memory(lowering, target, function, node.arguments, scope)
    if isinstance(target, Closure) and function.name == "apply":
        return lowering.call(target, [lowering.value(a, scope) for a in node.arguments], node.span)
    collected = sequences.method(lowering, target, function.name, node.arguments, scope)
    if collected is not None:
        return collected
    arguments = [lowering.value(a, scope) for a in node.arguments if not isinstance(a, s.Function)]
    if isinstance(target, (Known, Wire)) and len(arguments) == 1:
        return primitives.binary(lowering.context, function.name, target, arguments[0], node.span)
    if isinstance(target, (Wire, TupleOf)) or not lowering.context.in_hardware:
        return Opaque(function.name)
    return lowering.unmodelled(f"`.{function.name}(…)`", node.span)


def _of_memory(
    lowering: Lowering, target: MemoryRef, function: s.Select, arguments: tuple[s.Node, ...], scope: Scope
) -> Value:
    context, memory, name = lowering.context, target.memory, function.name
    arguments = tuple(a.value if isinstance(a, s.Assign) else a for a in arguments)  # `deq(en = …)`
    if name == "value":
        return primitives.read(context, target, function.span)
    if not context.in_hardware:
        return Opaque(name) if name in ("length", "rows", "cols") or name in _HOST_METHODS else target
    if name in _SIZES and _SIZES[name] < len(memory.dims):
        return Known(memory.dims[_SIZES[name]])
    if name in _READS:
        for argument in arguments:
            lowering.value(argument, scope)
        return Wire(context.op(f"{memory.kind}_{_READS[name]}", memory.element, memory=memory.name, span=function.span))
    if name in _WRITES:
        values = [lowering.value(a, scope) for a in arguments]
        _write(lowering, target, values[:1], f"{memory.kind}_enq", (), function.span)
        return UNIT
    if name == "write":
        _write(lowering, target, [lowering.value(a, scope) for a in arguments], "reg_write", (), function.span)
        return UNIT
    if name in _STATUS:
        return Wire(context.op("fifo_status", INT if name == "numel" else BIT, memory=memory.name, span=function.span))
    if name == "reset":
        context.op("reg_reset", memory.element, memory=memory.name, span=function.span)
        return UNIT
    if name == "apply":
        return access(lowering, target, s.Apply(function.span, function.target, arguments), scope)
    return target  # .buffer, .hierarchical, .bank(…), .effort(…) and other hints for the memory analysis


def access(lowering: Lowering, target: MemoryRef, node: s.Apply, scope: Scope) -> Value:
    """`memory(i, j)`: an element, or a region of a DRAM."""
    context, memory = lowering.context, target.memory
    if memory.kind == "dram":
        return _tile(lowering, target, node, scope)
    values = [lowering.value(a, scope) for a in node.arguments]
    if not context.in_hardware:
        return Opaque(memory.name)
    if memory.kind in _SCALAR:
        return primitives.read(context, target, node.span)
    if any(isinstance(v, Range) for v in values):
        return target  # a window of an on-chip memory
    inputs = _inputs(lowering, values, node.span)
    return Wire(context.op(f"{memory.kind}_load", memory.element, inputs, memory.name, _index(values), node.span))


def _inputs(lowering: Lowering, values: list[Value], span: Span) -> tuple[Op, ...]:
    ops = (primitives.wire(lowering.context, v, span) for v in values)
    return tuple(op for op in ops if op is not None)


def _index(values: list[Value]) -> tuple[Index, ...]:
    found = []
    for value in values:
        if isinstance(value, Wire):
            found.append(Index(tuple(c for c, _ in value.terms or ()), value.terms is not None))
        else:
            found.append(Index())
    return tuple(found)


def store(lowering: Lowering, target: s.Apply, value: s.Node, scope: Scope) -> Value:
    """`memory(i, j) = x`."""
    where = lowering.value(target.function, scope)
    given = lowering.value(value, scope)
    if not lowering.context.in_hardware:
        return UNIT
    if not isinstance(where, MemoryRef):
        return lowering.unmodelled("this assignment", target.span)
    values = [lowering.value(a, scope) for a in target.arguments]
    _write(lowering, where, [given], f"{where.memory.kind}_store", _index(values), target.span, values)
    return UNIT


def _write(
    lowering: Lowering,
    target: MemoryRef,
    given: list[Value],
    name: str,
    index: tuple[Index, ...],
    span: Span,
    addresses: list[Value] | None = None,
) -> None:
    inputs = _inputs(lowering, [*given, *(addresses or [])], span)
    lowering.context.op(name, target.memory.element, inputs, target.memory.name, index, span)


def update(lowering: Lowering, node: s.Update, scope: Scope) -> Value:
    """`reg := x` writes, `regfile <<= x` shifts in, `reg += x` writes the sum."""
    target = lowering.value(node.target.function if isinstance(node.target, s.Apply) else node.target, scope)
    if isinstance(target, TupleOf):  # an element of a collection
        target = lowering.value(node.target, scope)
    given = lowering.value(node.value, scope)
    if not lowering.context.in_hardware:
        return UNIT
    if not isinstance(target, MemoryRef):
        return lowering.unmodelled(f"`{node.operator}` on this", node.span)
    if node.operator == "<<=":
        _write(lowering, target, [given], f"{target.memory.kind}_shift", (), node.span)
        return UNIT
    arithmetic = node.operator.strip(":=")  # `+=`, and `:+=` of the new dialect
    if arithmetic in primitives.BINARY:
        held = primitives.read(lowering.context, target, node.span)
        given = primitives.binary(lowering.context, arithmetic, held, given, node.span)
    kind = "stream" if target.memory.kind == "stream" else "reg"
    _write(lowering, target, [given], f"{kind}_write", (), node.span)
    if target.host is not None and isinstance(given, Known):
        target.host.bound = target.host.bound or given.expr
    return UNIT


# --- DRAM


def _tile(lowering: Lowering, dram: MemoryRef, node: s.Apply, scope: Scope) -> Value:
    """A region: addresses are computed by the transfer itself, so their operations are not the body's."""
    if not lowering.context.in_hardware:
        return Opaque(dram.memory.name)
    with lowering.context.body():
        values = tuple(primitives.read(lowering.context, lowering.value(a, scope), a.span) for a in node.arguments)
    gathered = next((v for v in values if isinstance(v, MemoryRef)), None)
    return Tile(dram, values, gathered)


def transfer(lowering: Lowering, node: s.Infix, scope: Scope) -> Value:
    """`local load dram(…)`, `dram(…) store local`, `local gather dram(addresses)`, `dram(addresses) scatter local`."""
    left, right = lowering.value(node.left, scope), lowering.value(node.right, scope)
    context = lowering.context
    if not context.in_hardware:
        return UNIT
    kind = {"loadAligned": "load", "alignload": "load", "storeAligned": "store"}.get(node.operator, node.operator)
    region, local = (right, left) if kind in ("load", "gather") else (left, right)
    if isinstance(region, MemoryRef) and region.memory.kind == "dram":
        region = Tile(region, ())
    if not isinstance(region, Tile) or not isinstance(local, (MemoryRef, ParMemory)):
        return lowering.unmodelled(f"this `{node.operator}`", node.span)
    par = local.par if isinstance(local, ParMemory) else algebra.lift(1)
    memory = local.memory.memory if isinstance(local, ParMemory) else local.memory
    if kind in ("gather", "scatter"):
        lengths = [_addresses(lowering, region, node.span)]
    else:
        lengths = _lengths(lowering, region, memory, node.span)
    for value in region.ranges:
        if isinstance(value, Range) and isinstance(value.par, Known):
            par = value.par.expr if algebra.number(value.par.expr) != 1 else par
    context.frame.items.append(
        Transfer(
            _KINDS[kind],
            region.dram.memory.name,
            memory.name,
            memory.element,
            tuple(lengths),
            par,
            node.operator != kind,
            node.span,
        )
    )
    return UNIT


_KINDS: dict[str, TransferKind] = {"load": "load", "store": "store", "gather": "gather", "scatter": "scatter"}


def _lengths(lowering: Lowering, region: Tile, local: Memory, span: Span) -> list[Expr]:
    """Words along each dimension that is a range; the others are single indices."""
    lengths: list[Expr] = []
    for value in region.ranges:
        if isinstance(value, Range):
            length = difference(value.start, value.stop) if value.stop is not None else None
            if length is None:
                length = local.dims[min(len(lengths), len(local.dims) - 1)] if local.dims else algebra.lift(1)
                lowering.unmodelled("a range whose length is unknown here", span, "the memory's size is taken")
            lengths.append(length)
    if not region.ranges:
        lengths = list(local.dims)
    return lengths or [algebra.lift(1)]


def _addresses(lowering: Lowering, region: Tile, span: Span) -> Expr:
    """How many addresses a gather or a scatter goes through."""
    count = next((v for v in region.ranges if isinstance(v, Known)), None)
    if count is not None:
        return count.expr
    wire = next((v for v in region.ranges if isinstance(v, Wire) and v.bound is not None), None)
    if isinstance(wire, Wire) and wire.bound is not None:
        return wire.bound
    if region.gathered is not None and region.gathered.memory.dims:
        return region.gathered.memory.dims[0]
    lowering.unmodelled("the number of addresses", span, "it is taken as 1")
    return algebra.lift(1)


def difference(start: Value, stop: Value) -> Expr | None:
    """`stop - start` where both move with the same counters."""

    def parts(value: Value) -> tuple[frozenset[tuple[str, Expr]], Expr] | None:
        if isinstance(value, Known):
            return frozenset(), value.expr
        if isinstance(value, MemoryRef) and value.host is not None:
            value = value.host
        if isinstance(value, Host):
            known = value.known()
            return None if known is None else (frozenset(), known)
        if isinstance(value, Wire) and value.terms is not None:
            return frozenset(value.terms), value.offset
        return None

    a, b = parts(start), parts(stop)
    if a is None or b is None or a[0] != b[0]:
        return None
    return algebra.sub(b[1], a[1])
