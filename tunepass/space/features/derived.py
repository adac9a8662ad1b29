"""Derived features of compilers' parameters, which a distance between values does not see.

    feature     of                                    value before scaling
    odd part    an integer whose values mix powers    log m, where the value is m 2^k with m odd: 48 = 3 * 16 is far
                of two and others                     from 32 and 64, which are alike
    magnitude   a long number that ranges far         log value, beside the plain one: halving may matter at both ends
    monomial    a product or ratio of numbers in a    sum of powers times logs: `bx * by <= 1024` says that threads a
                constraint                            block matter, `m % n == 0` that m / n does, `a <= b` a / b

Each is scaled to [0, 1] over a sample of the space, so that one lengthscale prior suits it and the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.expr import nodes
from tunepass.space.columns import Columns
from tunepass.space.parameter import Column, NumericParameter, Parameter
from tunepass.space.prior import Floats
from tunepass.space.space import Space

SAMPLE, SAMPLE_KEY = 1000, 0x64657269766564
MANY, FAR = 32, 16.0  # values of a number, and times its smallest one that it reaches, for its magnitude to matter
LARGEST_DOMAIN = 4096  # an integer with more values is searched by magnitude alone
Powers = tuple[tuple[str, int], ...]  # by name, of which the first is positive


@dataclass(frozen=True, slots=True)
class Derived:
    """One feature: `raw` scaled to [0, 1] by `lo` and `hi`. `odd`: of the odd part of its parameter."""

    powers: Powers
    odd: bool
    lo: float = 0.0
    hi: float = 1.0

    def __str__(self) -> str:
        if self.odd:
            return f"odd({self.powers[0][0]})"
        return " * ".join(name if power == 1 else f"{name}^{power}" for name, power in self.powers)

    def raw(self, columns: Columns) -> Floats:
        """The feature (n,) of the configurations in `columns`, not scaled."""
        logs = [power * np.log(self._number(columns[name])) for name, power in self.powers]
        return np.asarray(np.sum(logs, axis=0), dtype=np.float64)

    def _number(self, column: Column) -> Floats:
        return np.asarray(odd_part(column) if self.odd else column, dtype=np.float64)


def magnitudes(space: Space) -> tuple[Derived, ...]:
    """The logarithm of each number that has many values and ranges far, and whose own scale is plain."""
    numeric = [p for p in space.parameters if isinstance(p, NumericParameter) and p.when is None]
    far = [p for p in numeric if (p.size or 0) >= MANY and _positive(p) and not p.log]
    features = [Derived(((p.name, 1),), False) for p in far if p.ends()[1] >= FAR * p.ends()[0]]
    return _all_scaled(features, space)


def derived_features(space: Space) -> tuple[Derived, ...]:
    """Odd parts, then monomials in the order of the constraints: at most one a parameter, and none that is constant."""
    unconditional = [p for p in space.parameters if p.when is None]
    positive = {p.name for p in unconditional if _positive(p)}
    odd = [Derived(((p.name, 1),), True) for p in unconditional if mixes_powers_of_two(p)]
    candidates = dict.fromkeys(
        m for c in space.constraints for m in monomials(c.expression) if {n for n, _ in m} <= positive
    )
    return _all_scaled([*odd, *(Derived(powers, False) for powers in list(candidates)[: len(space.parameters)])], space)


def mixes_powers_of_two(parameter: Parameter) -> bool:
    """Are at least two of an integer's values powers of two, and some not? Then which is which may matter."""
    if not isinstance(parameter.type, nodes.IntegerType) or parameter.ends()[0] < 0:
        return False
    if isinstance(parameter.domain, range) and len(parameter.domain) > LARGEST_DOMAIN:
        return False
    values = np.array([v for v in parameter.domain if isinstance(v, int) and v > 0], np.int64)
    powers = int((odd_part(values) == 1).sum())
    return 2 <= powers < len(values)


def odd_part(column: Column) -> Column:
    """m of each m 2^k; of 0, 1."""
    values = np.asarray(column, dtype=np.int64)
    return np.where(values > 0, values // np.maximum(values & -values, 1), 1)


def monomials(expression: nodes.Expr) -> Iterator[Powers]:
    """Products and ratios of two names or more, the largest ones, as they stand in the expression."""
    powers = _powers(expression)
    if powers is not None:
        yield from _named(powers)
        return
    related = list(_related(expression))
    for left, right in related:
        yield from _named({name: left.get(name, 0) - right.get(name, 0) for name in {**left, **right}})
    for child in () if related else expression.children:
        yield from monomials(child)


def _related(expression: nodes.Expr) -> Iterator[tuple[Mapping[str, int], Mapping[str, int]]]:
    """The sides of `a % b` and of comparisons, where both are monomials."""
    if isinstance(expression, nodes.Binary) and expression.op == "%":
        sides = [(expression.left, expression.right)]
    elif isinstance(expression, nodes.Compare):
        sides = list(zip(expression.operands, expression.operands[1:]))
    else:
        return
    for a, b in sides:
        left, right = _powers(a), _powers(b)
        if left and right:
            yield left, right


def _powers(e: nodes.Expr) -> Mapping[str, int] | None:
    """The power of each name if `e` is a monomial up to a constant factor; else None."""
    if isinstance(e, nodes.Name):
        return {e.name: 1} if isinstance(e.type, (nodes.IntegerType, nodes.RealType)) else None
    if isinstance(e, nodes.Constant):
        return {} if isinstance(e.value, (int, float)) and e.value > 0 else None
    if not isinstance(e, nodes.Binary) or e.op not in ("*", "/", "//"):
        return None
    left, right = _powers(e.left), _powers(e.right)
    if left is None or right is None:
        return None
    sign = 1 if e.op == "*" else -1
    return {name: left.get(name, 0) + sign * right.get(name, 0) for name in {**left, **right}}


def _named(powers: Mapping[str, int]) -> Iterator[Powers]:
    """In one form for a monomial and its inverse, which are the same feature turned round."""
    nonzero = tuple(sorted((name, power) for name, power in powers.items() if power))
    if len(nonzero) >= 2:
        sign = 1 if nonzero[0][1] > 0 else -1
        yield tuple((name, sign * power) for name, power in nonzero)


def _positive(p: Parameter) -> bool:
    """Are its values numbers, all above 0?"""
    return isinstance(p.type, (nodes.IntegerType, nodes.RealType)) and p.ends()[0] > 0


def _all_scaled(features: Sequence[Derived], space: Space) -> tuple[Derived, ...]:
    """Features that vary over a sample of the space, scaled by it."""
    if not features:
        return ()
    sample = space.sample_columns(SAMPLE, np.random.default_rng(SAMPLE_KEY))
    return tuple(scaled for feature in features if (scaled := _scaled(feature, sample)) is not None)


def _scaled(feature: Derived, sample: Columns) -> Derived | None:
    raw = feature.raw(sample)
    lo, hi = (float(raw.min()), float(raw.max())) if len(raw) else (0.0, 0.0)
    return Derived(feature.powers, feature.odd, lo, hi) if math.isfinite(hi - lo) and hi - lo > 1e-9 else None
