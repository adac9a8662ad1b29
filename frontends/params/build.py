"""From a parameter as written to the parameter: its domain, its prior, its default."""

from __future__ import annotations

from tunepass.diagnostics import Diagnostic, SourceError, SpaceError, Span, spelling_hint
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import Items, Listed, LiteralText, RangeText
from tunepass.space.configuration import Value
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real
from tunepass.space.parameters.condition import Condition
from tunepass.space.prior import SHAPES


def construct(param: ParamText, default: Value | None, stated: Span | None = None) -> Parameter:
    """The parameter; what is wrong with its values is told at the values, with its default at the default, which may be
    `stated` elsewhere."""
    _check_prior(param)
    try:
        parameter = _parameter(param, None, param.values.span)
    except SpaceError as error:
        first = error.diagnostics[0]
        faulty_span = first.span or (param.prior.span if param.prior else param.span)
        raise SourceError(Diagnostic(first.message, faulty_span, first.hint)) from None
    if default is None:
        return parameter
    span = param.default.span if param.default else stated or param.span
    if not parameter.admits(default):
        shown = f'"{default}"' if isinstance(default, str) else default
        raise SourceError(f"the default of `{param.name}`, {shown}, is not one of its values: {parameter}", span)
    return _parameter(param, default, param.span)


def _parameter(param: ParamText, default: Value | None, span: Span) -> Parameter:
    name, values = param.name, param.values
    beta, when = _beta(param), _condition(param)
    if isinstance(values, Items):
        rows = param.prior.rows if param.prior else None
        order = default if isinstance(default, tuple) or default is None else (str(default),)
        return Permutation(name, values.items, default=order, prior=rows, when=when, span=span)
    if param.kind == "categorical" and isinstance(values, Listed):
        weights = param.prior.numbers if param.prior and not param.prior.shape else None
        return Categorical(name, values.values, default=default, prior=weights, when=when, span=span)  # type: ignore[arg-type]
    number = default if isinstance(default, (int, float)) else None
    if isinstance(values, Listed):
        return Ordinal(name, values.values, log=param.log, default=number, prior=beta, when=when, span=span)  # type: ignore[arg-type]
    assert isinstance(values, RangeText)
    if param.kind == "real":
        return Real(name, values.lo, values.hi, log=param.log, default=number, prior=beta, when=when, span=span)
    lo, hi, step = int(values.lo), int(values.hi), int(values.step or 1)
    return Integer(name, lo, hi, step=step, log=param.log, default=number, prior=beta, when=when, span=span)  # type: ignore[arg-type]


def _condition(param: ParamText) -> Condition | None:
    return None if param.when is None else Condition(param.when.text, param.span.source, param.when.start)


def _beta(param: ParamText) -> str | tuple[float, float] | None:
    prior = param.prior
    if prior is None or prior.rows:
        return None
    if prior.shape:
        return prior.shape
    return (prior.numbers[0], prior.numbers[1]) if len(prior.numbers) == 2 else None


def _check_prior(param: ParamText) -> None:
    """A prior that its kind of parameter cannot have."""
    prior = param.prior
    if prior is None:
        if param.log and param.kind in ("categorical", "permutation"):
            raise SourceError(f"`log` needs numbers; `{param.name}` is a {param.kind}", param.span, "remove `log`")
        return
    if prior.shape is not None and prior.shape not in SHAPES:
        hint = spelling_hint(prior.shape, SHAPES, f"known are {', '.join(SHAPES)}, or two numbers")
        raise SourceError(f"unknown prior `{prior.shape}`", prior.span, hint)
    expected = {
        "categorical": (not prior.rows and (prior.numbers or prior.shape == "uniform"), "one probability per value"),
        "permutation": (prior.rows, "a row of weights per position: `prior([2, 1], [1, 2])`"),
    }.get(param.kind, (prior.shape or len(prior.numbers) == 2, "a shape's name or two numbers"))
    if not expected[0]:
        raise SourceError(f"the prior of a {param.kind} parameter is {expected[1]}", prior.span)


def default_value(param: ParamText) -> Value | None:
    """The default as written, if it is."""
    default = param.default
    if default is None:
        return None
    if isinstance(default, LiteralText):
        if param.kind == "permutation":
            raise SourceError("the default of a permutation is an order: `= (k, i, j)`", default.span)
        return default.value
    if param.kind != "permutation":
        raise SourceError(f"an order is not a default of a {param.kind} parameter", default.span)
    return default.items
