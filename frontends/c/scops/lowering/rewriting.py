"""Trees with some of their expressions or statements exchanged; everything keeps its place in the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tunepass.frontends.c.scops.numbers.rows import Rowed
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declaration,
    Evaluated,
    Expression,
    For,
    ForEach,
    If,
    Index,
    Items,
    Jump,
    Member,
    Name,
    Statement,
    Step,
    Unary,
    While,
)

Exchange = Callable[[Expression], Expression]


def mapped(e: Expression, exchange: Exchange) -> Expression:
    """`e` with `exchange` of every expression in it, inner ones first."""
    match e:
        case Unary() | Cast():
            e = replace(e, operand=mapped(e.operand, exchange))
        case Step():
            e = replace(e, target=mapped(e.target, exchange))
        case Rowed():
            dimensions = tuple(mapped(d, exchange) for d in e.dimensions)
            e = replace(e, left=mapped(e.left, exchange), right=mapped(e.right, exchange), dimensions=dimensions)
        case Binary():
            e = replace(e, left=mapped(e.left, exchange), right=mapped(e.right, exchange))
        case Conditional(condition, then, other):
            e = Conditional(mapped(condition, exchange), mapped(then, exchange), mapped(other, exchange))
        case Assign(op, target, value):
            e = Assign(op, mapped(target, exchange), mapped(value, exchange))
        case Index():
            e = replace(e, base=mapped(e.base, exchange), subscript=mapped(e.subscript, exchange))
        case Member():
            e = replace(e, base=mapped(e.base, exchange))
        case Call(function, arguments):
            e = replace(e, function=mapped(function, exchange), arguments=tuple(mapped(a, exchange) for a in arguments))
        case Items(parts):
            e = Items(tuple(mapped(part, exchange) for part in parts))
    return exchange(e)


def substituted(e: Expression, values: Mapping[str, Expression]) -> Expression:
    """`e` with values in the place of names."""
    return mapped(e, lambda inner: values.get(inner.text, inner) if isinstance(inner, Name) else inner)


def parts_of(e: Expression | None) -> Iterator[Expression]:
    """`e` and every expression in it."""
    found: list[Expression] = []

    def kept(inner: Expression) -> Expression:
        found.append(inner)
        return inner

    if e is not None:
        mapped(e, kept)
    yield from found


def mapped_statement(s: Statement, exchange: Exchange) -> Statement:
    """`s` with `exchange` of each of its whole expressions."""

    def maybe(e: Expression | None) -> Expression | None:
        return None if e is None else exchange(e)

    match s:
        case Evaluated() if s.expression is not None:
            return replace(s, expression=exchange(s.expression))
        case Block():
            return replace(s, statements=tuple(mapped_statement(inner, exchange) for inner in s.statements))
        case Declaration():
            return _declared(s, exchange)
        case For():
            begin = _declared(s.begin, exchange) if isinstance(s.begin, Declaration) else maybe(s.begin)
            body = mapped_statement(s.body, exchange)
            return replace(s, begin=begin, condition=maybe(s.condition), advance=maybe(s.advance), body=body)
        case ForEach():
            return replace(s, array=exchange(s.array), body=mapped_statement(s.body, exchange))
        case If():
            other = None if s.other is None else mapped_statement(s.other, exchange)
            return replace(s, condition=exchange(s.condition), then=mapped_statement(s.then, exchange), other=other)
        case While():
            return replace(s, condition=exchange(s.condition), body=mapped_statement(s.body, exchange))
        case Jump():
            return replace(s, value=maybe(s.value))
    return s


def _declared(s: Declaration, exchange: Exchange) -> Declaration:
    values = [None if d.value is None else exchange(d.value) for d in s.declarators]
    return replace(s, declarators=tuple(replace(d, value=v) for d, v in zip(s.declarators, values)))


def names_in(e: Expression | None) -> set[str]:
    return {part.text for part in parts_of(e) if isinstance(part, Name)}
