"""`auto{NAME}` in pragmas: parameters that the source leaves to be chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from tunepass.diagnostics import Diagnostic, Source, SourceError, Span
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import Expr, Type
from tunepass.frontends.cfamily.preprocessing.alignment import PragmaTokens
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.hls.pragmas.asks import MODES
from tunepass.frontends.hls.pragmas.options import Option, options
from tunepass.space.parameter import Categorical, Ordinal, Parameter

DIVISOR_LIMIT = 1 << 20  # trip counts whose divisors are listed
VALUE_LIMIT = 64
GUESS = 16  # the largest factor where the trip count is not known

KnobKind = Literal["mode", "factor"]


@dataclass(frozen=True, slots=True)
class Knob:
    """`whole` is where `auto{NAME}` stands, which a value replaces. `values` and `default` where the pragma lists
    them, as AutoDSE's do."""

    name: str
    kind: KnobKind
    span: Span
    whole: Span
    values: tuple[int | str, ...] = ()
    default: int | str | None = None


def knobs_of(pragmas: Sequence[PragmaTokens], source: Source) -> dict[str, Knob]:
    """Every knob of the pragmas; SourceError for one that is malformed or stands twice."""
    found: dict[str, Knob] = {}
    problems: list[Diagnostic] = []
    for pragma in pragmas:
        merlin = pragma.words[0].text.upper() == "ACCEL"
        kind: KnobKind = (
            "mode" if merlin and pragma.words[1:2] and pragma.words[1].text.lower() == "pipeline" else "factor"
        )
        for option in options(pragma.words[2:] if merlin else pragma.words[1:]):
            if option.name != "auto" and not _begins_auto(option):
                continue
            try:
                knob = _knob(option, kind if option.name == "auto" else "factor", source)
            except SourceError as error:
                problems += error.diagnostics
                continue
            if knob.name in found:
                hint = f"the first is at {found[knob.name].span}"
                problems.append(Diagnostic(f"`auto{{{knob.name}}}` stands twice", knob.span, hint))
            found[knob.name] = knob
    if problems:
        raise SourceError(problems)
    return found


def _begins_auto(option: Option) -> bool:
    """`compact=auto` is no knob."""
    value = option.value or ()
    return any(a.at("auto") and b.at("{") for a, b in pairwise(value))


def _knob(option: Option, kind: KnobKind, source: Source) -> Knob:
    name = option.knob
    value = option.value or ()
    if name is None:
        start = next((t for t in value if t.at("auto")), option.token)
        span = source.span(start.start, max(value[-1].end if value else 0, start.end))
        raise SourceError("expected one name between the braces of `auto{…}`", span, "write `auto{NAME}`")
    knob = Knob(name.text, kind, source.span(name.start, name.end), source.span(value[0].start, _end(value)))
    if not option.stated:
        return knob
    values, default = _listed(option.stated, source, kind)
    return replace(knob, values=values, default=default)


def _listed(tokens: Sequence[Token], source: Source, kind: KnobKind) -> tuple[tuple[int | str, ...], int | str]:
    """The values of `[1, 2, 4]; order: ...; default: 1`; SourceError where they are no list of numbers or words."""
    end = next((at for at, token in enumerate(tokens) if token.at("]")), -1)
    items = tokens[1:end] if tokens[0].at("[") else ()
    values = [_literal(token, source, kind) for token in items[::2]]
    whole = source.span(tokens[0].start, tokens[-1].end)
    if not values or None in values or any(not token.at(",") for token in items[1::2]):
        hint = "list the values, and write what holds between knobs as `#pragma tunepass constraint P * Q <= 512`"
        raise SourceError("expected a list of values, such as `[1, 2, 4]`", whole, hint)
    stated = next((tokens[at + 2] for at in range(end, len(tokens) - 2) if tokens[at].at("default")), None)
    default = values[0] if stated is None else _literal(stated, source, kind)
    if default not in values:
        span = whole if stated is None else source.span(stated.start, stated.end)
        raise SourceError("the default is none of the values", span)
    return tuple(v for v in values if v is not None), default  # type: ignore[return-value]  # it is one of them


def _literal(token: Token, source: Source, kind: KnobKind) -> int | str | None:
    """What is written there: the words of strings are blanks in a directive's tokens."""
    text = source.text[token.start : token.end]
    if kind == "mode":
        word = text.strip("\"'") or MODES[1]
        return word if word in MODES and token.kind == "text" else None
    return int(text) if text.isdecimal() and int(text) >= 1 else None


def _end(value: Sequence[Token]) -> int:
    return value[-1].end


def mode_parameter(knob: Knob) -> Parameter:
    if knob.values:
        return Categorical(knob.name, list(dict.fromkeys(map(str, knob.values))), default=knob.default, span=knob.span)
    return Categorical(knob.name, MODES, default="off", span=knob.span)


def factor_parameter(knob: Knob, most: Expr | None) -> Parameter:
    """The values that the pragma lists, else the divisors of the loop's trip count and the powers of two below it."""
    if knob.values:
        values = sorted({int(v) for v in knob.values})
        return Ordinal(knob.name, values, default=int(knob.default or 1), log=len(values) > 1, span=knob.span)
    number = algebra.number(most) if most is not None else None
    trip = int(number) if number is not None and number >= 1 else GUESS
    return Ordinal(knob.name, factor_values(trip), default=1, log=trip > 1, span=knob.span)


def factor_values(trip: int) -> tuple[int, ...]:
    powers = {1 << e for e in range(trip.bit_length()) if 1 << e <= trip}
    if trip > DIVISOR_LIMIT:
        return tuple(sorted(powers))
    divisors = {d for k in range(1, int(trip**0.5) + 1) if trip % k == 0 for d in (k, trip // k)}
    values = sorted(powers | divisors)
    return tuple(values) if len(values) <= VALUE_LIMIT else tuple(sorted(powers | {trip}))


def expressions(parameters: Mapping[str, Type]) -> dict[str, Expr]:
    """The name of each parameter as an expression, by the parameters' types."""
    return {name: typing.name(name, parameters) for name in parameters}
