"""The pragmas as written: one frozen record each, and the parser that makes them from a cursor. No name is looked up.

param NAME: KIND(VALUES) [= DEFAULT] [log] [flag] [prior(...)], param NAME: compiler("gcc", "clang") [prior(...)]
constraint EXPRESSION
model OBJECTIVE = EXPRESSION
kernel NAME(ARGUMENT, ...) [tolerance(RELATIVE[, ABSOLUTE])] [sizes(...)] [aliasing(...)] [finite(...)]
run "COMMAND" [metric "PATTERN" ...] ... (pragmas/run.py)
hint unroll(N) vectorize(0|1) (pragmas/hint.py)
loop[(INDEX, ...)] CLAUSES (pragmas/nest.py), loop auto [CLAUSES OF run] (pragmas/auto.py)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tunepass.diagnostics import Source, Span, nearest
from tunepass.frontends.c.pragmas.auto import AutoPragma, parse_auto
from tunepass.frontends.c.pragmas.hint import HintPragma, parse_hint
from tunepass.frontends.c.pragmas.kernel import KernelPragma, parse_kernel
from tunepass.frontends.c.pragmas.nest import NestPragma, parse_nest
from tunepass.frontends.c.pragmas.run import RunPragma, parse_run
from tunepass.frontends.cfamily.annotated import PragmaText
from tunepass.frontends.params.param import COMPILER, ParamText, parse_param
from tunepass.frontends.params.tokens import Cursor, ExpressionText
from tunepass.frontends.params.values import PARAMETER_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintPragma:
    expression: ExpressionText
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPragma:
    name: str  # of an objective
    expression: ExpressionText
    span: Span  # of the name


P = TypeVar("P")
Pragma = ParamText | ConstraintPragma | ModelPragma | KernelPragma | RunPragma | AutoPragma | NestPragma | HintPragma


def cursor_of(source: Source, pragma: PragmaText) -> Cursor:
    return Cursor(source, pragma.text, pragma.start, whole=(pragma.outer_start, pragma.outer_end))


def parse_pragma(cursor: Cursor) -> Pragma:
    """The pragma at `cursor`; raises SourceError where it stops making sense."""
    return parse_by_kind(cursor, PARSERS)


def parse_by_kind(cursor: Cursor, parsers: Mapping[str, Callable[[Cursor], P]]) -> P:
    """By the word that it begins with."""
    kind = cursor.name(f"one of {', '.join(parsers)}")
    parser = parsers.get(kind.text)
    if parser is None:
        close = nearest(kind.text, parsers)
        hint = f"did you mean `{close}`?" if close else f"known are {', '.join(parsers)}"
        cursor.fail(f"unknown pragma `{kind.text}`", hint, token=kind)
    return parser(cursor)


def parse_constraint(cursor: Cursor) -> ConstraintPragma:
    text = cursor.expression("", "a condition such as `TILE % UNROLL == 0`")
    return ConstraintPragma(expression=text, span=cursor.source.span(text.start, text.end))


def parse_model(cursor: Cursor) -> ModelPragma:
    how = "write `model time = ceildiv(n, TILE) * (40 + TILE)`"
    name = cursor.name("an objective's name", how)
    cursor.expect("=", f"after `{name.text}`", how)
    text = cursor.expression("", "an expression over parameters and sizes")
    return ModelPragma(name=name.text, expression=text, span=cursor.span(name))


def _loop(cursor: Cursor) -> AutoPragma | NestPragma:
    """`loop auto`, or directives on loops."""
    return parse_auto(cursor) if cursor.at("auto") else parse_nest(cursor)


PARSERS: dict[str, Callable[[Cursor], Pragma]] = {
    "param": lambda cursor: parse_param(cursor, (*PARAMETER_KINDS, COMPILER)),
    "constraint": parse_constraint,
    "model": parse_model,
    "kernel": parse_kernel,
    "run": parse_run,
    "loop": _loop,
    "hint": parse_hint,
}
