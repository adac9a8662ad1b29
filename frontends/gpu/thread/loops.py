"""How often a loop's text is there after unrolling: from its head and its `#pragma unroll`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.constants.values import Values
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Call,
    Declaration,
    Expression,
    For,
    Items,
    Member,
    Name,
    Number,
    Step,
    SyntaxFault,
)
from tunepass.frontends.cfamily.syntax.walk import same
from tunepass.frontends.cfamily.text.tokens import Token

NONE = algebra.lift(0)
UNROLLED = 16  # trips up to which nvcc unrolls a loop that no pragma speaks of
SIGNS = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}  # and the same with the sides exchanged


@dataclass(frozen=True, slots=True)
class Repeats:
    """`merged`: no loop is left. `whole`: 1 where the copies are all trips. `free`: neither a pragma nor trips that are
    known say anything."""

    copies: Expr
    whole: Expr = NONE
    merged: bool = False
    free: bool = False


@dataclass(frozen=True, slots=True)
class ForHead:
    """`for (variable = start; variable sign stop; variable op step)`."""

    variable: str
    start: Expression
    sign: str
    stop: Expression
    op: str  # +=, -=, /=, >>= and the like
    step: Expression


def repeats(values: Values, head: ForHead | None, unroll: Sequence[Token] | None) -> Repeats:
    """`head` is None for a loop that is not counted; `unroll` the words after `#pragma unroll`, None where there is
    none."""
    count, strided = (None, False) if head is None else trips(values, head)
    factor = _factor(values, unroll) if unroll else None
    if count is None:
        return Repeats(factor or algebra.lift(1), free=unroll is None)
    if unroll is None:
        few = algebra.compare(count, "<=", UNROLLED)
        left = algebra.minimum(count, UNROLLED) if strided else 1
        whole = algebra.lift(0) if strided else algebra.where(few, 1, 0)
        return Repeats(algebra.where(few, count, left), whole)
    if not unroll:
        return Repeats(count, merged=True)
    if factor is None:
        return Repeats(algebra.lift(1))
    return Repeats(algebra.minimum(factor, count), algebra.where(algebra.compare(factor, ">=", count), 1, 0))


def _factor(values: Values, words: Sequence[Token]) -> Expr | None:
    try:
        return values.number(parse_expression(words))
    except SyntaxFault:
        return None


def head_of(loop: For) -> ForHead | None:
    """None where its trips are not counted by one variable."""
    condition = loop.condition
    if not isinstance(condition, Binary) or condition.op not in SIGNS:
        return None
    either = (
        (condition.left, condition.op, condition.right),
        (condition.right, SIGNS[condition.op], condition.left),
    )
    for name, sign, stop in either:
        if isinstance(name, Name):
            start, advance = _start(loop.begin, name.text), _advance(loop.advance, name.text)
            if start is not None and advance is not None:
                return ForHead(name.text, start, sign, stop, *advance)
    return None


def _start(begin: Declaration | Expression | None, variable: str) -> Expression | None:
    if isinstance(begin, Declaration):
        return next((d.value for d in begin.declarators if d.name.text == variable), None)
    several = begin.parts if isinstance(begin, Items) else (begin,)
    assigned = (e for e in several if isinstance(e, Assign) and e.op == "=")
    return next((e.value for e in assigned if isinstance(e.target, Name) and e.target.text == variable), None)


def _advance(e: Expression | None, variable: str) -> tuple[str, Expression] | None:
    match e:
        case Items():
            return next((found for part in e.parts if (found := _advance(part, variable)) is not None), None)
        case Step(op=op, target=Name() as name) if name.text == variable:
            one = Number(Token("number", "1", op.start, op.start))
            return f"{op.text[0]}=", one
        case Assign(op="=", target=Name() as name, value=Binary() as value) if name.text == variable:
            if isinstance(value.left, Name) and value.left.text == variable:
                return f"{value.op}=", value.right
        case Assign(op=op, target=Name() as name, value=value) if name.text == variable and op != "=":
            return op, value
    return None


def trips(values: Values, head: ForHead) -> tuple[Expr | None, bool]:
    """None where they are not over the parameters alone. A loop that begins at the thread's number is `strided`: its
    trips are those of the first thread."""
    if head.op in ("/=", ">>="):
        first = values.number(head.start)
        return (None if first is None else algebra.add(1, algebra.apply("floor", algebra.apply("log2", first)))), False
    if head.op not in ("+=", "-="):
        return None, False
    strided = head.op == "+=" and _is_thread(head.start)
    start = Number(Token("number", "0", 0, 0)) if strided else head.start
    stop = head.stop
    if head.sign in (">", ">="):
        start, stop = stop, start
    distance, by = _distance(values, start, stop), values.number(head.step)
    if distance is None or by is None:
        return None, False
    inclusive = head.sign in ("<=", ">=")
    return algebra.ceildiv(algebra.add(distance, 1) if inclusive else distance, by), strided


def _is_thread(e: Expression) -> bool:
    """Does it begin with the thread's number?"""
    while isinstance(e, Binary):
        e = e.left
    if isinstance(e, Member):
        return isinstance(e.base, Name) and e.base.text == "threadIdx"
    return isinstance(e, Call) and isinstance(e.function, Name) and e.function.text == "get_local_id"


def _distance(values: Values, start: Expression, stop: Expression) -> Expr | None:
    """`x + 4` is 4 from `x`, whatever `x` is."""
    first, last = values.number(start), values.number(stop)
    if first is not None and last is not None:
        return algebra.sub(last, first)
    if isinstance(stop, Binary) and stop.op == "+":
        if same(stop.left, start):
            return values.number(stop.right)
        left, right = _distance(values, start, stop.left), values.number(stop.right)
        return None if left is None or right is None else algebra.add(left, right)
    return None
