"""Sizes of what host code makes: arrays as long as they are written, and what an `assert` says of a value."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.ranges import known_length
from tunepass.frontends.spatial.elaborate.values import CounterRange, HostValue, Known, MemoryRef, Scope, TupleOf, Value
from tunepass.frontends.spatial.syntax import nodes as n

_MADE = frozenset({"tabulate", "fill", "empty"})
_AS_LONG = frozenset({"map", "zip", "reverse", "zipWithIndex", "sortBy", "sorted", "toArray", "toList", "toSeq"})
_MEMBERS = {1: ("length",), 2: ("rows", "cols"), 3: ("dim0", "dim1", "dim2")}


def array(elaborator: Elaborator, node: n.Apply, scope: Scope, name: str | None) -> HostValue | None:
    """`Array.tabulate(n){ f }`, `Array.empty[T](n)`, `(0::rows, 0::cols){ f }` of the host; None for anything else."""
    if elaborator.context.in_hardware:
        return None
    made = node.function.function if isinstance(node.function, n.Apply) else node.function
    maker = made.target if isinstance(made, n.Typed) else made
    match maker:
        case n.Select(target=n.Ident(name="Array" | "Matrix"), name=how) if how in _MADE:
            groups = node.function.arguments if isinstance(node.function, n.Apply) else node.arguments
            return sized(name or "array", [elaborator.value(size, scope) for size in groups])
        case n.Parenthesis(items=items) if items and all(_is_range(item) for item in items):
            ranges = [elaborator.value(item, scope) for item in items]
            return sized(name or "array", [_length(elaborator, r) for r in ranges if isinstance(r, CounterRange)])
        case _:
            return None


def as_long(target: HostValue, name: str) -> HostValue | None:
    """`xs.map{ f }` is as long as `xs`; None for another method."""
    return HostValue(f"{target.name}.{name}", members=target.members) if name in _AS_LONG else None


def sized(name: str, sizes: Sequence[Value]) -> HostValue:
    """An array with what is known of its sizes."""
    made = HostValue(name)
    for member, size in zip(_MEMBERS.get(len(sizes), ()), sizes):
        told = made.member(member)
        if isinstance(size, Known):
            told.bound = size.expr
        elif isinstance(size, HostValue):
            told.alias = size
    return made


def asserted(elaborator: Elaborator, condition: n.Node, scope: Scope) -> None:
    """`assert(n == 1024)` says what `n` is, `n <= 1024` and `n < 1025` what times assume of it; several of them too."""
    match condition:
        case n.Parenthesis(items=(inside,)):
            asserted(elaborator, inside, scope)
        case n.Infix(operator="&&" | "&"):
            asserted(elaborator, condition.left, scope)
            asserted(elaborator, condition.right, scope)
        case n.Infix(operator="<=" | "<" | "==" | "===" as operator):
            _at_most(elaborator, condition.left, condition.right, operator, scope)
        case n.Infix(operator=">=" | ">" as operator):
            _at_most(elaborator, condition.right, condition.left, operator.replace(">", "<"), scope)


def _at_most(elaborator: Elaborator, left: n.Node, right: n.Node, operator: str, scope: Scope) -> None:
    if not isinstance(left, (n.Ident, n.Select)):
        return
    value, limit = elaborator.value(left, scope), elaborator.value(right, scope)
    host = value.host if isinstance(value, MemoryRef) else value
    if not isinstance(host, HostValue) or not isinstance(limit, Known) or host.bound is not None:
        return
    if operator in ("==", "==="):
        host.bound = limit.expr
        return
    while host.alias is not None:  # a limit is no value: times may assume it, no restriction follows
        host = host.alias
    if host.assumed is None:
        host.assumed = algebra.sub(limit.expr, 1) if operator == "<" else limit.expr
        host.source = "assert"


def _is_range(node: n.Node) -> bool:
    return isinstance(node, n.Infix) and node.operator in ("::", "until", "to", "by", "par")


def _length(elaborator: Elaborator, given: CounterRange) -> Value:
    length = known_length(elaborator.context, given)
    return TupleOf(()) if length is None else Known(length)
