"""C expressions as whole numbers that are affine in loop indices and parameters, and conditions on them, as isl's text.

Signed arithmetic does not overflow in C; unsigned arithmetic may wrap, so what subtracts in it is affine only where
a loop's bound or a subscript would otherwise be senseless, and never in a condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tunepass.frontends.c.scops.numbers.affine_values import Affine
from tunepass.frontends.c.scops.numbers.c_types import SIGNED, UNSIGNED
from tunepass.frontends.c.scops.numbers.pure_functions import EXTREMES, plain_function
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.syntax.tree import (
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Name,
    Number,
    SizeOf,
    Unary,
)
from tunepass.frontends.cfamily.types.declared import canonical_type

ISL_WORDS = frozenset(("exists", "and", "or", "not", "min", "max", "mod", "floor", "ceil", "infty", "true", "false"))
ISL_WORDS |= {"implies", "floord", "ceild", "rational"}
ISL_WORD = re.compile(r"[A-Za-z_]\w*")
TEXT_LIMIT = 500  # characters of what is divided or decided: it stands in the result several times
LARGEST = 1 << 31  # of a coefficient: isl has no limit, its text would be no help beyond


@dataclass(frozen=True, slots=True)
class Whole:
    """An affine value; `unsigned` where C computes it without a sign, `wraps` where that may make a difference."""

    affine: Affine
    unsigned: bool = False
    wraps: bool = False


class Names(Protocol):
    """What the names in expressions are."""

    def value_of(self, e: Name | Number) -> Whole | None:
        """Of a name, an index or a parameter; of a number where it stands for something else. Otherwise None."""

    def invariant(self, e: Expression) -> Whole | None:
        """Of arithmetic that is not affine, a parameter for all of it where everything in it is one."""

    def quantity(self, definition: Callable[[str], str]) -> str:
        """A new name for the number that alone satisfies the condition `definition(name)`."""


def isl_name(name: str) -> str:
    """In ASCII; C reserves names with two underlines, so that no other name is the same."""
    plain = re.sub(r"\W", "_", name)
    if not plain.isascii():
        plain = re.sub(r"[^\x00-\x7f]", lambda letter: f"__u{ord(letter[0]):04x}", plain)
    return f"{plain}_" if plain in ISL_WORDS else plain


def isl_words(text: str) -> list[str]:
    """The names in one of isl's texts, which writes `2n` for a product."""
    return ISL_WORD.findall(text)


def isl_renamed(text: str, names: Mapping[str, str]) -> str:
    return ISL_WORD.sub(lambda word: names.get(word[0], word[0]), text)


def isl_text(value: Affine) -> str:
    """`2*i - n + 3`."""
    terms = [_term(stride, atom) for atom, stride in value.strides]
    if value.offset or not terms:
        terms.append(str(value.offset))
    text = terms[0]
    for term in terms[1:]:
        text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text


def _term(stride: int, atom: str) -> str:
    return atom if stride == 1 else f"-{atom}" if stride == -1 else f"{stride}*{atom}"


def whole(e: Expression, names: Names) -> Whole | None:
    """The value of `e`; None where it is not affine."""
    match e:
        case Number(token):
            value = literal(token.text)
            plain = None if value is None or value > LARGEST else Whole(Affine((), value), "u" in token.text.lower())
            return names.value_of(e) or plain
        case Name():
            return names.value_of(e)
        case Unary(op, operand) if op.text in ("-", "+"):
            value_of = whole(operand, names)
            return _negated(value_of) if value_of and op.text == "-" else value_of
        case Cast(type_, False, operand) if canonical_type(type_) in SIGNED | UNSIGNED:
            return _cast(whole(operand, names), canonical_type(type_) in UNSIGNED)
        case Binary(op, left, right):
            a, b = whole(left, names), whole(right, names)
            combined = _combined(op, a, b, names) if a and b else None
            return combined or names.invariant(e)
        case SizeOf():
            return names.invariant(e)
        case Conditional(test, then, other):
            condition = condition_text(test, names)
            a, b = whole(then, names), whole(other, names)
            return _chosen(condition, a, b, names)
        case Call(Name() as function, (left, right)) if plain_function(function.text) in EXTREMES:
            a, b = whole(left, names), whole(right, names)
            op = "<" if EXTREMES[plain_function(function.text)] == "min" else ">"
            return _chosen(_comparison(op, a, b), a, b, names)
    return None


def _chosen(condition: str | None, a: Whole | None, b: Whole | None, names: Names) -> Whole | None:
    """One of two values."""
    if condition is None or a is None or b is None or len(condition) > TEXT_LIMIT:
        return None
    one, two = isl_text(a.affine), isl_text(b.affine)
    atom = names.quantity(lambda q: f"(({condition}) and {q} = {one}) or (not ({condition}) and {q} = {two})")
    return Whole(Affine.of(atom), a.unsigned or b.unsigned, a.wraps or b.wraps)


def _cast(value: Whole | None, unsigned: bool) -> Whole | None:
    if value is None:
        return None
    made_positive = unsigned and not value.unsigned and not _never_negative(value.affine)
    return Whole(value.affine, unsigned, value.wraps or made_positive)


def _negated(value: Whole) -> Whole:
    return Whole(value.affine.scaled(-1), value.unsigned, value.wraps or value.unsigned)


def _combined(op: str, a: Whole, b: Whole, names: Names) -> Whole | None:
    unsigned = a.unsigned or b.unsigned
    wraps = a.wraps or b.wraps or (unsigned and op == "-")
    if op in (">>", "&") and not b.affine.strides:
        return _bits(op, a, b.affine.offset, names)
    if op in ("/", "%") and a.affine.strides:
        return _divided(op, a, b.affine, unsigned, wraps, names)
    combined = a.affine.combined(op, b.affine)
    if combined is None or any(abs(s) > LARGEST for _, s in combined.strides) or abs(combined.offset) > LARGEST:
        return None
    return Whole(combined, unsigned, wraps)


def _divided(op: str, a: Whole, by: Affine, unsigned: bool, wraps: bool, names: Names) -> Whole | None:
    """C rounds towards zero."""
    if by.strides or by.offset <= 0 or wraps:
        return None
    t, d = isl_text(a.affine), by.offset
    if len(t) > TEXT_LIMIT:
        return None
    quotient = names.quantity(
        lambda q: f"({t} >= 0 and {d}*{q} <= {t} < {d}*{q} + {d}) or ({t} < 0 and {d}*{q} - {d} < {t} <= {d}*{q})"
    )
    if op == "/":
        return Whole(Affine.of(quotient), unsigned)
    return Whole(a.affine.plus(Affine(((quotient, -d),), 0)), unsigned)


def _bits(op: str, a: Whole, by: int, names: Names) -> Whole | None:
    """`a >> 2`, `a & 3`: rounded down, of negative numbers too."""
    power = 1 << by if op == ">>" and 0 <= by < 31 else by + 1
    t = isl_text(a.affine)
    if by < 0 or power & (power - 1) or a.wraps or len(t) > TEXT_LIMIT:
        return None
    quotient = names.quantity(lambda q: f"{power}*{q} <= {t} < {power}*{q} + {power}")
    if op == ">>":
        return Whole(Affine.of(quotient), a.unsigned)
    return Whole(a.affine.plus(Affine(((quotient, -power),), 0)), a.unsigned)


def condition_text(e: Expression, names: Names) -> str | None:
    """`e` as isl's text; None where it is not affine, or where unsigned numbers might wrap."""
    match e:
        case Unary(op, operand) if op.text == "!":
            inner = condition_text(operand, names)
            return inner and f"not ({inner})"
        case Binary("&&" | "||" as op, left, right):
            a, b = condition_text(left, names), condition_text(right, names)
            return f"({a}) {'and' if op == '&&' else 'or'} ({b})" if a and b else None
        case Binary("<" | "<=" | ">" | ">=" | "==" | "!=" as op, left, right):
            return _comparison(op, whole(left, names), whole(right, names))
        case Cast("bool", False, operand):
            return condition_text(operand, names)
        case _:
            value = whole(e, names)
            return None if value is None or value.wraps else f"{isl_text(value.affine)} != 0"


def _comparison(op: str, a: Whole | None, b: Whole | None) -> str | None:
    if a is None or b is None or a.wraps or b.wraps:
        return None
    if a.unsigned != b.unsigned and not all(v.unsigned or _never_negative(v.affine) for v in (a, b)):
        return None
    return f"{isl_text(a.affine)} {'=' if op == '==' else op} {isl_text(b.affine)}"


def _never_negative(value: Affine) -> bool:
    return not value.strides and value.offset >= 0


Polynomial = Mapping[tuple[str, ...], int]
"""Coefficients by product of names, sorted; `()` is the constant."""


def polynomial(e: Expression, names: Names) -> Polynomial | None:
    """`e` as a polynomial in indices and parameters, from which subscripts such as `i * n + j` are read."""
    value = whole(e, names)
    if value is not None:
        return polynomial_of(value.affine)
    if isinstance(e, Cast) and not e.pointer and canonical_type(e.type) in SIGNED | UNSIGNED:
        return polynomial(e.operand, names)
    if not isinstance(e, Binary) or e.op not in ("+", "-", "*"):
        return None
    a, b = polynomial(e.left, names), polynomial(e.right, names)
    if a is None or b is None:
        return None
    return _product(a, b) if e.op == "*" else _sum(a, b, 1 if e.op == "+" else -1)


def polynomial_of(value: Affine) -> Polynomial:
    terms: dict[tuple[str, ...], int] = {(atom,): stride for atom, stride in value.strides}
    return terms | ({(): value.offset} if value.offset else {})


def _sum(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    terms = dict(a)
    for term, factor in b.items():
        terms[term] = terms.get(term, 0) + sign * factor
    return {term: factor for term, factor in terms.items() if factor}


TERM_LIMIT = 64


def _product(a: Polynomial, b: Polynomial) -> Polynomial | None:
    if len(a) * len(b) > TERM_LIMIT:
        return None
    terms: dict[tuple[str, ...], int] = {}
    for left, p in a.items():
        for right, q in b.items():
            term = tuple(sorted((*left, *right)))
            terms[term] = terms.get(term, 0) + p * q
    return {term: factor for term, factor in terms.items() if factor}
