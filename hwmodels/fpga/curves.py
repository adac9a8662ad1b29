"""How an amount of a device's YAML depends on a width in bits, a number of ways, or a depth in words.

8.5, [a, b, c]               a + b x + c x^2
{points: [[x, y], ...]}      straight lines from point to point, the last one prolonged
{steps: [[x, y], ...]}       y for all x up to and including that one; the last beyond, in proportion to x^2
{ways: [[n, a, b], ...]}     a + b w for n ways of w bits; straight lines between the n, the last one prolonged
{depth: [a, b, c]}           a + b ceil(log2 d), and c more where d is no power of two
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tunepass.expr import algebra
from tunepass.expr.algebra import ExprLike
from tunepass.expr.nodes import Expr

Polynomial = tuple[float, ...]  # coefficients, the constant first
Yaml = float | Sequence[float] | Mapping[str, Sequence[Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Points:
    points: tuple[tuple[float, float], ...]  # ascending

    def at(self, x: float) -> float:
        known = self.points
        if len(known) == 1 or x <= known[0][0]:
            return known[0][1] * (x / known[0][0] if known[0][0] else 1.0) if x < known[0][0] else known[0][1]
        i = next((i for i, (right, _) in enumerate(known) if x <= right), len(known) - 1)
        (x0, y0), (x1, y1) = known[i - 1], known[i]
        return max(0.0, y0 + (y1 - y0) * (x - x0) / (x1 - x0))


@dataclass(frozen=True, slots=True)
class Steps:
    steps: tuple[tuple[float, float], ...]  # ascending

    def at(self, x: float) -> float:
        last, most = self.steps[-1]
        return next((y for limit, y in self.steps if x <= limit), most * (x / last) ** 2)


Curve = Polynomial | Points | Steps


@dataclass(frozen=True, slots=True)
class Ways:
    """Rows (n, fixed, per bit), n ascending; neither may fall, so that more ways never need less."""

    rows: tuple[tuple[float, float, float], ...]

    def at(self, w: int, n: ExprLike) -> Expr:
        """The amount for `n` ways of `w` bits: first row, plus every segment as far as `n` reaches into it."""
        values = [(k, fixed + bit * w) for k, fixed, bit in self.rows]
        total = algebra.lift(values[0][1])
        for i, ((x0, y0), (x1, y1)) in enumerate(pairwise(values)):
            slope = (y1 - y0) / (x1 - x0)
            reach = algebra.maximum(0, algebra.sub(n, _whole(x0)))
            if i < len(values) - 2:
                reach = algebra.minimum(reach, _whole(x1 - x0))
            total = algebra.add(total, algebra.mul(slope, reach)) if slope else total
        return total


@dataclass(frozen=True, slots=True)
class Depth:
    fixed: float
    per_bit: float  # of an address
    ragged: float  # where the depth is no power of two

    def at(self, d: ExprLike) -> Expr:
        """The amount for `d` words; a depth that is not known is taken for ragged."""
        words = algebra.number(d)
        ragged = self.ragged if words is None or int(words) & (int(words) - 1) else 0.0
        return algebra.add(self.fixed + ragged, algebra.mul(self.per_bit, algebra.ceil_log2(d)))


def curve(value: Yaml) -> Curve:
    if isinstance(value, Mapping):
        ((kind, rows),) = value.items()
        pairs = tuple((float(x), float(y)) for x, y in rows)
        if kind not in ("points", "steps"):
            raise ValueError(f"expected points or steps, got {kind!r}")
        return Points(pairs) if kind == "points" else Steps(pairs)
    return tuple(float(v) for v in value) if isinstance(value, Sequence) else (float(value),)


def sized(value: Mapping[str, Sequence[Sequence[float]]]) -> Ways | Depth:
    ((kind, rows),) = value.items()
    if kind == "ways":
        return Ways(tuple((float(n), float(a), float(b)) for n, a, b in rows))
    if kind != "depth":
        raise ValueError(f"expected ways or depth, got {kind!r}")
    a, b, c = (float(str(x)) for x in rows)
    return Depth(a, b, c)


def evaluate(amount: Curve, x: float) -> float:
    """The amount at `x`."""
    if isinstance(amount, tuple):
        return sum(coefficient * x**power for power, coefficient in enumerate(amount))
    return amount.at(x)


def _whole(x: float) -> int | float:
    return int(x) if x == int(x) else x
