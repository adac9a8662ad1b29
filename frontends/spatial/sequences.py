"""Scala's collections over things of the accelerator: `List.tabulate(4){ i => … }`, `xs.zipWithIndex.foreach{ … }`.

They run while the hardware is built, so every element is hardware of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunepass.expr import algebra
from tunepass.frontends.spatial import primitives
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.values import Closure, Known, Opaque, Range, Scope, TupleOf, Value

if TYPE_CHECKING:
    from tunepass.frontends.spatial.evaluate import Lowering

LIMIT = 256  # elements
_MAKERS = frozenset({"List", "Seq", "Vector", "Vec", "Array", "IndexedSeq"})
_ONE_BY_ONE = frozenset({"map", "foreach", "flatMap"})


def make(lowering: Lowering, function: s.Node, groups: list[tuple[s.Node, ...]], scope: Scope) -> Value | None:
    """`List.tabulate(n){ f }`, `List.fill(n){ x }`, `Seq(a, b)`; None for anything else or a size unknown here."""
    if (
        isinstance(function, s.Ident)
        and function.name in _MAKERS
        and len(groups) == 1
        and scope.get(function.name) is None
    ):
        return TupleOf(tuple(lowering.value(a, scope) for a in groups[0][:LIMIT]))
    if not isinstance(function, s.Select) or function.name not in ("tabulate", "fill") or len(groups) != 2:
        return None
    maker = function.target  # `List`, or `scala.Array`
    if not isinstance(maker, (s.Ident, s.Select)) or maker.name not in _MAKERS or len(groups[0]) != 1:
        return None
    n = primitives.constant_of(lowering.value(groups[0][0], scope))
    if not isinstance(n, int) or not 0 <= n <= LIMIT:
        return None
    body = groups[1][0]
    closure = lowering.closure(body, scope)
    items: list[Value] = []
    for i in range(n):
        if function.name == "tabulate" and closure is not None:
            items.append(lowering.call(closure, [Known(algebra.lift(i))], body.span))
        else:
            items.append(lowering.block(body, scope))
    return TupleOf(tuple(items))


def method(lowering: Lowering, target: Value, name: str, arguments: tuple[s.Node, ...], scope: Scope) -> Value | None:
    """`xs.map{ f }`, `xs.foreach{ f }`, `xs.zipWithIndex`, `xs.zip(ys)`, `xs.reduce{ f }`, `xs.length`; else None."""
    items = _items(target)
    if items is None:
        return None
    if name == "zipWithIndex":
        return TupleOf(tuple(TupleOf((item, Known(algebra.lift(i)))) for i, item in enumerate(items)))
    if name in ("length", "size"):
        return Known(algebra.lift(len(items)))
    if name in ("head", "last") and items:
        return items[0 if name == "head" else -1]
    if name in ("toList", "toSeq", "toArray"):
        return TupleOf(tuple(items))
    closure = lowering.closure(arguments[0], scope) if len(arguments) == 1 else None
    if name == "zip" and len(arguments) == 1 and closure is None:
        other = _items(lowering.value(arguments[0], scope))
        return TupleOf(tuple(TupleOf(pair) for pair in zip(items, other))) if other is not None else None
    if closure is None:
        return None
    span = arguments[0].span
    if name in _ONE_BY_ONE:
        return TupleOf(tuple(lowering.call(closure, _spread(closure, item), span) for item in items))
    if name in ("reduce", "reduceTree", "reduceLeft") and items:
        result = items[0]
        for item in items[1:]:
            result = lowering.call(closure, [result, item], span)
        return result
    return None


def _items(target: Value) -> list[Value] | None:
    if isinstance(target, TupleOf) and not target.names:
        return list(target.items)
    if isinstance(target, Range) and target.stop is not None:
        ends = [primitives.constant_of(v) for v in (target.start, target.stop, target.step)]
        if all(isinstance(e, int) and not isinstance(e, bool) for e in ends) and ends[2]:
            values = range(*(int(e) for e in ends if e is not None))
            return [Known(algebra.lift(i)) for i in values] if len(values) <= LIMIT else None
    return None


def _spread(closure: Closure, item: Value) -> list[Value]:
    """`{ case (a, i) => … }` takes a pair apart."""
    if len(closure.parameters) > 1 and isinstance(item, TupleOf):
        return list(item.items)
    return [item if not isinstance(item, Opaque) else Opaque("element")]
