"""From `param` pragmas to parameters: domains, priors, and defaults agreed with the source's own `#define`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tunepass.diagnostics import Diagnostic, ExpressionError, Severity, SourceError, SpaceError, Span, nearest
from tunepass.expr import nodes
from tunepass.expr.parser import parse
from tunepass.frontends.c.constants import constant_value
from tunepass.frontends.c.macros import MacroDefault, check_guards, set_macros
from tunepass.frontends.c.pragmas.pragma import ParamPragma
from tunepass.frontends.c.pragmas.values import BOOLEANS, ItemOrder, Items, Listed, LiteralText, RangeText
from tunepass.space.configuration import Value
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real
from tunepass.space.prior import SHAPES

LITERAL = re.compile(r"\(?\s*(?P<number>[-+]?[\d.][\w.+-]*?)[uUlLfF]*\s*\)?\Z")


def build_parameter(
    pragma: ParamPragma, macros: Mapping[str, MacroDefault], known: frozenset[str]
) -> tuple[Parameter, tuple[Diagnostic, ...]]:
    """The parameter, and warnings about its default; `known` are the macros that parameters set."""
    check_guards(pragma, macros, known)
    written = next((macros[name] for name in set_macros(pragma) if name in macros), None)
    default = _value(pragma, pragma.default) if pragma.default else None
    from_macro = _macro_value(pragma, written, macros) if written is not None else None
    if default is None and written is not None and from_macro is None:
        raise SourceError(
            f"the default of `{pragma.name}`, `{written.text}`, is not a value tunepass can read",
            written.span,
            "give the pragma a default: `= VALUE`",
        )
    parameter = _construct(pragma, from_macro if default is None else default, written)
    return parameter, _disagreement(pragma, parameter, from_macro, written)


def _disagreement(
    pragma: ParamPragma, parameter: Parameter, from_macro: Value | None, written: MacroDefault | None
) -> tuple[Diagnostic, ...]:
    if from_macro is None or written is None or from_macro == parameter.default:
        return ()
    return (
        Diagnostic(
            f"the default of `{pragma.name}` is {parameter.default} in its pragma and {written.text} here",
            written.span,
            "tunepass starts from the pragma's; make them agree",
            Severity.WARNING,
        ),
    )


def _construct(pragma: ParamPragma, default: Value | None, written: MacroDefault | None) -> Parameter:
    """The parameter; what is wrong with its values is told at the values, with its default at the default."""
    _check_prior(pragma)
    try:
        parameter = _parameter(pragma, None, pragma.values.span)
    except SpaceError as error:
        first = error.diagnostics[0]
        faulty_span = first.span or (pragma.prior.span if pragma.prior else pragma.span)
        raise SourceError(Diagnostic(first.message, faulty_span, first.hint)) from None
    if default is None:
        return parameter
    span = pragma.default.span if pragma.default else written.span if written else pragma.span
    if not parameter.admits(default):
        shown = f'"{default}"' if isinstance(default, str) else default
        raise SourceError(f"the default of `{pragma.name}`, {shown}, is not one of its values: {parameter}", span)
    return _parameter(pragma, default, pragma.span)


def _parameter(pragma: ParamPragma, default: Value | None, span: Span) -> Parameter:
    name, values = pragma.name, pragma.values
    beta = _beta(pragma)
    if isinstance(values, Items):
        rows = pragma.prior.rows if pragma.prior else None
        order = default if isinstance(default, tuple) or default is None else (str(default),)
        return Permutation(name, values.items, default=order, prior=rows, span=span)
    if pragma.kind == "categorical" and isinstance(values, Listed):
        weights = pragma.prior.numbers if pragma.prior and not pragma.prior.shape else None
        return Categorical(name, values.values, default=default, prior=weights, span=span)  # type: ignore[arg-type]
    number = default if isinstance(default, (int, float)) else None
    if isinstance(values, Listed):
        return Ordinal(name, values.values, log=pragma.log, default=number, prior=beta, span=span)  # type: ignore[arg-type]
    assert isinstance(values, RangeText)
    if pragma.kind == "real":
        return Real(name, values.lo, values.hi, log=pragma.log, default=number, prior=beta, span=span)
    lo, hi, step = int(values.lo), int(values.hi), int(values.step or 1)
    return Integer(name, lo, hi, step=step, log=pragma.log, default=number, prior=beta, span=span)  # type: ignore[arg-type]


def _beta(pragma: ParamPragma) -> str | tuple[float, float] | None:
    prior = pragma.prior
    if prior is None or prior.rows:
        return None
    if prior.shape:
        return prior.shape
    return (prior.numbers[0], prior.numbers[1]) if len(prior.numbers) == 2 else None


def _check_prior(pragma: ParamPragma) -> None:
    """A prior that its kind of parameter cannot have."""
    prior = pragma.prior
    if prior is None:
        if pragma.log and pragma.kind in ("categorical", "permutation"):
            raise SourceError(f"`log` needs numbers; `{pragma.name}` is a {pragma.kind}", pragma.span, "remove `log`")
        return
    if prior.shape is not None and prior.shape not in SHAPES:
        close = nearest(prior.shape, SHAPES)
        hint = f"did you mean `{close}`?" if close else f"known are {', '.join(SHAPES)}, or two numbers"
        raise SourceError(f"unknown prior `{prior.shape}`", prior.span, hint)
    expected = {
        "categorical": (not prior.rows and (prior.numbers or prior.shape == "uniform"), "one probability per value"),
        "permutation": (prior.rows, "a row of weights per position: `prior([2, 1], [1, 2])`"),
    }.get(pragma.kind, (prior.shape or len(prior.numbers) == 2, "a shape's name or two numbers"))
    if not expected[0]:
        raise SourceError(f"the prior of a {pragma.kind} parameter is {expected[1]}", prior.span)


def _value(pragma: ParamPragma, default: LiteralText | ItemOrder) -> Value:
    if isinstance(default, LiteralText):
        if pragma.kind == "permutation":
            raise SourceError("the default of a permutation is an order: `= (k, i, j)`", default.span)
        return default.value
    if pragma.kind != "permutation":
        raise SourceError(f"an order is not a default of a {pragma.kind} parameter", default.span)
    return default.items


def _macro_value(pragma: ParamPragma, written: MacroDefault, macros: Mapping[str, MacroDefault]) -> Value | None:
    """What `#define NAME text` says, in the parameter's own type; None if that cannot be told."""
    text = written.text
    if isinstance(pragma.values, Items):
        return _macro_order(pragma, macros)
    if pragma.kind == "categorical" and isinstance(pragma.values, Listed):
        first = pragma.values.values[0]
        if isinstance(first, str):
            return text
        if isinstance(first, bool):
            return BOOLEANS.get(text, {"0": False, "1": True}.get(text))
    literal = LITERAL.match(text)
    try:
        expression = parse(literal["number"] if literal else text, {})
    except ExpressionError:
        return None
    value = constant_value(expression)
    return value if isinstance(expression.type, (nodes.IntegerType, nodes.RealType)) else None


def _macro_order(pragma: ParamPragma, macros: Mapping[str, MacroDefault]) -> Value | None:
    """The order that `#define NAME_ITEM position` of every item makes."""
    assert isinstance(pragma.values, Items)
    items: Sequence[int | str] = (
        range(pragma.values.items) if isinstance(pragma.values.items, int) else pragma.values.items
    )
    texts = [macros[name].text if name in macros else "" for name in set_macros(pragma)]
    if sorted(texts) != sorted(str(place) for place in range(len(items))):
        return None
    return tuple(item for _, item in sorted(zip((int(text) for text in texts), items)))
