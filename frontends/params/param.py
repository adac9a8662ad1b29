"""A parameter as written, in a pragma of C or a line of another language: NAME: KIND(VALUES) [= DEFAULT] [log] [flag]
[prior(...)] [when(...)]. No name is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Span, spelling_hint
from tunepass.frontends.params import values as v
from tunepass.frontends.params.tokens import Cursor, ExpressionText


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamText:
    name: str
    kind: str
    values: v.Values
    values_end: int  # in the source, after their bracket
    default: v.LiteralText | v.ItemOrder | None
    log: bool
    flag: bool
    compiler: bool = False  # its values name compilers
    prior: v.PriorText | None
    when: ExpressionText | None = None  # active only where it holds
    span: Span  # of the name


AFTER_VALUES = "after the values: `= DEFAULT`, `log`, `prior(…)`, `flag`, `when(…)`"
BOOLEAN = ("bool", "boolean")  # as people write it; no kind
COMPILER = "compiler"  # a kind of the languages that a C compiler builds


def parse_param(cursor: Cursor, kinds: Sequence[str] = v.PARAMETER_KINDS) -> ParamText:
    name = cursor.name("a parameter's name", "write `param TILE: ordinal(8, 16, 32)`")
    cursor.expect(":", f"after `{name.text}`", f"write `param {name.text}: ordinal(8, 16, 32)`")
    kind = cursor.name(f"one of {', '.join(kinds)}")
    if kind.text not in kinds:
        hint = spelling_hint(kind.text, kinds, f"a kind is one of {', '.join(kinds)}")
        hint = "write `categorical(false, true)`" if kind.text in BOOLEAN else hint
        cursor.fail(f"unknown kind of parameter `{kind.text}`", hint, token=kind)
    values = v.parse_values(cursor, kind)
    values_end = cursor.last.end
    default = v.parse_default(cursor) if cursor.accept("=") else None
    options, prior, when = _options(cursor)
    return ParamText(
        name=name.text,
        kind={"pow2": "ordinal", COMPILER: "categorical"}.get(kind.text, kind.text),
        values=values,
        values_end=values_end,
        default=default,
        log="log" in options,
        flag="flag" in options,
        compiler=kind.text == COMPILER,
        prior=prior,
        when=when,
        span=cursor.span(name),
    )


def _options(cursor: Cursor) -> tuple[set[str], v.PriorText | None, ExpressionText | None]:
    known = ("log", "flag", "prior", "when")
    options: set[str] = set()
    prior: v.PriorText | None = None
    when: ExpressionText | None = None
    while cursor.next.kind == "name":
        word = cursor.take()
        if word.text not in known:
            hint = spelling_hint(
                word.text, known, "after the values: `= DEFAULT`, `log`, `prior(…)`, `flag`, `when(…)`"
            )
            cursor.fail(f"unknown option `{word.text}`", hint, token=word)
        if word.text in options:
            cursor.fail(f"`{word.text}` is given twice", token=word)
        options.add(word.text)
        if word.text == "prior":
            prior = v.parse_prior(cursor)
        elif word.text == "when":
            when = _condition(cursor)
    cursor.finish("the parameter", f"{AFTER_VALUES}, in this order")
    return options, prior, when


def _condition(cursor: Cursor) -> ExpressionText:
    cursor.expect("(", "after `when`", 'write `when(MODE == "fast")`')
    text = cursor.expression(")", "a condition")
    cursor.expect(")", "after the condition")
    return text
