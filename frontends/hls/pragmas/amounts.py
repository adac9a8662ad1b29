"""Numbers that `#pragma tunepass hls` lines state."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, TunepassError
from tunepass.expr import algebra, nodes
from tunepass.expr.algebra import substitute
from tunepass.expr.nodes import Expr, Type
from tunepass.expr.parser import parse as parse_expression
from tunepass.frontends.params.tokens import ExpressionText, explained


@dataclass(slots=True)
class Amounts:
    """Reads numbers of pragmas: over parameters, macros that are numbers, and scalars that were read before."""

    source: Source
    types: dict[str, Type]
    known: dict[str, Expr]

    def amount(self, text: ExpressionText) -> Expr:
        types = self.types | {name: e.type for name, e in self.known.items()}
        try:
            written = parse_expression(text.text, types, source=self.source, offset=text.start)
        except TunepassError as error:
            raise explained(error, text, "a number") from None
        if not isinstance(written.type, (nodes.IntegerType, nodes.RealType)):
            raise SourceError("expected a number", self.source.span(text.start, text.end))
        return substitute(written, self.known)

    def positive(self, text: ExpressionText) -> Expr:
        """One of 1 or more, where it is known."""
        found = self.amount(text)
        number = algebra.number(found)
        if number is not None and number < 1:
            raise SourceError(f"expected a number of 1 or more, got {number}", self.source.span(text.start, text.end))
        return found
