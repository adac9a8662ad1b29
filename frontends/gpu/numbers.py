"""The numbers of GPU pragmas: expressions over parameters, scalar arguments and the file's own constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import ExpressionError, Source, SourceError, TunepassError
from tunepass.expr.algebra import lift, substitute
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.nodes import BoolType, Expr, IntegerType, OrderType, RealType, Type, free_names
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.parser import parse
from tunepass.frontends.c.call.arguments import span_of
from tunepass.frontends.c.call.constants import constant_value
from tunepass.frontends.cfamily.constants.plain_numbers import with_plain_numbers
from tunepass.frontends.params.tokens import ExpressionText, explained
from tunepass.space.parameter import Parameter

Number = bool | int | float


@dataclass(frozen=True, slots=True)
class Numbers:
    """`scalars` are the arguments read so far: their values over the parameters. `types` are of all that may be
    named besides parameters and constants."""

    source: Source
    parameters: Sequence[Parameter]
    constants: Mapping[str, Number]
    scalars: dict[str, Expr] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)

    def add(self, name: str, value: Expr, kind: Type) -> None:
        self.scalars[name], self.types[name] = self.bound(value), kind

    def number(self, text: ExpressionText, what: str, *, whole: bool = True, index: Type | None = None) -> Expr:
        """The expression, constants replaced; over `i` too where `index` is its type."""
        constants = {name: lift(value) for name, value in self.constants.items()}
        types = {name: value.type for name, value in constants.items()}
        types |= {p.name: p.type for p in self.parameters} | self.types | ({"i": index} if index is not None else {})
        strings = {name for name, kind in types.items() if not isinstance(kind, (IntegerType, RealType, BoolType))}
        try:
            e = parse(with_plain_numbers(text.text, strings), types, source=self.source, offset=text.start)
        except TunepassError as error:
            raise explained(error, text, what) from None
        if not isinstance(e.type, (IntegerType, RealType, BoolType)):
            raise SourceError(f"expected {what}, got a {e.type}", span_of(text, self.source))
        if whole and not isinstance(e.type, IntegerType):
            hint = "`/` is real division; `//` divides whole numbers, `ceildiv(a, b)` rounds up"
            raise SourceError(f"expected {what}, which is whole, got a {e.type}", span_of(text, self.source), hint)
        known = {p.name for p in self.parameters} | set(self.types)
        return substitute(e, {n: v for n, v in constants.items() if n in free_names(e) - known})

    def amount(self, text: ExpressionText, what: str, *, whole: bool = False) -> Expr:
        """A number that is not negative, and need not be whole."""
        e = self.number(text, what, whole=whole)
        value = self.at_default(e, text)
        if value < 0:
            raise SourceError(f"{what} is not negative, got {value}", span_of(text, self.source))
        return e

    def bound(self, e: Expr) -> Expr:
        """Over the parameters alone."""
        return substitute(e, self.scalars)

    def at_default(self, e: Expr, text: ExpressionText) -> Number:
        """Its value for the default configuration; SourceError where it has none."""
        value = self.default_value(e)
        if value is None:
            message = "this has no value for the default configuration: a division by zero, or beyond 64 bits"
            raise SourceError(message, span_of(text, self.source))
        return value

    def default_value(self, e: Expr) -> Number | None:
        columns = {p.name: p.column([p.default]) for p in self.parameters}
        try:
            result = evaluate(self.bound(e), columns, 1)
        except ExpressionError:
            return None
        value = np.asarray(result.values).reshape(-1)[0].item()
        return value if np.all(result.defined) and isinstance(value, (bool, int, float)) else None

    def is_constant(self, e: Expr) -> bool:
        return not free_names(self.bound(e))

    def range_of(self, e: Expr) -> tuple[float, float]:
        """What bounds it over all configurations, constraints left aside."""
        scalar = [p for p in self.parameters if not isinstance(p.type, OrderType)]
        lo = {p.name: np.array([p.ends()[0]], np.float64) for p in scalar}
        hi = {p.name: np.array([p.ends()[1]], np.float64) for p in scalar}
        (bounds,) = IntervalExtension([self.bound(e)]).bounds(lo, hi, 1)
        return float(bounds.lo[0]), float(bounds.hi[0])

    def values(self) -> dict[str, Number]:
        """The constants, and the scalars that no parameter changes."""
        found = dict(self.constants)
        for name, e in self.scalars.items():
            if not free_names(e):
                value = constant_value(e)
                if value is not None:
                    found[name] = value
        return found
