"""The parts of expressions and statements in the order of the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from tunepass.frontends.cfamily.tokens import Token
from tunepass.frontends.cfamily.tree import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declaration,
    Expression,
    For,
    ForEach,
    If,
    Index,
    Items,
    Member,
    Name,
    Statement,
    Step,
    Unary,
    While,
)


def parts(e: Expression) -> tuple[Expression, ...]:
    """Those that it is made of directly. Statements of lambdas are none."""
    match e:
        case Unary() | Cast():
            return (e.operand,)
        case Step():
            return (e.target,)
        case Binary():
            return (e.left, e.right)
        case Conditional():
            return (e.condition, e.then, e.other)
        case Assign():
            return (e.target, e.value)
        case Index():
            return (e.base, e.subscript)
        case Member():
            return (e.base,)
        case Call():
            return (e.function, *e.arguments)
        case Items():
            return e.parts
    return ()


def in_order(e: Expression) -> Iterator[Expression]:
    """All expressions of it; a binary one between its sides, others before their parts."""
    if isinstance(e, Binary):
        yield from in_order(e.left)
        yield e
        yield from in_order(e.right)
        return
    yield e
    for part in parts(e):
        yield from in_order(part)


def names(e: Expression) -> Iterator[str]:
    return (part.text for part in in_order(e) if isinstance(part, Name))


def same(one: object, other: object) -> bool:
    """Whether two expressions have the same words, wherever they stand."""
    if isinstance(one, Token) and isinstance(other, Token):
        return one.text == other.text
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is not type(other):
        return False
    if not isinstance(one, Expression):
        return one == other
    return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))


def declarations_in(statement: Statement | None) -> Iterator[Declaration]:
    """All of a statement and those in it, in the order of the text."""
    match statement:
        case Declaration():
            yield statement
        case Block():
            for inner in statement.statements:
                yield from declarations_in(inner)
        case For():
            if isinstance(statement.begin, Declaration):
                yield statement.begin
            yield from declarations_in(statement.body)
        case ForEach() | While():
            yield from declarations_in(statement.body)
        case If():
            yield from declarations_in(statement.then)
            yield from declarations_in(statement.other)
