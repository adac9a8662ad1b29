"""How far a pointer has come from where it started: sums of what loops add, in elements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce

from tunepass.frontends.c.scops.lowering.rewriting import names_in
from tunepass.frontends.c.scops.numbers.plain_text import plain_text
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Cast,
    Declaration,
    Expression,
    For,
    Items,
    Name,
    Number,
    Step,
    Unary,
)
from tunepass.frontends.cfamily.text.tokens import Token

WIDE = "long"  # what pointers are moved by does not overflow in it
MOST_TERMS = 8
Key = tuple[str, str, bool]
Term = tuple[int, tuple[Expression, ...]]


def _number(value: int) -> Expression:
    number = Number(Token("number", str(abs(value)), 0, 0))
    return number if value >= 0 else Unary(Token("op", "-", 0, 0), number)


@dataclass(frozen=True, slots=True)
class Distance:
    """The sum of `terms`, each a product of a number with expressions, and of `number`. It is right where loops whose
    trips are in `needs` run at least once."""

    terms: tuple[Term, ...] = ()
    number: int = 0
    needs: frozenset[Key] = frozenset()

    def plus(self, other: Distance) -> Distance:
        if self is NOWHERE or other is NOWHERE:
            return NOWHERE
        return _summed((*self.terms, *other.terms, (self.number + other.number, ())), self.needs | other.needs)

    def times_number(self, by: int) -> Distance:
        return Distance(tuple((f * by, parts) for f, parts in self.terms if by), self.number * by, self.needs)

    def times(self, by: Expression) -> Distance:
        return _summed([(f, (by, *parts)) for f, parts in self._all()], self.needs)

    def product(self, other: Distance) -> Distance | None:
        """None where it has too many terms."""
        pairs = [(f * g, (*a, *b)) for f, a in self._all() for g, b in other._all()]
        return None if len(pairs) > MOST_TERMS else _summed(pairs, self.needs | other.needs)

    def _all(self) -> tuple[Term, ...]:
        return (*self.terms, (self.number, ()))

    def varies_with(self, index: str) -> bool:
        return any(index in names_in(part) for _, parts in self.terms for part in parts)

    def value(self) -> tuple[Expression, str] | None:
        """As an expression and its text; None of nothing."""
        terms = [_product(factor, parts) for factor, parts in self.terms]
        if self.number or not terms:
            terms.append(_number(self.number))
        whole = reduce(lambda a, b: Binary("+", a, b), terms)
        text = plain_text(whole)
        return None if text is None or (not self.terms and not self.number) else (whole, text)


NOWHERE = Distance(((1, ()),))
"""A pointer that has not been set."""


def _summed(terms: Iterable[Term], needs: frozenset[Key]) -> Distance:
    sums: dict[tuple[str, ...], Term] = {}
    for factor, parts in terms:
        key = tuple(sorted(plain_text(part) or "" for part in parts))
        sums[key] = (sums.get(key, (0, parts))[0] + factor, parts)
    number = sums.pop((), (0, ()))[0]
    return Distance(tuple(term for term in sums.values() if term[0]), number, needs)


def _product(factor: int, parts: tuple[Expression, ...]) -> Expression:
    wide: list[Expression] = [Cast(WIDE, False, part) for part in parts]
    if factor != 1:
        wide.insert(0, _number(factor))
    return reduce(lambda a, b: Binary("*", a, b), wide)


def step_of(e: Expression) -> Distance | None:
    """What `p += e` moves `p` by; None where it is more than names, numbers, sums and products."""
    match e:
        case Number(token):
            value = literal(token.text)
            return None if value is None or token.made else Distance((), value)
        case Name(token):
            return None if token.made else Distance(((1, (e,)),))
        case Unary(op, operand) if op.text == "-":
            inner = step_of(operand)
            return inner and inner.times_number(-1)
        case Cast(_, False, operand):
            return step_of(operand)
        case Binary("+" | "-" as sign, left, right):
            a, b = step_of(left), step_of(right)
            return None if a is None or b is None else a.plus(b if sign == "+" else b.times_number(-1))
        case Binary("*", left, right):
            a, b = step_of(left), step_of(right)
            return None if a is None or b is None else a.product(b)
    return None


@dataclass(frozen=True)
class Trips:
    """The iterations of a loop over `index` from `first` by 1 or -1 up to `end`, which is one of them if `closed`."""

    index: str
    first: Expression
    end: Expression
    step: int
    closed: bool

    @property
    def key(self) -> Key:
        return plain_text(self.first) or "", plain_text(self.end) or "", self.closed

    def run(self, each: Distance) -> Distance | None:
        """How far the iterations before one at the index go; None where a macro's number would have to be written."""
        index = Name(Token("name", self.index, 0, 0))
        start = literal(self.first.token.text) if isinstance(self.first, Number) else None
        if start == 0 and self.step == 1:
            return each.times(index)
        if step_of(self.first) is None:
            return None
        moved = Binary("-", index, self.first) if self.step == 1 else Binary("-", self.first, index)
        return each.times(moved)

    def whole(self, each: Distance) -> Distance | None:
        """How far all iterations go; None where it cannot be said."""
        if not each.terms and not each.number:
            return Distance()
        low, high = (self.first, self.end) if self.step == 1 else (self.end, self.first)
        ends = [literal(e.token.text) if isinstance(e, Number) else None for e in (low, high)]
        if ends[0] is not None and ends[1] is not None:
            return each.times_number(max(0, ends[1] - ends[0] + self.closed))
        top, bottom = step_of(high), step_of(low)
        if top is None or bottom is None:
            return None
        total = top.plus(bottom.times_number(-1)).plus(Distance((), int(self.closed))).product(each)
        return None if total is None else replace(total, needs=total.needs | {self.key})


def trips_of(s: For) -> Trips | None:
    """Of a loop that steps one index by 1 or -1; None of another."""
    begin = s.begin
    if isinstance(begin, Declaration) and len(begin.declarators) == 1 and begin.declarators[0].value is not None:
        index, first = begin.declarators[0].name.text, begin.declarators[0].value
    elif isinstance(begin, Assign) and begin.op == "=" and isinstance(begin.target, Name):
        index, first = begin.target.text, begin.value
    else:
        return None
    parts = s.advance.parts if isinstance(s.advance, Items) else (s.advance,)
    steps = [part.op.text for part in parts if isinstance(part, Step) and _is(part.target, index)]
    if len(steps) != 1 or sum(part is not None and index in names_in(part) for part in parts) != 1:
        return None
    match s.condition:
        case Binary("<" | "<=" | ">" | ">=" | "!=" as op, left, end) if _is(left, index):
            step = 1 if steps[0] == "++" else -1
            fits = op == "!=" or (op[0] == "<") == (step == 1)
            plain = plain_text(first) is not None and plain_text(end) is not None
            return Trips(index, first, end, step, op.endswith("=") and op != "!=") if fits and plain else None
    return None


def _is(e: Expression, name: str) -> bool:
    return isinstance(e, Name) and e.text == name
