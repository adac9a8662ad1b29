"""Values that are affine in loop iterations: an offset and, for each loop, what one iteration adds."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.expr import algebra
from tunepass.expr.algebra import ExprLike
from tunepass.expr.nodes import Expr


@dataclass(frozen=True, slots=True)
class Linear:
    """`terms` are sorted by the loops' names, none of them 0."""

    offset: Expr
    terms: tuple[tuple[str, Expr], ...] = ()

    @staticmethod
    def of(offset: ExprLike, /, **terms: ExprLike) -> Linear:
        return Linear(algebra.lift(offset), tuple(sorted((n, algebra.lift(e)) for n, e in terms.items())))

    @property
    def constant(self) -> Expr | None:
        """Its value where no loop moves it."""
        return None if self.terms else self.offset

    @property
    def number(self) -> int | float | None:
        return None if self.terms else algebra.number(self.offset)

    @property
    def loops(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.terms)

    def coefficient(self, loop: str) -> Expr:
        return dict(self.terms).get(loop, algebra.lift(0))

    def plus(self, other: Linear) -> Linear:
        sums = dict(self.terms)
        for name, e in other.terms:
            sums[name] = algebra.add(sums[name], e) if name in sums else e
        kept = tuple(sorted((n, e) for n, e in sums.items() if algebra.number(e) != 0))
        return Linear(algebra.add(self.offset, other.offset), kept)

    def scaled(self, by: ExprLike) -> Linear:
        if algebra.number(by) == 0:
            return Linear(algebra.lift(0))
        return Linear(algebra.mul(self.offset, by), tuple((n, algebra.mul(e, by)) for n, e in self.terms))

    def minus(self, other: Linear) -> Linear:
        if self == other:
            return Linear(algebra.lift(0))
        return self.plus(Linear(algebra.sub(0, other.offset), other.scaled(-1).terms))

    def times(self, other: Linear) -> Linear | None:
        if other.constant is not None:
            return self.scaled(other.constant)
        return other.scaled(self.constant) if self.constant is not None else None

    def divided(self, by: int) -> Linear | None:
        """By a whole number that divides every iteration's step and the offset; None where it does not."""
        parts = [algebra.number(e) for _, e in self.terms]
        offset = algebra.number(self.offset)
        if not isinstance(offset, int) or not all(isinstance(p, int) and p % by == 0 for p in parts):
            return None
        if self.terms and offset % by:
            return None
        whole = tuple((n, algebra.lift(int(p or 0) // by)) for (n, _), p in zip(self.terms, parts))
        quotient = abs(offset) // abs(by) * (1 if (offset < 0) == (by < 0) else -1)
        return Linear(algebra.lift(quotient), whole)
