"""Tiles between DRAM and on-chip memories: `local load dram(i::i+n)`, `dram(…) store local`, gather and scatter."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate import values as v
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.ranges import known_length
from tunepass.frontends.spatial.elaborate.numbers.reading import read
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import Memory, Transfer, TransferKind

TRANSFER_OPERATORS: dict[str, TransferKind] = {
    "load": "load", "loadAligned": "load", "alignload": "load", "store": "store", "storeAligned": "store",
    "gather": "gather", "scatter": "scatter",
}  # fmt: skip


def tile(elaborator: Elaborator, dram: v.MemoryRef, arguments: Sequence[n.Node], scope: v.Scope) -> v.Value:
    """A region: addresses are computed by the transfer itself, so their operations are not the body's."""
    context = elaborator.context
    if not context.in_hardware:
        return v.Unmodelled(dram.memory.name)
    with context.body():
        values = tuple(read(context, elaborator.value(argument, scope), argument.span) for argument in arguments)
    gathered = next((value for value in values if isinstance(value, v.MemoryRef)), None)
    return v.Tile(dram, values, gathered)


def transfer(elaborator: Elaborator, node: n.Infix, scope: v.Scope) -> v.Value:
    """`local load dram(…)`, `dram(…) store local`, `local gather dram(addresses)`, `dram(addresses) scatter local`."""
    left, right = elaborator.value(node.left, scope), elaborator.value(node.right, scope)
    context = elaborator.context
    if not context.in_hardware:
        return v.UNIT
    kind = TRANSFER_OPERATORS[node.operator]
    region, local = (right, left) if kind in ("load", "gather") else (left, right)
    if isinstance(region, v.MemoryRef) and region.memory.kind == "dram":
        region = v.Tile(region, ())
    if not isinstance(region, v.Tile) or not isinstance(local, (v.MemoryRef, v.ParMemory)):
        return context.unmodelled(f"this `{node.operator}`", node.span)
    par = local.par if isinstance(local, v.ParMemory) else algebra.lift(1)
    memory = local.memory.memory if isinstance(local, v.ParMemory) else local.memory
    indirect = kind in ("gather", "scatter")
    lengths = _addresses(context, region, node.span) if indirect else _lengths(context, region, memory, node.span)
    for value in region.ranges:
        if isinstance(value, v.CounterRange) and isinstance(value.par, v.Known) and algebra.number(value.par.expr) != 1:
            par = value.par.expr
    aligned = node.operator != kind
    dram = region.dram.memory.name
    context.add_stage(Transfer(kind, dram, memory.name, memory.element, lengths, par, aligned, node.span))
    return v.UNIT


def _lengths(context: Context, region: v.Tile, local: Memory, span: Span) -> tuple[Expr, ...]:
    """Words along each dimension that is a range; the others are single indices."""
    lengths: list[Expr] = []
    for value in region.ranges:
        if isinstance(value, v.CounterRange):
            length = known_length(context, value)
            if length is None:
                length = local.dims[min(len(lengths), len(local.dims) - 1)] if local.dims else algebra.lift(1)
                context.unmodelled("a range whose length is unknown here", span, "the memory's size is taken")
            lengths.append(length)
    if not region.ranges:
        lengths = list(local.dims)
    return tuple(lengths) or (algebra.lift(1),)


def _addresses(context: Context, region: v.Tile, span: Span) -> tuple[Expr]:
    """How many addresses a gather or a scatter goes through."""
    for value in region.ranges:
        if isinstance(value, v.Known):
            return (value.expr,)
    for value in region.ranges:
        if isinstance(value, v.Wire) and value.bound is not None:
            return (value.bound,)
    if region.gathered is not None and region.gathered.memory.dims:
        return (region.gathered.memory.dims[0],)
    context.unmodelled("the number of addresses", span, "it is taken as 1")
    return (algebra.lift(1),)
