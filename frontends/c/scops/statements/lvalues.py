"""Which variable an lvalue belongs to, and how it is subscripted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.frontends.cfamily.syntax.tree import (
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Index,
    Member,
    Name,
    Number,
    Step,
    Unary,
)
from tunepass.frontends.cfamily.text.tokens import Token


class RowIndex(Index):
    """An element through a pointer to a row of an array of arrays, written as the array's own."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Lvalue:
    root: Name
    subscripts: tuple[Expression, ...]
    whole: bool = True  # not a member of it only
    far: bool = False  # reached through a pointer that is a member
    row: bool = False  # its last subscript may leave the row


def resolve(e: Expression) -> Lvalue | None:
    """The variable that an lvalue belongs to, and how it is subscripted; None where that is computed."""
    match e:
        case Name():
            return Lvalue(e, ())
        case Index(base, subscript):
            inner = resolve(base)
            if inner is None:
                return None
            if not inner.whole:
                return Lvalue(inner.root, inner.subscripts, False, True)
            return Lvalue(inner.root, (*inner.subscripts, subscript), row=inner.row or isinstance(e, RowIndex))
        case Unary(op, operand) if op.text == "*":
            inner, offset = pointer_of(operand)
            subscript = offset or _zero(op)
            return Lvalue(inner.root, (*inner.subscripts, subscript), row=inner.row) if inner and inner.whole else None
        case Member(base, _, arrow):
            inner = resolve(base)
            if inner is None:
                return None
            if arrow:
                if not inner.whole:
                    return Lvalue(inner.root, inner.subscripts, False, True)
                return Lvalue(inner.root, (*inner.subscripts, _zero(e.name)), False)
            return Lvalue(inner.root, inner.subscripts, False, inner.far)
    return None


def pointer_of(e: Expression) -> tuple[Lvalue | None, Expression | None]:
    """`p + i + j` as the lvalue that holds the pointer, and what is added to it."""
    if not isinstance(e, Binary) or e.op not in ("+", "-"):
        return resolve(e), None
    inner, offset = pointer_of(e.left)
    if offset is None and e.op == "+":
        return inner, e.right
    return (inner, Binary(e.op, offset, e.right)) if offset is not None else (None, None)


def _zero(token: Token) -> Number:
    """The subscript of `*p` and `p->x`."""
    return Number(Token("number", "0", token.start, token.end, True))


def parts_around(e: Expression) -> Iterator[Expression]:
    match e:
        case Index(base, subscript):
            yield base
            yield subscript
        case Member(base, _, _):
            yield base
        case Unary(_, operand):
            yield operand
        case Cast(_, _, operand):
            yield operand
        case Step(_, target):
            yield target
        case Conditional(a, b, c):
            yield from (a, b, c)
        case Binary(_, a, b):
            yield from (a, b)
        case Call():
            yield e
