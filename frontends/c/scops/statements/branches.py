"""The text of a nest with the whole of every `#if` that it has a part of."""

from __future__ import annotations

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.cfamily.preprocessing.chains import chains
from tunepass.frontends.cfamily.unit import Unit

BEFORE_HINT = "write the pragma before the `#if`"
PARTS_HINT = "let the `#if` stand around whole statements"


def whole_branches(unit: Unit, pragma: Span, start: int, end: int) -> tuple[int, int]:
    """[start, end), widened. Raises SourceError where the compiler sees other code in what is added."""
    first, last = start, end
    closed = [chain for chain in chains(unit.text.raw.directives) if chain.closed]
    while parts := [
        chain for chain in closed if 0 < sum(first <= d.start < last for d in chain.directives) < len(chain.directives)
    ]:
        first = min(first, *(chain.start for chain in parts))
        last = max(last, *(chain.directives[-1].end for chain in parts))
        head = parts[0].directives[0]
        span = unit.source.span(head.start, head.end)
        if first < pragma.end:
            raise SourceError("this `#if` begins before the pragma and ends in its loops", span, BEFORE_HINT)
        if any(first <= token.start < start or end <= token.start < last for token in unit.tokens):
            raise SourceError("this `#if` has a part of these loops and other code", span, PARTS_HINT)
    return first, last
