"""What a node is in SMT-LIB: a number with the error that doubles may add, or a truth that such errors leave in doubt.

symbol    meaning
exact     the formula over real numbers
may       holds wherever the computed truth may be True: exact, or within rounding of it
may_not   holds wherever the computed truth may be False
error     |number computed by the readers - number of the term| is at most this, wherever both are defined

Without rounding in it, `may` is `exact` and `may_not` is its negation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.expr.smt.text import FALSE, TRUE, choice, conjunction, disjunction, negation, real


@dataclass(frozen=True, slots=True)
class Truth:
    exact: str
    may: str
    may_not: str
    is_doubtful: bool = True

    @staticmethod
    def of(text: str) -> Truth:
        """A formula without rounding in it."""
        return Truth(text, text, negation(text), is_doubtful=False)

    def __invert__(self) -> Truth:
        return Truth(negation(self.exact), self.may_not, self.may, self.is_doubtful)


ALWAYS, NEVER = Truth.of(TRUE), Truth.of(FALSE)


def all_of(parts: Sequence[Truth]) -> Truth:
    exact = conjunction(*(p.exact for p in parts))
    if not any(p.is_doubtful for p in parts):
        return Truth.of(exact)
    return Truth(exact, conjunction(*(p.may for p in parts)), disjunction(*(p.may_not for p in parts)))


def any_of(parts: Sequence[Truth]) -> Truth:
    exact = disjunction(*(p.exact for p in parts))
    if not any(p.is_doubtful for p in parts):
        return Truth.of(exact)
    may, may_not = disjunction(*(p.may for p in parts)), conjunction(*(p.may_not for p in parts))
    return Truth(exact, may, may_not)


def implies(condition: Truth, then: Truth) -> Truth:
    return any_of([~condition, then])


@dataclass(frozen=True, slots=True)
class NumberTerm:
    """A term of sort `Int` (whole numbers, and codes of strings) or `Real`, all of whose values are in [lo, hi].
    `whole`: a Real that is a whole number which a double holds."""

    text: str
    sort: str
    lo: float
    hi: float
    error: float = 0.0
    whole: bool = False

    @property
    def size(self) -> float:
        """The largest magnitude, computed or not."""
        return max(abs(self.lo), abs(self.hi)) * (1 + 2.0**-50) + self.error

    @property
    def least(self) -> float:
        """The smallest magnitude, computed or not."""
        closest = 0.0 if self.lo <= 0 <= self.hi else min(abs(self.lo), abs(self.hi))
        return max(0.0, closest * (1 - 2.0**-50) - self.error)

    @property
    def is_positive(self) -> bool:
        return self.lo - self.error > 0

    def as_real(self) -> NumberTerm:
        """An Integer beside a Real: the nearest double."""
        if self.sort == "Real":
            return self
        rounding = 0.0 if self.size <= 2.0**53 else self.size * 2.0**-53
        text = f"{self.text}.0" if self.text.isdigit() else f"(to_real {self.text})"
        return NumberTerm(text, "Real", self.lo, self.hi, self.error + rounding, whole=self.error + rounding == 0)


def compared(op: str, a: NumberTerm, b: NumberTerm) -> Truth:
    """`a op b` of two terms of one sort."""
    error = a.error + b.error
    text = f"(not (= {a.text} {b.text}))" if op == "!=" else f"({op.replace('==', '=')} {a.text} {b.text})"
    if not error:
        return Truth.of(text)
    if math.isinf(error) or math.isnan(error):
        return Truth(text, TRUE, TRUE)
    slack, x, y = real(error * (1 + 2.0**-20)), a.as_real().text, b.as_real().text
    if op in ("==", "!="):
        close = f"(and (<= (- {x} {y}) {slack}) (<= (- {y} {x}) {slack}))"
        return Truth(text, close, TRUE) if op == "==" else Truth(text, TRUE, close)
    if op in (">", ">="):
        x, y = y, x
    return Truth(text, f"(<= (- {x} {y}) {slack})", f"(<= (- {y} {x}) {slack})")


def chosen(condition: Truth, then: NumberTerm, otherwise: NumberTerm, lo: float, hi: float) -> NumberTerm:
    error = max(then.error, otherwise.error)
    if condition.is_doubtful:
        error += max(then.hi, otherwise.hi) - min(then.lo, otherwise.lo)
    text = choice(condition.exact, then.text, otherwise.text)
    return NumberTerm(text, then.sort, lo, hi, error, then.whole and otherwise.whole and not error)
