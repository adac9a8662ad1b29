"""Numbers of a schedule: factors, extents, what OpenMP is told. Each may be an expression over the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.diagnostics import ExpressionError, SourceError, spelling_hint
from tunepass.expr import typing
from tunepass.expr.algebra import lift, substitute
from tunepass.expr.nodes import Constant, Expr, IntegerType, Name, Type, free_names
from tunepass.expr.parser import parse
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.taco.written import Argument
from tunepass.space.parameter import Parameter

MOST = 2**31 - 1
POLICIES = ("static", "dynamic")


class Amounts:
    """Reads arguments over these parameters; `sizes` are the extents that are stated. `used` are the parameters that
    were read."""

    def __init__(self, parameters: Sequence[Parameter], sizes: Mapping[str, int]):
        self.parameters = {p.name: p for p in parameters}
        self.sizes = {name: lift(value) for name, value in sizes.items() if name not in self.parameters}
        self.used: set[str] = set()

    def integer(self, argument: Argument, what: str) -> Expr:
        """An integer that is positive, for some values of the parameters at least."""
        types: dict[str, Type] = {name: value.type for name, value in self.sizes.items()}
        types |= {name: p.type for name, p in self.parameters.items()}
        span = argument.span
        try:
            written = parse(argument.text, types, source=span.source, offset=span.start)
        except ExpressionError as error:
            raise SourceError(error.diagnostics) from None
        if not isinstance(written.type, IntegerType):
            raise SourceError(f"{what} is an integer, this is {_shown(written)}", span)
        amount = self._over_parameters(written)
        least, most = self._ends(amount)
        if most < 1 or least > MOST:
            found = f"{least}" if least == most else f"{least} to {most}"
            raise SourceError(f"{what} is an integer from 1 to {MOST}, got {found}", span)
        return amount

    def _over_parameters(self, written: Expr) -> Expr:
        """Sizes replaced by their values; a number where no parameter is left."""
        names = free_names(written)
        self.used |= names & set(self.parameters)
        amount = substitute(written, {n: v for n, v in self.sizes.items() if n in names})
        if free_names(amount):
            return amount
        return typing.constant(evaluate(amount, {}), written.span)

    def _ends(self, amount: Expr) -> tuple[int, int]:
        """Its least and largest value, as far as they are seen at once; else (0, MOST)."""
        if isinstance(amount, Constant):
            return int(amount.value), int(amount.value)
        parameter = self.parameters[amount.name] if isinstance(amount, Name) else None
        if parameter is None or not parameter.size or not parameter.is_scalar:
            return 0, MOST
        ends = parameter.ends()
        return int(ends[0]), int(ends[1])

    def policy(self, argument: Argument) -> Expr:
        """`static`, `dynamic`, or a parameter whose values are among these."""
        name, span = argument.text, argument.span
        parameter = self.parameters.get(name)
        if parameter is not None:
            values = list(parameter.domain) if parameter.size is not None and parameter.size < 10 else []
            if not values or not set(values) <= set(POLICIES):
                raise SourceError(f"values of `{name}` are `static` and `dynamic`, got {parameter}", span)
            self.used.add(name)
            return Name(name, parameter.type, span)
        if name not in POLICIES:
            hint = spelling_hint(name, [*POLICIES, *self.parameters], "or a parameter whose values these are")
            raise SourceError(f"how iterations are dealt out is `static` or `dynamic`, got `{name}`", span, hint)
        return typing.constant(name, span)


def _shown(written: Expr) -> str:
    text = written.span.text if written.span else ""
    return f"`{text}`, of the type {written.type}"
