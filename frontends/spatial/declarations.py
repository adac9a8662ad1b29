"""Design parameters met in the program: `default (lo -> hi)`, `default (1, 2, 4)`, `param(default)`, with a prior."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, Name
from tunepass.frontends.spatial import primitives
from tunepass.frontends.spatial import syntax as s
from tunepass.frontends.spatial.declared import PRIORS, Declared, range_domain
from tunepass.frontends.spatial.values import Known, Scope, Value

if TYPE_CHECKING:
    from tunepass.frontends.spatial.evaluate import Lowering


def declare(
    lowering: Lowering,
    default: s.Node,
    domain: tuple[s.Node, ...],
    prior: str | None,
    span: Span,
    scope: Scope,
    name: str | None,
) -> Value:
    """The parameter's name as a known number; a domain of one value is that value."""
    start = _integer(lowering, default, scope, "a parameter's default")
    values = _domain(lowering, domain, span, scope) if domain else None
    if values is not None and len(values) == 1:
        return Known(algebra.lift(values[0]))
    unique = lowering.context.unique(name or f"param_{span.line}")
    lowering.context.declared.append(
        Declared(unique, start, values, PRIORS[prior] if prior else None, default.span, span)
    )
    return Known(Name(unique, INTEGER, span))


def _domain(lowering: Lowering, items: tuple[s.Node, ...], span: Span, scope: Scope) -> tuple[int, ...]:
    ends: list[int] = []
    node = items[0]
    if len(items) == 1 and isinstance(node, s.Infix) and node.operator == "->":
        while isinstance(node, s.Infix) and node.operator == "->":
            ends.insert(0, _integer(lowering, node.right, scope, "the end of a range"))
            node = node.left
        ends.insert(0, _integer(lowering, node, scope, "the start of a range"))
        if len(ends) > 3:
            raise SourceError("a range is `low -> high` or `low -> step -> high`", span)
        return range_domain(ends[0], ends[1] if len(ends) == 3 else 1, ends[-1], span)
    values = tuple(_integer(lowering, item, scope, "a parameter's value") for item in items)
    if len(set(values)) < len(values):
        raise SourceError("a parameter's values must differ", span)
    return values


def _integer(lowering: Lowering, node: s.Node, scope: Scope, what: str) -> int:
    value = primitives.read(lowering.context, lowering.value(node, scope), node.span)
    found = primitives.constant_of(value)
    if isinstance(found, bool) or not isinstance(found, int):
        raise SourceError(
            f"{what} must be a whole number known here, `{node.span.text}` is not",
            node.span,
            hint="use a literal, or a val of literals",
        )
    return found
