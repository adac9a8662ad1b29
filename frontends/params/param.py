"""A parameter as written, in a pragma of C or a line of another language: NAME: KIND(VALUES) [= DEFAULT] [log] [flag]
[prior(...)]. No name is looked up."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span, nearest
from tunepass.frontends.params.tokens import Cursor
from tunepass.frontends.params.values import (
    PARAMETER_KINDS,
    ItemOrder,
    LiteralText,
    PriorText,
    Values,
    parse_default,
    parse_prior,
    parse_values,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamText:
    name: str
    kind: str
    values: Values
    values_end: int  # in the source, after their bracket
    default: LiteralText | ItemOrder | None
    log: bool
    flag: bool
    prior: PriorText | None
    span: Span  # of the name


def parse_param(cursor: Cursor) -> ParamText:
    name = cursor.name("a parameter's name", "write `param TILE: ordinal(8, 16, 32)`")
    cursor.expect(":", f"after `{name.text}`", f"write `param {name.text}: ordinal(8, 16, 32)`")
    kind = cursor.name(f"one of {', '.join(PARAMETER_KINDS)}")
    if kind.text not in PARAMETER_KINDS:
        close = nearest(kind.text, PARAMETER_KINDS)
        hint = f"did you mean `{close}`?" if close else f"a kind is one of {', '.join(PARAMETER_KINDS)}"
        cursor.fail(f"unknown kind of parameter `{kind.text}`", hint, token=kind)
    values = parse_values(cursor, kind)
    values_end = cursor.last.end
    default = parse_default(cursor) if cursor.accept("=") else None
    options, prior = _options(cursor)
    return ParamText(
        name=name.text,
        kind="ordinal" if kind.text == "pow2" else kind.text,
        values=values,
        values_end=values_end,
        default=default,
        log="log" in options,
        flag="flag" in options,
        prior=prior,
        span=cursor.span(name),
    )


def _options(cursor: Cursor) -> tuple[set[str], PriorText | None]:
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
