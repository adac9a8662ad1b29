"""Associative updates, whose order is free but for rounding: `x += e`, `x = e * x`, `x = x > e ? x : e`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.numbers.pure_functions import PURE
from tunepass.frontends.c.scops.statements.effects import Effects, LvalueEffect
from tunepass.frontends.c.scops.statements.lvalues import resolve
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
    Index,
    Member,
    Name,
    Number,
    Statement,
    Step,
    Unary,
)
from tunepass.frontends.cfamily.text.tokens import Token

OPERATOR_OF = {"+=": "+", "-=": "+", "*=": "*"}
KEEPS_LEFT = {"+": ("+", "-"), "*": ("*",)}  # operators that keep what is on their left in the sum, in the product

SUBTRACTED = Token("op", "-", 0, 0, True)


@dataclass(frozen=True, slots=True)
class Update:
    """`effect` is where in `Effects.found` the element stands that is read and written."""

    operator: str
    effect: int


def updated(s: Statement, effects: Effects) -> Update | None:
    """Whether the statement is one update; the read of its element in `effects` becomes one with the write."""
    if not isinstance(s, Evaluated) or not effects.found or not effects.found[-1].written:
        return None
    match s.expression:
        case Assign(op, _, _) if op in OPERATOR_OF:
            return Update(OPERATOR_OF[op], len(effects.found) - 1)
        case Step():
            return Update("+", len(effects.found) - 1)
        case Assign("=", target, value):
            own = key(target)
            for operator in ("+", "*"):
                if own is not None and _is_once(own, list(_operands(value, operator))):
                    return _merged(effects, operator, 1)
            extreme = _extreme(value)
            if own is not None and extreme is not None and [key(e) for e in extreme.operands].count(own) == 1:
                return _merged(effects, extreme.operator, extreme.reads)
    return None


def effects_of(s: Statement) -> tuple[Effects, tuple[Update, ...]]:
    """What the statement reads and writes, and the updates that it is, or that a block is made of. Scalars that it sets
    before it reads them are not read."""
    if not isinstance(s, Block):
        effects = Effects.of(s)
        update = updated(s, effects)
        return effects, (update,) if update else ()
    effects, updates = Effects(), list[Update]()
    effects.scopes.append({})
    for inner in s.statements:
        before, effects.found = effects.found, []
        effects.declaration(inner) if isinstance(inner, Declaration) else effects.statement(inner)
        update = updated(inner, effects) if _reaches(inner, effects) else None
        updates += [Update(update.operator, len(before) + update.effect)] if update else []
        effects.found = [*before, *effects.found]
    return _exposed(effects, updates)


def _reaches(s: Statement, effects: Effects) -> bool:
    """Is what it assigns the last effect, and no variable of the block's own?"""
    match s:
        case Evaluated(expression=Assign(_, target, _) | Step(_, target)):
            lvalue = resolve(target)
            return lvalue is not None and bool(effects.found) and effects.found[-1].root.text == lvalue.root.text
    return False


def _exposed(effects: Effects, updates: list[Update]) -> tuple[Effects, tuple[Update, ...]]:
    """Without reads of scalars that hold what the statement itself has written."""
    operators = {update.effect: update.operator for update in updates}
    found: list[LvalueEffect] = []
    kept: list[Update] = []
    known: set[str] = set()  # scalars that are set by now
    for position, effect in enumerate(effects.found):
        scalar = not effect.subscripts
        if scalar and effect.root.text in known:
            found += [replace(effect, read=False)] if effect.written else []
            continue
        if position in operators:
            kept.append(Update(operators[position], len(found)))
        found.append(effect)
        if scalar and effect.written and effect.whole and effect.certain and not effect.read:
            known.add(effect.root.text)
    effects.found = found
    return effects, tuple(kept)


@dataclass(frozen=True, slots=True)
class Extreme:
    """The larger or the smaller of two; each operand is read `reads` times."""

    operator: str
    operands: tuple[Expression, Expression]
    reads: int


def _extreme(e: Expression) -> Extreme | None:
    """`a > b ? a : b`, `a > b ? b : a`, `fmax(a, b)`."""
    match e:
        case Call(Name() as function, (a, b)) if function.text.rstrip("fl") in ("max", "min", "fmax", "fmin"):
            return Extreme("max" if "max" in function.text else "min", (a, b), 1) if function.text in PURE else None
        case Conditional(Binary("<" | "<=" | ">" | ">=" as op, a, b), then, other):
            left, right = key(a), key(b)
            if None in (left, right) or {left, right} != {key(then), key(other)} or left == right:
                return None
            return Extreme("max" if (op[0] == ">") == (key(then) == left) else "min", (a, b), 2)
    return None


def _is_once(own: Hashable, operands: list[Expression]) -> bool:
    return len(operands) > 1 and [key(e) for e in operands].count(own) == 1


def _operands(e: Expression, operator: str) -> Iterator[Expression]:
    """The terms of a sum or the factors of a product; what is subtracted comes as its negative."""
    while isinstance(e, Binary) and e.op in KEEPS_LEFT[operator]:
        yield e.right if e.op == operator else Unary(SUBTRACTED, e.right)
        e = e.left
    yield e


def _merged(effects: Effects, operator: str, reads: int) -> Update | None:
    """The reads of the element are dropped: the write, which is last, reads it. There are no more than `reads`."""
    write = effects.found[-1]
    own = (write.root.text, tuple(key(e) for e in write.subscripts))
    others = [e for e in effects.found[:-1] if (e.root.text, tuple(key(s) for s in e.subscripts)) != own]
    if len(others) + 1 + reads != len(effects.found):
        return None
    effects.found[:] = [*others, replace(write, read=True)]
    return Update(operator, len(others))


def key(e: Expression) -> Hashable:
    """Equal for equal code without effects; None of any other."""
    match e:
        case Name(token) | Number(token):
            return token.text
        case Index(base, subscript):
            parts = (key(base), key(subscript))
            return None if None in parts else ("[]", *parts)
        case Member(base, name, arrow):
            inner = key(base)
            return None if inner is None else (name.text, arrow, inner)
        case Conditional(a, b, c):
            parts3 = (key(a), key(b), key(c))
            return None if None in parts3 else ("?", *parts3)
        case Unary(op, operand):
            inner = key(operand)
            return None if inner is None else (op.text, inner)
        case Cast(type_, pointer, operand):
            inner = key(operand)
            return None if inner is None else (type_, pointer, inner)
        case Binary(op, left, right):
            parts = (key(left), key(right))
            return None if None in parts else (op, *parts)
    return None
