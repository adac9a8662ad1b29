"""Memories and how they are declared: `SRAM[T](rows, columns)`, `Reg[T](0)`, `DRAM[T](n)`."""

from __future__ import annotations

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.reading import read
from tunepass.frontends.spatial.elaborate.values import HostValue, Known, MemoryRef, Scope, Wire
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import Memory, MemoryKind

_KINDS: dict[str, MemoryKind] = {
    "DRAM": "dram", "DRAM1": "dram", "DRAM2": "dram", "DRAM3": "dram",
    "SRAM": "sram", "SRAM1": "sram", "SRAM2": "sram", "SRAM3": "sram", "SRAM4": "sram",
    "Reg": "reg", "FIFOReg": "reg", "FIFO": "fifo", "FILO": "filo", "Stack": "filo", "RegFile": "regfile",
    "RegFile1": "regfile", "RegFile2": "regfile", "LUT": "lut", "LUT1": "lut", "LUT2": "lut",
    "LineBuffer": "linebuffer", "ArgIn": "argin", "ArgOut": "argout", "HostIO": "argin", "HostIn": "argin",
    "HostOut": "argout", "StreamIn": "stream", "StreamOut": "stream", "MergeBuffer": "fifo",
}  # fmt: skip
_BANKING_HINTS = frozenset({"buffer", "nonbuffer", "hierarchical", "flat"})
SCALAR_KINDS = frozenset({"reg", "argin", "argout", "stream"})


def construct(elaborator: Elaborator, node: n.Apply, scope: Scope, name: str | None) -> MemoryRef | None:
    """The memory that `node` declares; None when it declares none."""
    constructor, groups = _uncurried(node)
    typed = constructor if isinstance(constructor, n.Typed) else None
    if typed is not None:
        constructor = typed.target
    if isinstance(constructor, n.Select) and constructor.name in _BANKING_HINTS:  # `SRAM.buffer[T](n)`
        constructor = constructor.target
    if not isinstance(constructor, n.Ident) or constructor.name not in _KINDS:
        return None
    if scope.get(constructor.name) is not None:  # the program's own
        return None
    kind, context = _KINDS[constructor.name], elaborator.context
    element = context.element(None) if typed is None else context.element_of(typed, node.span)
    dims = tuple(_size(elaborator, size, scope) for size in groups[0]) if kind not in SCALAR_KINDS and groups else ()
    unique = context.unique(name or f"{kind}_{node.span.line}")
    memory = Memory(unique, kind, element, dims, node.span)
    context.declare(memory)
    return MemoryRef(memory, HostValue(unique) if kind in SCALAR_KINDS else None)


def _uncurried(node: n.Node) -> tuple[n.Node, list[tuple[n.Node, ...]]]:
    """What `f(a)(b)` applies, and its groups of arguments."""
    groups: list[tuple[n.Node, ...]] = []
    while isinstance(node, n.Apply):
        groups.insert(0, node.arguments)
        node = node.function
    return node, groups


def _size(elaborator: Elaborator, node: n.Node, scope: Scope) -> Expr:
    context = elaborator.context
    value = read(context, elaborator.value(node, scope), node.span)
    if isinstance(value, Known):
        return value.expr
    if isinstance(value, Wire) and value.bound is not None:
        return value.bound
    context.unmodelled(f"the size `{node.span.text}`, unknown here,", node.span, "it is taken as 1")
    return algebra.lift(1)
