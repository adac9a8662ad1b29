"""The pragmas as written: one frozen record each, and the parser that makes them from a cursor. No name is looked up.

param NAME: KIND(VALUES) [= DEFAULT] [log] [flag] [prior(...)]
constraint EXPRESSION
model OBJECTIVE = EXPRESSION
kernel NAME(ARGUMENT, ...) [tolerance(RELATIVE[, ABSOLUTE])]
run "COMMAND" [metric "PATTERN" [unit(UNIT)] [maximise|minimise]] ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tunepass.diagnostics import Span, nearest
from tunepass.frontends.c.pragmas.loop import LoopPragma, parse_loop
from tunepass.frontends.c.pragmas.values import (
    PARAMETER_KINDS,
    ItemOrder,
    LiteralText,
    PriorText,
    Values,
    parse_default,
    parse_prior,
    parse_values,
)
from tunepass.frontends.c.syntax.tokens import Cursor, ExpressionText, PragmaToken

DIRECTIONS = ("in", "out", "inout")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamPragma:
    name: str
    kind: str
    values: Values
    default: LiteralText | ItemOrder | None
    log: bool
    flag: bool
    prior: PriorText | None
    span: Span  # of the name


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintPragma:
    expression: ExpressionText
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPragma:
    name: str  # of an objective
    expression: ExpressionText
    span: Span  # of the name


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentText:
    """`n = 512` (direction and element None), or `A: in double[n*n] range(0, 9)`."""

    name: str
    span: Span
    value: ExpressionText  # an array's length
    direction: str | None = None
    element: str | None = None
    fill: ExpressionText | None = None
    lo: ExpressionText | None = None
    hi: ExpressionText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPragma:
    name: str
    arguments: tuple[ArgumentText, ...]
    relative: float | None
    absolute: float | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricText:
    pattern: str
    unit: str | None
    maximise: bool
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPragma:
    command: str
    span: Span
    metrics: tuple[MetricText, ...] = field(default=())


Pragma = ParamPragma | ConstraintPragma | ModelPragma | KernelPragma | RunPragma | LoopPragma


def parse_pragma(cursor: Cursor) -> Pragma:
    """The pragma at `cursor`; raises SourceError where it stops making sense."""
    kind = cursor.name(f"one of {', '.join(PARSERS)}")
    parser = PARSERS.get(kind.text)
    if parser is None:
        close = nearest(kind.text, PARSERS)
        hint = f"did you mean `{close}`?" if close else f"known are {', '.join(PARSERS)}"
        cursor.fail(f"unknown pragma `{kind.text}`", hint, token=kind)
    return parser(cursor)


def _param(cursor: Cursor) -> ParamPragma:
    name = cursor.name("a parameter's name", "write `param TILE: ordinal(8, 16, 32)`")
    cursor.expect(":", f"after `{name.text}`", f"write `param {name.text}: ordinal(8, 16, 32)`")
    kind = cursor.name(f"one of {', '.join(PARAMETER_KINDS)}")
    if kind.text not in PARAMETER_KINDS:
        close = nearest(kind.text, PARAMETER_KINDS)
        hint = f"did you mean `{close}`?" if close else f"a kind is one of {', '.join(PARAMETER_KINDS)}"
        cursor.fail(f"unknown kind of parameter `{kind.text}`", hint, token=kind)
    values = parse_values(cursor, kind)
    default = parse_default(cursor) if cursor.accept("=") else None
    options, prior = _param_options(cursor)
    return ParamPragma(
        name=name.text,
        kind=kind.text,
        values=values,
        default=default,
        log="log" in options,
        flag="flag" in options,
        prior=prior,
        span=cursor.span(name),
    )


def _param_options(cursor: Cursor) -> tuple[set[str], PriorText | None]:
    known = ("log", "flag", "prior")
    options: set[str] = set()
    prior: PriorText | None = None
    while cursor.next.kind == "name":
        word = cursor.take()
        if word.text not in known:
            close = nearest(word.text, known)
            hint = f"did you mean `{close}`?" if close else "after the values: `= DEFAULT`, `log`, `prior(…)`, `flag`"
            cursor.fail(f"unknown option `{word.text}`", hint, token=word)
        if word.text in options:
            cursor.fail(f"`{word.text}` is given twice", token=word)
        options.add(word.text)
        if word.text == "prior":
            prior = parse_prior(cursor)
    cursor.finish("the parameter", "after the values: `= DEFAULT`, `log`, `prior(…)`, `flag`, in this order")
    return options, prior


def _constraint(cursor: Cursor) -> ConstraintPragma:
    text = cursor.expression("", "a condition such as `TILE % UNROLL == 0`")
    return ConstraintPragma(expression=text, span=cursor.source.span(text.start, text.end))


def _model(cursor: Cursor) -> ModelPragma:
    how = "write `model time = ceildiv(n, TILE) * (40 + TILE)`"
    name = cursor.name("an objective's name", how)
    cursor.expect("=", f"after `{name.text}`", how)
    text = cursor.expression("", "an expression over parameters and sizes")
    return ModelPragma(name=name.text, expression=text, span=cursor.span(name))


def _kernel(cursor: Cursor) -> KernelPragma:
    name = cursor.name("a function's name", "write `kernel matmul(n = 512, A: in double[n*n])`")
    cursor.expect("(", f"after `{name.text}`", "the arguments of the call follow the function's name")
    arguments: list[ArgumentText] = []
    while not cursor.at(")"):
        arguments.append(_argument(cursor))
        if not cursor.accept(","):
            break
    cursor.expect(")", "after the arguments")
    relative, absolute = _tolerance(cursor) if cursor.accept("tolerance") else (None, None)
    cursor.finish("the kernel", "only `tolerance(RELATIVE, ABSOLUTE)` may follow the arguments")
    return KernelPragma(
        name=name.text, arguments=tuple(arguments), relative=relative, absolute=absolute, span=cursor.span(name)
    )


def _argument(cursor: Cursor) -> ArgumentText:
    how = "write `n = 512` for a scalar, `A: in double[n*n]` for an array"
    name = cursor.name("an argument", how)
    span = cursor.span(name)
    if cursor.accept("="):
        return ArgumentText(name=name.text, span=span, value=cursor.expression(",)", "a value"))
    cursor.expect(":", f"or `=` after `{name.text}`", how)
    direction = cursor.name("`in`, `out` or `inout`")
    if direction.text not in DIRECTIONS:
        cursor.fail(f"expected `in`, `out` or `inout`, found `{direction.text}`", token=direction)
    words = [cursor.name("an element type, such as `double`").text]
    while cursor.next.kind == "name":
        words.append(cursor.take().text)
    cursor.expect("[", f"after `{' '.join(words)}`", f"say how many elements {name.text} has: `double[n*n]`")
    length = cursor.expression("]", "a number of elements")
    cursor.expect("]", "after the number of elements")
    fill, lo, hi = _contents(cursor, direction)
    return ArgumentText(
        name=name.text,
        span=span,
        value=length,
        direction=direction.text,
        element=" ".join(words),
        fill=fill,
        lo=lo,
        hi=hi,
    )


def _contents(
    cursor: Cursor, direction: PragmaToken
) -> tuple[ExpressionText | None, ExpressionText | None, ExpressionText | None]:
    """`range(lo, hi)` or `fill(expression)`: what an input holds."""
    word = cursor.next
    if word.kind != "name":
        return None, None, None
    if word.text not in ("range", "fill"):
        cursor.fail(f"expected `range(lo, hi)`, `fill(expression)` or `,`, found `{word.text}`")
    if direction.text == "out":
        cursor.fail(f"`{word.text}` says what an input holds, and this array is `out`", "make it `in` or `inout`")
    cursor.take()
    cursor.expect("(", f"after `{word.text}`")
    if word.text == "fill":
        fill = cursor.expression(")", "an expression over `i` and the scalars")
        cursor.expect(")", "after the expression")
        return fill, None, None
    lo = cursor.expression(",)", "the least value")
    cursor.expect(",", "after the least value", "write `range(lo, hi)`")
    hi = cursor.expression(",)", "the largest value")
    cursor.expect(")", "after the largest value")
    return None, lo, hi


def _tolerance(cursor: Cursor) -> tuple[float, float | None]:
    cursor.expect("(", "after `tolerance`", "write `tolerance(1e-9)` or `tolerance(1e-9, 1e-12)`")
    relative = _bound(cursor, "a relative tolerance")
    absolute = _bound(cursor, "an absolute tolerance") if cursor.accept(",") else None
    cursor.expect(")", "after the tolerance")
    return relative, absolute


def _bound(cursor: Cursor, what: str) -> float:
    token = cursor.next
    value = float(cursor.number(what))
    if not 0 <= value < float("inf"):
        cursor.fail(f"a tolerance is finite and not negative, got {value:g}", token=token)
    return value


def _run(cursor: Cursor) -> RunPragma:
    token = cursor.next
    command = cursor.string("a command in quotes", 'write `run "./a.out 512" metric "time: {time} ms"`')
    metrics: list[MetricText] = []
    while cursor.accept("metric"):
        metrics.append(_metric(cursor))
    cursor.finish("the command", 'metrics follow it: `metric "time: {time} ms"`')
    return RunPragma(command=command, span=cursor.span(token), metrics=tuple(metrics))


def _metric(cursor: Cursor) -> MetricText:
    token = cursor.next
    pattern = cursor.string("a pattern in quotes", 'write `metric "time: {time} ms"`')
    unit: str | None = None
    maximise = False
    while cursor.at("unit", "maximise", "maximize", "minimise", "minimize"):
        word = cursor.take()
        if word.text == "unit":
            cursor.expect("(", "after `unit`", "write `unit(ms)`")
            unit = cursor.expression(")", "a unit").text.strip('"')
            cursor.expect(")", "after the unit")
        else:
            maximise = word.text.startswith("max")
    return MetricText(pattern=pattern, unit=unit, maximise=maximise, span=cursor.span(token))


PARSERS: dict[str, Callable[[Cursor], Pragma]] = {
    "param": _param,
    "constraint": _constraint,
    "model": _model,
    "kernel": _kernel,
    "run": _run,
    "loop": parse_loop,
}
