"""Scala's collections over things of the accelerator: `List.tabulate(4){ i => … }`, `xs.zipWithIndex.foreach{ … }`.

They run while the hardware is built, so every element is hardware of its own.
"""

from __future__ import annotations

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.functions import call, closure
from tunepass.frontends.spatial.elaborate.numbers.reading import constant_of
from tunepass.frontends.spatial.elaborate.values import Closure, CounterRange, Known, Scope, TupleOf, Value
from tunepass.frontends.spatial.syntax import nodes as n

_LENGTH_LIMIT = 256
_MAKERS = frozenset({"List", "Seq", "Vector", "Vec", "Array", "IndexedSeq"})
_ONE_BY_ONE = frozenset({"map", "foreach", "flatMap"})


def make(elaborator: Elaborator, node: n.Apply, scope: Scope) -> Value | None:
    """`List.tabulate(n){ f }`, `List.fill(n){ x }`, `Seq(a, b)`; None for anything else or a size unknown here."""
    match node.function:
        case n.Ident(name=name) if name in _MAKERS and scope.get(name) is None:
            return TupleOf(tuple(elaborator.value(a, scope) for a in node.arguments[:_LENGTH_LIMIT]))
        case n.Apply(function=n.Select(target=maker, name="tabulate" | "fill" as name), arguments=(length,)):
            # `List`, or `scala.Array`
            if not isinstance(maker, (n.Ident, n.Select)) or maker.name not in _MAKERS:
                return None
            count = constant_of(elaborator.value(length, scope))
            if not isinstance(count, int) or not 0 <= count <= _LENGTH_LIMIT:
                return None
            return _filled(elaborator, count, node.arguments[0], name == "tabulate", scope)
        case _:
            return None


def _filled(elaborator: Elaborator, count: int, body: n.Node, by_index: bool, scope: Scope) -> TupleOf:
    """`count` elements, each with hardware of its own; `by_index`: the body is a function of the index."""
    function = closure(body, scope) if by_index else None
    items: list[Value] = []
    for i in range(count):
        if function is not None:
            items.append(call(elaborator, function, [Known(algebra.lift(i))], body.span))
        else:
            items.append(elaborator.block(body, scope))
    return TupleOf(tuple(items))


def method(
    elaborator: Elaborator, target: Value, name: str, arguments: tuple[n.Node, ...], scope: Scope
) -> Value | None:
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
    if len(arguments) != 1:
        return None
    function = closure(arguments[0], scope)
    if function is not None:
        return _mapped(elaborator, items, name, function, arguments[0].span)
    if name != "zip":
        return None
    others = _items(elaborator.value(arguments[0], scope))
    return TupleOf(tuple(TupleOf(pair) for pair in zip(items, others))) if others is not None else None


def _mapped(elaborator: Elaborator, items: list[Value], name: str, function: Closure, span: Span) -> Value | None:
    """`xs.map{ f }`, `xs.reduce{ f }` and the like; None for another method."""
    if name in _ONE_BY_ONE:
        return TupleOf(tuple(call(elaborator, function, _spread(function, item), span) for item in items))
    if name in ("reduce", "reduceTree", "reduceLeft") and items:
        result = items[0]
        for item in items[1:]:
            result = call(elaborator, function, [result, item], span)
        return result
    return None


def _items(target: Value) -> list[Value] | None:
    """The elements of a collection or of a range between constants."""
    if isinstance(target, TupleOf) and not target.names:
        return list(target.items)
    if isinstance(target, CounterRange) and target.stop is not None:
        ends = [constant_of(value) for value in (target.start, target.stop, target.step)]
        if all(isinstance(end, int) and not isinstance(end, bool) for end in ends) and ends[2]:
            values = range(*(int(end) for end in ends if end is not None))
            return [Known(algebra.lift(i)) for i in values] if len(values) <= _LENGTH_LIMIT else None
    return None


def _spread(function: Closure, item: Value) -> list[Value]:
    """The arguments that an element gives: `{ case (a, i) => … }` takes a pair apart."""
    if len(function.parameters) > 1 and isinstance(item, TupleOf):
        return list(item.items)
    return [item]
