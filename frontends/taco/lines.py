"""The lines of a .taco file that are tunepass' own: parameters, extents, where numbers come from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import Source, Span
from tunepass.frontends.params.param import ParamText, parse_param
from tunepass.frontends.params.tokens import Cursor, ExpressionText, PragmaToken
from tunepass.frontends.params.values import ToleranceText, parse_tolerance
from tunepass.frontends.taco.amounts import MOST
from tunepass.frontends.taco.statements import Statement
from tunepass.ir.tensor import BoundFile, Data, Generated


@dataclass(frozen=True, slots=True)
class Extent:
    """`dim k = 64`."""

    variable: str
    extent: int
    span: Span


@dataclass(frozen=True, slots=True)
class ModelText:
    name: str
    expression: ExpressionText
    span: Span


def cursor_at(source: Source, statement: Statement) -> Cursor:
    span = (statement.span.start, statement.span.end)
    return Cursor(source, statement.text, statement.start, whole=span, unit="line", bare_words=True)


def read_param(source: Source, statement: Statement) -> ParamText:
    cursor = cursor_at(source, statement)
    param = parse_param(cursor)
    if param.flag:
        cursor.fail("`flag` is for a compiler's command line", "put such words after `--`", cursor.last)
    return param


def read_constraint(source: Source, statement: Statement) -> ExpressionText:
    return cursor_at(source, statement).expression("", "a condition such as `chunk % unroll == 0`")


def read_model(source: Source, statement: Statement) -> ModelText:
    cursor, how = cursor_at(source, statement), "write `model time = chunk + threads`"
    name = cursor.name("an objective's name", how)
    cursor.expect("=", f"after `{name.text}`", how)
    return ModelText(name.text, cursor.expression("", "an expression over the parameters"), cursor.span(name))


def read_extents(source: Source, statement: Statement) -> tuple[Extent, ...]:
    """`k = 64, j = 100`."""
    cursor, how, found = cursor_at(source, statement), "write `dim k = 64`", list[Extent]()
    while True:
        name = cursor.name("an index variable", how)
        cursor.expect("=", f"after `{name.text}`", how)
        place = cursor.next
        extent = cursor.integer("an extent")
        if not 1 <= extent <= MOST:
            cursor.fail(f"an extent is from 1 to {MOST}, got {extent}", token=place)
        found.append(Extent(name.text, extent, cursor.span(name, cursor.last)))
        if not cursor.accept(","):
            break
    cursor.finish("the extent", how)
    return tuple(found)


def read_bind(source: Source, statement: Statement) -> Data:
    cursor, how = cursor_at(source, statement), 'write `bind B = "matrix.mtx"`'
    name, place = _tensor(cursor, how)
    path = cursor.string("a file's name in quotes", how)
    if not path.strip() or not path.isprintable():
        cursor.fail("this is no file's name", how, place)
    cursor.finish("the file's name")
    return BoundFile(name.text, Path(path), cursor.span(name, cursor.last))


def read_generate(source: Source, statement: Statement) -> Data:
    cursor, how = cursor_at(source, statement), "write `generate B = mesh(rows = 20000)`"
    name, _ = _tensor(cursor, how)
    family = cursor.name("a family of tensors", how)
    cursor.expect("(", f"after `{family.text}`", how)
    arguments: dict[str, int | float] = {}
    while not cursor.at(")"):
        argument = cursor.name("an argument", how)
        cursor.expect("=", f"after `{argument.text}`", how)
        value = cursor.number("a number", how)
        if argument.text in arguments:
            cursor.fail(f"`{argument.text}` is given twice", token=argument)
        arguments[argument.text] = value
        if not cursor.accept(","):
            break
    cursor.expect(")", "after the arguments", how)
    cursor.finish("the family")
    return Generated(name.text, family.text, tuple(arguments.items()), cursor.span(name, cursor.last))


def read_tolerance(source: Source, statement: Statement) -> tuple[ToleranceText, Span]:
    cursor = cursor_at(source, statement)
    tolerance = parse_tolerance(cursor)
    cursor.finish("the tolerance")
    return tolerance, statement.span


def _tensor(cursor: Cursor, how: str) -> tuple[PragmaToken, PragmaToken]:
    """The tensor's name, and what follows its `=`."""
    name = cursor.name("a tensor", how)
    cursor.expect("=", f"after `{name.text}`", how)
    return name, cursor.next
