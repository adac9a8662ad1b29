"""Reduction of long integers by arithmetic before a search: fewer of them, and only remainders that fit.

    a rule          where                          becomes
    divisor         n % v == 0, n a number or       one of the listed divisors of n
                    of few values
    factor          a product with v equals n > 0  v is one of the listed divisors of n
    quotient        v % d == 0                     v = d * k, with k in place of v
    equation        c v + rest == 0                v = -rest / c, without v; where |c| > 1, rest % c == 0
    isolation       an equation has the real v     v = what the inverse operations give, without v; the sign of
                    once, or once squared          a root is a new listed parameter
    remainder       v only in `polynomial % m`     v = m q + r, with r listed (0..m-1) and q in place of v

Each keeps the feasible assignments one to one, so that what is drawn uniformly of the new parameters is uniform. Ranges
and steps of what is replaced become constraints. Nothing here has to be trusted: rows are checked against the
constraints as they were written.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, Binary, Compare, Constant, Expr, IntegerType, Name, Unary, free_names, walk
from tunepass.space.feasible.diagram.terms import conjuncts
from tunepass.space.feasible.reduction.isolation import isolated
from tunepass.space.parameter import Integer, Ordinal, Parameter, Real

MOST_REMAINDERS = 1 << 21  # values of a remainder that is listed
MOST_TRIED = 1 << 24  # divisors tried of all values of a number or a parameter that others divide
MOST_NODES = 1000  # of all constraints together: a replacement that makes them longer is not made


@dataclass(slots=True)
class Reduction:
    """The problem as it is after the rules: `long` are the names of parameters that are not listed; `solved` gives the
    replaced ones in terms of the others."""

    parameters: dict[str, Parameter]
    long: set[str]
    constraints: list[Expr]
    solved: dict[str, Expr] = field(default_factory=dict)

    @classmethod
    def of(cls, parameters: Sequence[Parameter], long: Set[str], expressions: Sequence[Expr]) -> Reduction:
        """All rules applied. A rule that does not apply leaves everything as it is."""
        constraints = [part for e in expressions for part in conjuncts(e)]
        reduction = cls({p.name: p for p in parameters}, set(long), constraints)
        while (
            reduction._divisor()
            or reduction._factor()
            or reduction._quotient()
            or reduction._equation()
            or reduction._real_equation()
        ):
            pass
        reduction._remainders()
        reduction.constraints = [c for c in reduction.constraints if not (isinstance(c, Constant) and c.value)]
        return reduction

    @property
    def impossible(self) -> bool:
        """Is a constraint false whatever the parameters are?"""
        return any(isinstance(c, Constant) for c in self.constraints)

    # -- rules

    def _divisor(self) -> bool:
        for c in self.constraints:
            match c:
                case Compare((Binary("%", whole, Name(name)), Constant(0)), ("==",)) if self._is_long(name):
                    v, numbers = self.parameters[name], self._few(whole)
                    if self._list_divisors(v, numbers):
                        return True
        return False

    def _factor(self) -> bool:
        for c in self.constraints:
            match c:
                case Compare((product, Constant(int() as n)), ("==",)) | Compare(
                    (Constant(int() as n), product), ("==",)
                ):
                    numbers = self._few(algebra.lift(n))
                    names = [e.name for e in _factors(product) if isinstance(e, Name) and self._is_long(e.name)]
                    if len(_factors(product)) > 1 and any(
                        self._list_divisors(self.parameters[name], numbers) for name in names
                    ):
                        return True
        return False

    def _list_divisors(self, v: Parameter, numbers: Sequence[int]) -> bool:
        """`v` becomes one of the divisors of `numbers`; False where it may be negative, or no divisor is one of its
        values."""
        if not isinstance(v, Integer) or v.lo < 0:
            return False
        values = sorted({d for number in numbers for d in divisors(number) if v.admits(d)})
        if not values:
            return False
        self.parameters[v.name] = Ordinal(v.name, values, prior=v.prior)
        self.long.discard(v.name)
        return True

    def _quotient(self) -> bool:
        for c in self.constraints:
            match c:
                case Compare((Binary("%", Name(name), divisor), Constant(0)), ("==",)) if self._is_long(name):
                    ends = self._ends(divisor)
                    v = self.parameters[name]
                    if ends is None or ends[0] < 0 or ends[1] < 1 or not isinstance(v, Integer):
                        continue
                    numbers = [end // d for d in (max(1, ends[0]), ends[1]) for end in (v.lo + d - 1, v.hi)]
                    quotient = self._new(f"{name}_quotient", min(numbers), max(numbers))
                    value, positive = algebra.mul(divisor, _name(quotient)), algebra.compare(divisor, ">=", 1)
                    if name not in free_names(divisor) and self._replace(v, value, c, positive, new=quotient):
                        return True
        return False

    def _equation(self) -> bool:
        for c in self.constraints:
            if not (isinstance(c, Compare) and c.ops == ("==",) and _whole(c.operands)):
                continue
            terms = [*_terms(c.operands[0], 1), *_terms(c.operands[1], -1)]
            for name, factor in sorted(self._unknowns(terms), key=lambda u: (abs(u[1]), -self._size(u[0]))):
                sign = 1 if factor > 0 else -1
                rest = algebra.add(*(algebra.mul(-sign * f, e) for f, e in terms if e != Name(name, INTEGER)))
                value = rest if abs(factor) == 1 else algebra.floordiv(rest, abs(factor))
                v = self.parameters[name]
                assert isinstance(v, Integer)
                if self._replace(v, value, c, _divides(abs(factor), rest)):
                    return True
        return False

    def _real_equation(self) -> bool:
        for c in self.constraints:
            if not (isinstance(c, Compare) and c.ops == ("==",)):
                continue
            read = [node.name for node in _occurrences(c) if isinstance(node, Name)]
            for name in read:
                v = self.parameters.get(name)
                if name not in self.long or not isinstance(v, Real) or read.count(name) > 1:
                    continue
                sign = Ordinal(self._unused(f"{name}_sign"), [1, -1] if v.lo < 0 else [1])
                value = isolated(c, name, Name(sign.name, INTEGER))
                if value is not None and self._replace(v, value, c):
                    self.parameters |= {sign.name: sign} if sign.name in free_names(value) else {}
                    return True
        return False

    def _remainders(self) -> None:
        for name in sorted(self.long):
            v = self.parameters[name]
            if not isinstance(v, Integer):
                continue
            lattice = [_divides(v.step, algebra.sub(Name(name, INTEGER), v.lo))] if v.step > 1 else []
            constraints = [*self.constraints, *lattice]
            periods = [period(c, name) if name in free_names(c) else 0 for c in constraints]
            modulus = math.lcm(*(p for p in periods if p))
            if not 1 < modulus <= min(MOST_REMAINDERS, v.size):
                continue
            remainder = self._new(f"{name}_remainder", 0, modulus - 1)
            quotient = self._new(f"{name}_quotient", v.lo // modulus, v.hi // modulus)
            value = algebra.add(algebra.mul(modulus, _name(quotient)), _name(remainder))
            self.constraints = [
                algebra.substitute(c, {name: _name(remainder) if p else value}) for c, p in zip(constraints, periods)
            ]
            self.constraints += [algebra.compare(v.lo, "<=", value), algebra.compare(value, "<=", v.hi)]
            self._solve(name, value, remainder, quotient)
            self.long.discard(remainder.name)

    # -- within

    def _is_long(self, name: str) -> bool:
        return name in self.long and isinstance(self.parameters[name], Integer)

    def _size(self, name: str) -> int:
        return self.parameters[name].size or 0

    def _unknowns(self, terms: Sequence[tuple[int, Expr]]) -> list[tuple[str, int]]:
        """Long integers that are a term alone and in no other, with their factors."""
        alone = [(e.name, f) for f, e in terms if isinstance(e, Name) and self._is_long(e.name)]
        read = [name for _, e in terms for name in free_names(e)]
        return [(name, f) for name, f in alone if read.count(name) == 1]

    def _few(self, e: Expr) -> list[int]:
        """The values of a number or of a listed parameter, where finding the divisors of all of them is little work."""
        listed = self.parameters.get(e.name) if isinstance(e, Name) else None
        values = [e.value] if isinstance(e, Constant) else list(listed.domain) if isinstance(listed, Ordinal) else []
        numbers = [v for v in values if isinstance(v, int) and v > 0]
        little = len(numbers) == len(values) and sum(map(math.isqrt, numbers)) <= MOST_TRIED
        return numbers if little else []

    def _ends(self, e: Expr) -> tuple[int, int] | None:
        """The least and the largest value of a whole number, a parameter, or a product of what is not negative."""
        match e:
            case Constant(int() as value):
                return value, value
            case Name(name, IntegerType()):
                lo, hi = self.parameters[name].ends()
                return int(lo), int(hi)
            case Binary("*", left, right, IntegerType()):
                a, b = self._ends(left), self._ends(right)
                return (a[0] * b[0], a[1] * b[1]) if a and b and min(*a, *b) >= 0 else None
        return None

    def _replace(
        self, v: Integer | Real, value: Expr, instead_of: Expr, *more: Expr, new: Integer | None = None
    ) -> bool:
        """`v` is `value` from now on, which says all that `instead_of` did; False where that is too long."""
        added = [algebra.compare(v.lo, "<=", value), algebra.compare(value, "<=", v.hi), *more]
        if isinstance(v, Integer) and v.step > 1:
            added.append(_divides(v.step, algebra.sub(value, v.lo)))
        others = (c for c in self.constraints if c is not instead_of)
        constraints = [*(algebra.substitute(c, {v.name: value}) for c in others), *added]
        if sum(1 for c in constraints for _ in walk(c)) > MOST_NODES:
            return False
        self.constraints = constraints
        self._solve(v.name, value, *([] if new is None else [new]))
        return True

    def _solve(self, name: str, value: Expr, *new: Integer) -> None:
        self.solved = {n: algebra.substitute(e, {name: value}) for n, e in self.solved.items()}
        self.solved[name] = value
        del self.parameters[name]
        self.long.discard(name)
        self.parameters |= {p.name: p for p in new}
        self.long |= {p.name for p in new}

    def _new(self, name: str, lo: int, hi: int) -> Integer:
        return Integer(self._unused(name), lo, hi)

    def _unused(self, name: str) -> str:
        while name in self.parameters or name in self.solved:
            name += "_"
        return name


def divisors(number: int) -> list[int]:
    """All of them, of a number above 0."""
    low = np.arange(1, math.isqrt(number) + 1)
    low = low[number % low == 0]
    return [*low.tolist(), *(number // low).tolist()]


def period(e: Expr, name: str) -> int:
    """An m such that `e` depends on the whole number `name` only by its remainder by m; 0 if none is seen."""
    if name not in free_names(e):
        return 1
    match e:
        case Binary("%", left, Constant(int() as modulus), IntegerType()) if modulus > 0:
            inner = _polynomial_period(left, name)
            return math.lcm(inner, modulus) if inner else 0
        case Name():
            return 0
    periods = [period(child, name) for child in e.children]
    return math.lcm(*periods) if all(periods) else 0


def _polynomial_period(e: Expr, name: str) -> int:
    """The same for `e` before a remainder is taken: sums and products carry it through."""
    match e:
        case Name():
            return 1
        case Binary("+" | "-" | "*", left, right, IntegerType()):
            parts = (_polynomial_period(left, name), _polynomial_period(right, name))
            return math.lcm(*parts) if all(parts) else 0
        case Unary("-", operand, IntegerType()):
            return _polynomial_period(operand, name)
    return period(e, name)


def _terms(e: Expr, factor: int) -> Iterator[tuple[int, Expr]]:
    """The terms of a sum, each with a whole factor."""
    match e:
        case Binary("+" | "-" as op, left, right):
            yield from _terms(left, factor)
            yield from _terms(right, factor if op == "+" else -factor)
        case Unary("-", operand):
            yield from _terms(operand, -factor)
        case Binary("*", Constant(int() as number), other) | Binary("*", other, Constant(int() as number)):
            yield from _terms(other, factor * number)
        case Constant(int() as number):
            yield factor * number, algebra.lift(1)
        case _:
            yield factor, e


def _occurrences(e: Expr) -> Iterator[Expr]:
    """Every node as often as it is written; what is squared once."""
    stack = [e]
    while stack:
        node = stack.pop()
        yield node
        squared = isinstance(node, Binary) and node.op == "*" and node.left == node.right
        stack.extend(node.children[:1] if squared else node.children)


def _factors(e: Expr) -> list[Expr]:
    """The factors of a product of whole numbers; another expression alone."""
    if isinstance(e, Binary) and e.op == "*" and isinstance(e.type, IntegerType):
        return [*_factors(e.left), *_factors(e.right)]
    return [e]


def _divides(divisor: int, e: Expr) -> Expr:
    return algebra.compare(algebra.mod(e, divisor), "==", 0)


def _whole(operands: Sequence[Expr]) -> bool:
    return all(isinstance(o.type, IntegerType) for o in operands)


def _name(p: Integer) -> Name:
    return Name(p.name, INTEGER)
