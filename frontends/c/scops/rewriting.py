"""Trees with some of their expressions or statements exchanged; everything keeps its place in the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tunepass.frontends.c.scops.rows import Rowed
from tunepass.frontends.cfamily.tree import (
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
    return exchange(_inside(e, lambda inner: mapped(inner, exchange)))


def _inside(e: Expression, exchange: Exchange) -> Expression:
    match e:
        case Unary():
            return replace(e, operand=exchange(e.operand))
        case Step():
            return replace(e, target=exchange(e.target))
        case Rowed():
            return replace(
                e, left=exchange(e.left), right=exchange(e.right), dimensions=tuple(exchange(d) for d in e.dimensions)
            )
        case Binary():
            return replace(e, left=exchange(e.left), right=exchange(e.right))
        case Conditional():
            return Conditional(exchange(e.condition), exchange(e.then), exchange(e.other))
        case Assign():
            return Assign(e.op, exchange(e.target), exchange(e.value))
        case Index():
            return Index(exchange(e.base), exchange(e.subscript))
        case Member():
            return replace(e, base=exchange(e.base))
        case Call():
            return Call(exchange(e.function), tuple(exchange(a) for a in e.arguments))
        case Cast():
            return replace(e, operand=exchange(e.operand))
        case Items():
            return Items(tuple(exchange(part) for part in e.parts))
    return e


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
            return replace(s, declarators=tuple(replace(d, value=maybe(d.value)) for d in s.declarators))
        case For():
            begin = mapped_statement(s.begin, exchange) if isinstance(s.begin, Declaration) else maybe(s.begin)
            assert begin is None or not isinstance(begin, (Block, Evaluated, For, ForEach, If, While, Jump))
            return replace(
                s, begin=begin, condition=maybe(s.condition), advance=maybe(s.advance),
                body=mapped_statement(s.body, exchange),
            )  # fmt: skip
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


def expressions_in(s: Statement) -> list[Expression]:
    """Every expression in `s`, those in others too."""
    found: list[Expression] = []

    def kept(e: Expression) -> Expression:
        found.extend(parts_of(e))
        return e

    mapped_statement(s, kept)
    return found


def names_in(e: Expression | None) -> set[str]:
    return {part.text for part in parts_of(e) if isinstance(part, Name)}
