"""Design parameters met in the program: `default (lo -> hi)`, `default (1, 2, 4)`, `param(default)`, with a prior."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, Name
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.reading import constant_of, read
from tunepass.frontends.spatial.elaborate.values import Known, Scope, Value
from tunepass.frontends.spatial.parameters.declared import PRIORS, Declared, range_domain
from tunepass.frontends.spatial.syntax import nodes as n


def declare(
    elaborator: Elaborator,
    default: n.Node,
    domain: tuple[n.Node, ...],
    prior: str | None,
    span: Span,
    scope: Scope,
    name: str | None,
) -> Value:
    """The parameter's name as a known number; a domain of one value is that value."""
    start = _integer(elaborator, default, scope, "a parameter's default")
    values = _domain(elaborator, domain, span, scope) if domain else None
    if values is not None and len(values) == 1:
        return Known(algebra.lift(values[0]))
    declared = elaborator.context.declared
    again = next((d for d in declared if d.edit == default.span), None)  # in a function that is inlined twice
    if again is not None:
        return Known(Name(again.name, INTEGER, span))
    unique = elaborator.context.unique(name or f"param_{span.line}")
    declared.append(Declared(unique, start, values, PRIORS[prior] if prior else None, default.span, span))
    return Known(Name(unique, INTEGER, span))


def _domain(elaborator: Elaborator, items: tuple[n.Node, ...], span: Span, scope: Scope) -> Sequence[int]:
    ends: list[int] = []
    node = items[0]
    if len(items) == 1 and isinstance(node, n.Infix) and node.operator == "->":
        while isinstance(node, n.Infix) and node.operator == "->":
            ends.insert(0, _integer(elaborator, node.right, scope, "the end of a range"))
            node = node.left
        ends.insert(0, _integer(elaborator, node, scope, "the start of a range"))
        if len(ends) > 3:
            raise SourceError("a range is `low -> high` or `low -> step -> high`", span)
        return range_domain(ends[0], ends[1] if len(ends) == 3 else 1, ends[-1], span)
    values = tuple(_integer(elaborator, item, scope, "a parameter's value") for item in items)
    if len(set(values)) < len(values):
        raise SourceError("a parameter's values must differ", span)
    return values


def _integer(elaborator: Elaborator, node: n.Node, scope: Scope, what: str) -> int:
    value = read(elaborator.context, elaborator.value(node, scope), node.span)
    number = constant_of(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise SourceError(
            f"{what} must be a whole number known here, `{node.span.text}` is not",
            node.span,
            hint="use a literal, or a val of literals",
        )
    return number
