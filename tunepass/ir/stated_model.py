"""A model that a source states itself: a number over the kernel's parameters, for one of its objectives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import ExpressionError, Source, SourceError, Span, spelling_hint
from tunepass.expr.algebra import lift, substitute
from tunepass.expr.nodes import BOOL, INTEGER, REAL, BoolType, Expr, IntegerType, RealType, Type, free_names
from tunepass.expr.parser import parse
from tunepass.space.parameter import Parameter

CALL_OBJECTIVES = ("time", "instructions")  # what is measured of a function that is called
RUN_OBJECTIVES = ("time",)  # of a program that is run and prints no metric

Size = bool | int | float


@dataclass(frozen=True, slots=True)
class StatedModel:
    """What the objective `name` costs, in any unit: where it is small and large is what counts."""

    name: str
    expression: Expr
    span: Span | None = None  # of the name

    @classmethod
    def parse(
        cls,
        name: str,
        text: str,
        parameters: Sequence[Parameter],
        sizes: Mapping[str, Size],
        *,
        source: Source,
        offset: int,
        span: Span,
    ) -> StatedModel:
        """The model written at `offset` of `source`; `sizes` are replaced by their values, parameters stay.

        Raises SourceError or ExpressionError for text that is no number, or that names no parameter.
        """
        types: dict[str, Type] = {size: _type(value) for size, value in sizes.items()}
        types |= {p.name: p.type for p in parameters}
        written = parse(text, types, source=source, offset=offset)
        whole = source.span(offset, offset + len(text))
        if not isinstance(written.type, (IntegerType, RealType)):
            expected = "true or false" if isinstance(written.type, BoolType) else f"a {written.type}"
            raise SourceError(f"a model is a number, this is {expected}", whole)
        if not free_names(written) & {p.name for p in parameters}:
            hint = f"name a parameter: {', '.join(p.name for p in parameters)}"
            raise SourceError("this model is the same for every configuration", whole, hint)
        known = {p.name for p in parameters}
        try:
            bound = substitute(written, {n: lift(v) for n, v in sizes.items() if n not in known})
        except ExpressionError as error:  # a product of sizes does not fit 64 bits
            raise SourceError(error.diagnostics[0].message, whole) from None
        return cls(name, bound, span)


def check_objectives(names: Sequence[tuple[str, Span]], measured: Sequence[str]) -> None:
    """Every model is of another objective, and of one that is `measured`; SourceError with the first that is not."""
    first: dict[str, Span] = {}
    for name, span in names:
        if name in first:
            raise SourceError(f"a model of `{name}` is given twice", span, f"the first is at {first[name]}")
        first[name] = span
        if name not in measured:
            hint = spelling_hint(name, measured, f"measured here: {', '.join(measured)}")
            raise SourceError(f"`{name}` is not measured here", span, hint)


def _type(value: Size) -> Type:
    return BOOL if isinstance(value, bool) else INTEGER if isinstance(value, int) else REAL
