"""Whole numbers in steps, however many: their domain is a range that is never listed here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.columns import Column, Indices
from tunepass.space.configuration import Value
from tunepass.space.parameters.axis import IntegerAxis
from tunepass.space.parameters.checks import check_name, check_range, flag, freeze, whole_number
from tunepass.space.parameters.condition import Condition, ConditionLike, condition
from tunepass.space.parameters.numeric import NumericParameter
from tunepass.space.prior import Beta, BetaLike, Floats, beta_prior, value_masses

LISTED = 1 << 24  # values worth crossing with the nodes of a diagram; a longer range is halved instead


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Integer(NumericParameter):
    """A parameter of whole numbers lo, lo + step, … up to hi.

    Args:
        name: an identifier that is no word of the expression language.
        lo: the smallest value.
        hi: the largest value, rounded down to a step.
        step: the distance of neighbours.
        log: whether distances are those of logarithms; all values must be positive then.
        default: the value of the default configuration; None: `lo`.
        prior: where the best value is expected: `uniform`, `gaussian`, `decay`, `exponential`, or a Beta's (a, b).
        when: the condition on other parameters under which it is active; else it has no value. None: always.
        span: the place in a source, for diagnostics.

    Raises:
        SpaceError: an argument breaks its rule, or the default is not one of the values.

    Example:
        >>> list(tp.Integer("unroll", 1, 9, step=4).domain)
        [1, 5, 9]
    """

    name: str
    lo: int
    hi: int
    step: int
    log: bool
    default: int
    prior: Beta | None
    when: Condition | None = field(repr=False)
    span: Span | None = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        lo: int,
        hi: int,
        *,
        step: int = 1,
        log: bool = False,
        default: int | None = None,
        prior: BetaLike | None = None,
        when: ConditionLike = None,
        span: Span | None = None,
    ):
        check_name(name, span)
        freeze(self, when=condition(name, when, span))
        lo, hi = whole_number(name, "lo", lo, span), whole_number(name, "hi", hi, span)
        step, log = whole_number(name, "step", step, span), flag(name, "log", log, span)
        check_range(name, lo, hi, log, span)
        if step < 1:
            raise SpaceError(f"{name}: step >= 1 must hold, got {step=}", span)
        freeze(self, name=name, lo=lo, hi=lo + (hi - lo) // step * step, step=step, log=log, span=span)
        freeze(self, default=lo, prior=beta_prior(name, prior))
        if default is not None:
            self.check(default)
            freeze(self, default=int(default))

    def __str__(self) -> str:
        return f"integer({self.lo}..{self.hi}{f' step {self.step}' if self.step != 1 else ''})"

    @property
    def type(self) -> nodes.Type:
        return nodes.IntegerType()

    @property
    def size(self) -> int:
        return (self.hi - self.lo) // self.step + 1

    @property
    def domain(self) -> Sequence[int]:
        return range(self.lo, self.hi + 1, self.step)

    def ends(self) -> tuple[float, float]:
        return float(self.lo), float(self.hi)

    def admits(self, value: object) -> bool:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) in self.domain

    def column(self, values: Sequence[Value]) -> Column:
        return np.array(values, dtype=np.int64)

    def values(self, column: Column) -> list[Value]:
        return list(column.tolist())

    def at(self, index: Indices) -> Column:
        return np.asarray(self.lo + index * self.step, dtype=np.int64)

    def find(self, column: Column) -> Indices:
        index, rest = np.divmod(np.asarray(column, dtype=np.int64) - self.lo, self.step)
        return np.where((rest == 0) & (index >= 0) & (index < self.size), index, -1)

    def masses(self) -> Floats:
        return value_masses(self.prior, self.unit(self.at(np.arange(self.size))))

    def canonical(self, value: object) -> Value | None:
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        return whole if self.admits(whole) else None  # type: ignore[return-value]

    def axis(self) -> IntegerAxis | None:
        return self.range_axis() if self.size > LISTED else None

    def range_axis(self) -> IntegerAxis:
        return IntegerAxis(self.name, self.prior, self.size, self.at)

    def from_unit(self, u: Floats) -> Column:
        lo, hi = self.ends()
        value = lo * (hi / lo) ** u if self.log else lo + u * (hi - lo)
        return self.at(np.rint((value - lo) / self.step).astype(np.int64))

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Column:
        """The values closest to what is drawn from the prior; the domain is not listed."""
        if self._is_uniform:
            return self.at(rng.integers(self.size, size=n))
        assert self.prior is not None
        if self.log:
            edges = [(3 * u0 - u1) / 2 for u0, u1 in self._end_units()]
            u = edges[0] + self.prior.draw(n, rng) * (edges[1] - edges[0])
            x = np.exp(math.log(self.lo) + u * (math.log(self.hi) - math.log(self.lo)))
        else:
            x = self.lo + (self.prior.draw(n, rng) * self.size - 0.5) * self.step
        return self.at(np.clip(np.rint((x - self.lo) / self.step), 0, self.size - 1).astype(np.int64))

    def log_prior(self, column: Column, least: float = 0.0) -> Floats:
        """Each value's own mass: the domain is not listed."""
        if self._is_uniform:
            return np.full(len(column), -math.log(self.size))
        assert self.prior is not None
        x = np.asarray(column, dtype=np.float64)
        (u0, u1), (u9, u8) = self._end_units()
        first, last = (3 * u0 - u1) / 2, (3 * u9 - u8) / 2
        below, own, above = (self.unit(np.clip(x + s, self.lo, self.hi)) for s in (-self.step, 0, self.step))
        lo = np.where(x == self.lo, first, (below + own) / 2)
        hi = np.where(x == self.hi, last, (own + above) / 2)
        mass = self.prior.mass((lo - first) / (last - first), (hi - first) / (last - first))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(mass, least)), dtype=np.float64)

    @property
    def _is_uniform(self) -> bool:
        return self.prior is None or self.prior.a == self.prior.b == 1 or self.size == 1

    def _end_units(self) -> list[tuple[float, float]]:
        """The scaled (outermost, next) values at both ends."""
        u = self.unit(self.at(np.array([0, 1, self.size - 1, self.size - 2])))
        return [(float(u[0]), float(u[1])), (float(u[2]), float(u[3]))]

    def definition(self) -> Mapping[str, Value | list[Value]]:
        return {"lo": self.lo, "hi": self.hi, "step": self.step}

    def summary(self) -> str:
        return f"{self.lo} .. {self.hi}{f' step {self.step}' if self.step != 1 else ''}"
