"""Polynomials in whole-number parameters: the strides of arrays whose rows are `n + 1` or `h * w` long."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from tunepass.frontends.c.scops.numbers.affine_values import Affine

Product = tuple[str, ...]
"""Of parameters, sorted; `()` is 1."""
Polynomial = Mapping[Product, int]
STEP_LIMIT = 64  # of a division


def positive(p: Polynomial) -> Polynomial:
    """The polynomial or its negative: the leading coefficient is positive."""
    sign = 1 if p[leading(p)] > 0 else -1
    return {term: sign * factor for term, factor in p.items()}


def primitive(p: Polynomial) -> Polynomial:
    """Divided by what all its coefficients are multiples of."""
    content = math.gcd(*p.values())
    return {term: factor // content for term, factor in p.items()}


def leading(p: Polynomial) -> Product:
    return max(p, key=lambda term: (len(term), term))


def degree(p: Polynomial) -> int:
    return max((len(term) for term in p), default=0)


def divided(p: Polynomial, by: Polynomial) -> tuple[Polynomial, Polynomial]:
    """(q, r): p = q * by + r, no term of the remainder r being a multiple of the leading term of `by`."""
    lead = leading(by)
    rest, quotient, remainder = dict(p), dict[Product, int](), dict[Product, int]()
    for _ in range(STEP_LIMIT):
        if not rest:
            break
        term = leading(rest)
        missing = Counter(lead)
        missing.subtract(Counter(term))
        if any(count > 0 for count in missing.values()) or rest[term] % by[lead]:
            remainder[term] = rest.pop(term)
            continue
        more = tuple(sorted((-missing).elements()))
        factor = rest[term] // by[lead]
        quotient[more] = quotient.get(more, 0) + factor
        for other, size in by.items():
            product = tuple(sorted((*more, *other)))
            rest[product] = rest.get(product, 0) - factor * size
            if not rest[product]:
                del rest[product]
    return quotient, {**remainder, **rest}


def affine_of(p: Polynomial) -> Affine | None:
    """None where products of parameters remain."""
    if degree(p) > 1:
        return None
    strides = tuple(sorted((term[0], factor) for term, factor in p.items() if term and factor))
    return Affine(strides, p.get((), 0))
