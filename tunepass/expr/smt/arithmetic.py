"""Arithmetic in SMT-LIB, term by term: Python's operators where those of SMT-LIB mean something else.

A rule takes the operands as terms of one sort, and the ends of the result; it gives the term, its error where doubles
round, and when it has a value. `ulp` is half a unit in the last place, relative: what one operation on doubles is off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tunepass.expr.smt.terms import ALWAYS, NumberTerm, Truth, all_of, any_of, compared, implies
from tunepass.expr.smt.text import choice, integer, real

ulp, TINY = 2.0**-53, 2.0**-1000
WHOLE = 2.0**53  # whole doubles up to here are exact
LIBM = 2.0**-49
POWERS = 63  # the largest exponent of an integer beyond -1, 0 and 1 that may fit 64 bits


@dataclass(frozen=True, slots=True)
class Ends:
    """All values of the result are in [lo, hi]."""

    lo: float
    hi: float

    @property
    def size(self) -> float:
        return max(abs(self.lo), abs(self.hi))


Result = tuple[NumberTerm, Truth]
Rule = Callable[[Sequence[NumberTerm], Ends], Result]


def whole(value: int) -> NumberTerm:
    return NumberTerm(integer(value), "Int", float(value), float(value))


def _zero(like: NumberTerm) -> NumberTerm:
    return NumberTerm("0" if like.sort == "Int" else "0.0", like.sort, 0.0, 0.0)


def _made(text: str, like: NumberTerm, ends: Ends, error: float, rounds: bool = True) -> NumberTerm:
    """A result of the sort of `like`: `error` is what its operands' errors come to, before it is rounded itself."""
    exact = error == 0 and (not rounds or ends.size <= WHOLE)
    if like.sort == "Real" and not (exact and like.whole):
        error += ends.size * (1 + 2.0**-40) * ulp + error * ulp + TINY if rounds else 0.0
    if math.isnan(error):
        error = math.inf
    return NumberTerm(text, like.sort, ends.lo, ends.hi, error, like.whole and error == 0)


def _both_whole(a: NumberTerm, b: NumberTerm) -> NumberTerm:
    return a if not a.whole or b.whole else b


def _sum(op: str) -> Rule:
    def rule(x: Sequence[NumberTerm], ends: Ends) -> Result:
        a, b = x
        return _made(f"({op} {a.text} {b.text})", _both_whole(a, b), ends, a.error + b.error), ALWAYS

    return rule


def _product(x: Sequence[NumberTerm], ends: Ends) -> Result:
    a, b = x
    error = _scaled(a.size, b.error) + _scaled(b.size, a.error)
    return _made(f"(* {a.text} {b.text})", _both_whole(a, b), ends, error), ALWAYS


def _scaled(size: float, error: float) -> float:
    return size * error if error else 0.0


def _negative(x: Sequence[NumberTerm], ends: Ends) -> Result:
    return _made(f"(- {x[0].text})", x[0], ends, x[0].error, rounds=False), ALWAYS


def _absolute(x: Sequence[NumberTerm], ends: Ends) -> Result:
    a = x[0]
    if a.lo >= 0:
        return a, ALWAYS
    zero = _zero(a).text
    return _made(f"(ite (< {a.text} {zero}) (- {a.text}) {a.text})", a, ends, a.error, rounds=False), ALWAYS


def _extreme(op: str) -> Rule:
    """Of two; the first where that is certain."""

    def rule(x: Sequence[NumberTerm], ends: Ends) -> Result:
        a, b = x
        if (a.hi <= b.lo if op == "<=" else a.lo >= b.hi) and not a.error and not b.error:
            return a, ALWAYS
        text = choice(f"({op} {a.text} {b.text})", a.text, b.text)
        return _made(text, _both_whole(a, b), ends, max(a.error, b.error), rounds=False), ALWAYS

    return rule


def _divisor(b: NumberTerm) -> Truth:
    return ALWAYS if b.is_positive or b.hi + b.error < 0 else compared("!=", b, _zero(b))


def _quotient(x: Sequence[NumberTerm], ends: Ends) -> Result:
    a, b = x
    least = max(b.least, 1.0) if b.whole else b.least  # where it has a value, a whole divisor is 1 or more
    if least and a.size / least < ends.size:
        ends = Ends(max(ends.lo, -a.size / least), min(ends.hi, a.size / least))
    sort = NumberTerm("", "Real", ends.lo, ends.hi)  # no whole number
    return _made(f"(/ {a.text} {b.text})", sort, ends, _quotient_error(a, b, ends)), _divisor(b)


def _floor_text(a: NumberTerm, b: NumberTerm) -> str:
    """The largest whole number that is no larger than a / b; `div` rounds so where b > 0."""
    if a.sort == "Real":
        return f"(to_int (/ {a.text} {b.text}))"
    if b.is_positive:
        return f"(div {a.text} {b.text})"
    return f"(ite (> {b.text} 0) (div {a.text} {b.text}) (div (- {a.text}) (- {b.text})))"


def _stepped(text: str, a: NumberTerm, b: NumberTerm, ends: Ends) -> NumberTerm:
    """A quotient rounded to a whole number: as far off as the quotient may be, and a step."""
    if a.sort == "Int":
        return NumberTerm(text, "Int", ends.lo, ends.hi, _step(_quotient_error(a, b, ends)))
    error = _quotient_error(a, b, ends) + (ends.size * 4 * ulp if ends.size > WHOLE / 4 else 0.0)
    return NumberTerm(f"(to_real {text})", "Real", ends.lo, ends.hi, _step(error), not error)


def _quotient_error(a: NumberTerm, b: NumberTerm, ends: Ends) -> float:
    if not a.error and not b.error:
        return 0.0
    return (a.error + _scaled(ends.size + 1, b.error)) / b.least if b.least else math.inf


def _step(error: float) -> float:
    """Of numbers that are so far apart, how far apart are the whole numbers that they round to?"""
    return error and (math.floor(error) + 1.0 if math.isfinite(error) else math.inf)


def _floor_divide(x: Sequence[NumberTerm], ends: Ends) -> Result:
    a, b = x
    return _stepped(_floor_text(a, b), a, b, ends), _divisor(b)


def _ceil_divide(x: Sequence[NumberTerm], ends: Ends) -> Result:
    a, b = x
    minus = NumberTerm(f"(- {a.text})", a.sort, -a.hi, -a.lo, a.error)
    return _stepped(f"(- {_floor_text(minus, b)})", a, b, ends), _divisor(b)


def _modulo(x: Sequence[NumberTerm], ends: Ends) -> Result:
    """The remainder has the divisor's sign."""
    a, b = x
    largest = a.size / b.least if b.least else math.inf
    steps = _step(_quotient_error(a, b, Ends(-largest, largest)))
    error = a.error + _scaled(b.size, steps) + _scaled(largest + 1, b.error)
    if a.sort == "Real":
        text = f"(- {a.text} (* {b.text} (to_real {_floor_text(a, b)})))"
        exact = a.whole and b.whole
        return NumberTerm(text, "Real", ends.lo, ends.hi, 0.0 if exact else error + b.size * ulp, exact), _divisor(b)
    text = f"(mod {a.text} {b.text})"
    if not b.is_positive:
        text = f"(ite (> {b.text} 0) {text} (- (mod (- {a.text}) (- {b.text}))))"
    return NumberTerm(text, "Int", ends.lo, ends.hi, error), _divisor(b)


def _powers(base: str, least: int, most: int) -> list[tuple[int, str]]:
    texts = {0: "1", 1: base}
    for k in range(2, most + 1):
        texts[k] = f"(* {' '.join([base] * k)})"
    return [(k, texts[k]) for k in range(least, most + 1)]


def _cases(value: str, cases: list[tuple[int, str]], otherwise: str) -> str:
    text = otherwise
    for k, of_k in reversed(cases):
        text = choice(f"(= {value} {integer(k)})", of_k, text)
    return text


def _power(x: Sequence[NumberTerm], ends: Ends) -> Result:
    """Of integers: a case for every exponent up to the largest that fits."""
    a, b = x
    least, most = max(0, int(b.lo)), min(POWERS, int(min(b.hi, 1e9)))
    cases = _powers(a.text, least, most)
    if b.hi > POWERS:  # then it fits for -1, 0 and 1 alone
        odd = f"(ite (= (mod {b.text} 2) 0) 1 {a.text})"
        text = _cases(b.text, cases, f"(ite (= {a.text} 0) 0 {odd})")
    elif cases:
        text = _cases(b.text, cases[:-1], cases[-1][1])
    else:
        text = "1"
    return _jumping(text, (a, b), ends), all_of([_not_negative(b), _fits(a, b, POWERS, within_one=True)])


def _jumping(text: str, x: Sequence[NumberTerm], ends: Ends) -> NumberTerm:
    return NumberTerm(text, "Int", ends.lo, ends.hi, math.inf if any(n.error for n in x) else 0.0)


def _not_negative(b: NumberTerm) -> Truth:
    return ALWAYS if b.lo - b.error >= 0 else compared(">=", b, whole(0))


def _fits(a: NumberTerm, b: NumberTerm, most: int, *, within_one: bool = False) -> Truth:
    """The exponent is not too large, or nothing grows with it."""
    if b.hi + b.error <= most:
        return ALWAYS
    small = [compared("==", a, whole(n)) for n in ((-1, 0, 1) if within_one else (0,))]
    return implies(compared(">", b, whole(most)), any_of(small))


def _two_to_the(b: NumberTerm, most: int) -> str:
    least, most = max(0, int(b.lo)), min(most, int(min(b.hi, 1e9)))
    cases = [(k, str(2**k)) for k in range(least, max(least, most) + 1)]
    return _cases(b.text, cases[:-1], cases[-1][1])


def _shift_left(x: Sequence[NumberTerm], ends: Ends) -> Result:
    a, b = x
    text = f"(* {a.text} {_two_to_the(b, 63)})"
    return _jumping(text, x, ends), all_of([_not_negative(b), _fits(a, b, 63)])


def _shift_right(x: Sequence[NumberTerm], ends: Ends) -> Result:
    a, b = x
    return _jumping(f"(div {a.text} {_two_to_the(b, 64)})", x, ends), _not_negative(b)


def _unchanged(x: Sequence[NumberTerm], ends: Ends) -> Result:
    return x[0], ALWAYS


def _rounded(form: str) -> Rule:
    """To an Integer; `form` has the term's text in it."""

    def rule(x: Sequence[NumberTerm], ends: Ends) -> Result:
        a = x[0]
        return NumberTerm(form.format(a.text), "Int", ends.lo, ends.hi, _step(a.error)), ALWAYS

    return rule


HALF = "(/ 1.0 2.0)"
ROUND = (  # half to even
    "(let ((?up (to_int (+ {0} " + HALF + ")))) (ite (and (= (to_real ?up) (+ {0} " + HALF + "))"
    " (= (mod ?up 2) 1)) (- ?up 1) ?up))"
)  # fmt: skip
INTEGER_RULES: Mapping[str, Rule] = {
    "+": _sum("+"),
    "-": _sum("-"),
    "negate": _negative,
    "*": _product,
    "//": _floor_divide,
    "%": _modulo,
    "**": _power,
    "<<": _shift_left,
    ">>": _shift_right,
    "ceildiv": _ceil_divide,
    "min": _extreme("<="),
    "max": _extreme(">="),
    "abs": _absolute,
    "ceil": _unchanged,
    "floor": _unchanged,
    "round": _unchanged,
}
REAL_RULES: Mapping[str, Rule] = {
    "+": _sum("+"),
    "-": _sum("-"),
    "negate": _negative,
    "*": _product,
    "/": _quotient,
    "//": _floor_divide,
    "%": _modulo,
    "ceildiv": _ceil_divide,
    "min": _extreme("<="),
    "max": _extreme(">="),
    "abs": _absolute,
    "ceil": _rounded("(- (to_int (- {0})))"),
    "floor": _rounded("(to_int {0})"),
    "round": _rounded(ROUND),
}


def power_of_reals(x: Sequence[NumberTerm], exponent: float, ends: Ends) -> NumberTerm | None:
    """A power with a small whole exponent, or None. Functions of the mathematics library round as LIBM says."""
    a = x[0]
    if exponent != math.floor(exponent) or not 1 <= exponent <= 16:
        return None
    error = LIBM * ends.size + TINY + exponent * _scaled((a.size + a.error) ** (exponent - 1), a.error)
    text = f"(* {' '.join([a.text] * int(exponent))})" if exponent > 1 else a.text
    return NumberTerm(text, "Real", ends.lo, ends.hi, error)


def constant(value: float) -> NumberTerm:
    is_whole = value == math.floor(value) and abs(value) <= WHOLE
    return NumberTerm(real(value), "Real", value, value, 0.0, is_whole)
