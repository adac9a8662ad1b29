"""The pragmas as written: one frozen record each, and the parser that makes them from a cursor. No name is looked up.

param NAME: KIND(VALUES) [= DEFAULT] [log] [flag] [prior(...)]
constraint EXPRESSION
model OBJECTIVE = EXPRESSION
kernel NAME(ARGUMENT, ...) [tolerance(RELATIVE[, ABSOLUTE])] [sizes(...)] [aliasing(...)] [finite(...)]
run "COMMAND" [metric "PATTERN" ...] ... (pragmas/run.py)
loop(INDEX, ...) CLAUSES (pragmas/loop.py), loop auto [CLAUSES OF run] (pragmas/auto.py)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tunepass.diagnostics import Span, nearest
from tunepass.frontends.c.pragmas.auto import AutoPragma, parse_auto
from tunepass.frontends.c.pragmas.kernel import KernelPragma, parse_kernel
from tunepass.frontends.c.pragmas.loop import LoopPragma, parse_loop
from tunepass.frontends.c.pragmas.nest import NestPragma, parse_nest
from tunepass.frontends.c.pragmas.run import RunPragma, parse_run
from tunepass.frontends.params.param import ParamText, parse_param
from tunepass.frontends.params.tokens import Cursor, ExpressionText


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintPragma:
    expression: ExpressionText
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPragma:
    name: str  # of an objective
    expression: ExpressionText
    span: Span  # of the name


Pragma = ParamText | ConstraintPragma | ModelPragma | KernelPragma | RunPragma | LoopPragma | AutoPragma | NestPragma


def parse_pragma(cursor: Cursor) -> Pragma:
    """The pragma at `cursor`; raises SourceError where it stops making sense."""
    kind = cursor.name(f"one of {', '.join(PARSERS)}")
    parser = PARSERS.get(kind.text)
    if parser is None:
        close = nearest(kind.text, PARSERS)
        hint = f"did you mean `{close}`?" if close else f"known are {', '.join(PARSERS)}"
        cursor.fail(f"unknown pragma `{kind.text}`", hint, token=kind)
    return parser(cursor)


def _constraint(cursor: Cursor) -> ConstraintPragma:
    text = cursor.expression("", "a condition such as `TILE % UNROLL == 0`")
    return ConstraintPragma(expression=text, span=cursor.source.span(text.start, text.end))


def _model(cursor: Cursor) -> ModelPragma:
    how = "write `model time = ceildiv(n, TILE) * (40 + TILE)`"
    name = cursor.name("an objective's name", how)
    cursor.expect("=", f"after `{name.text}`", how)
    text = cursor.expression("", "an expression over parameters and sizes")
    return ModelPragma(name=name.text, expression=text, span=cursor.span(name))


def _loop(cursor: Cursor) -> LoopPragma | AutoPragma | NestPragma:
    """`loop auto`, `loop(i, j) tile(...)` of a perfect nest, or `loop tile(...)` of any."""
    if cursor.at("auto"):
        return parse_auto(cursor)
    return parse_nest(cursor) if cursor.next.kind == "name" else parse_loop(cursor)


PARSERS: dict[str, Callable[[Cursor], Pragma]] = {
    "param": parse_param,
    "constraint": _constraint,
    "model": _model,
    "kernel": parse_kernel,
    "run": parse_run,
    "loop": _loop,
}
