"""Real parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.columns import Column, Indices, Mask
from tunepass.space.configuration import Value
from tunepass.space.parameters import text
from tunepass.space.parameters.axis import RealAxis
from tunepass.space.parameters.checks import check_name, check_range, flag, freeze, real_number
from tunepass.space.parameters.condition import Condition, ConditionLike, condition
from tunepass.space.parameters.numeric import NumericParameter
from tunepass.space.parameters.ordinal import Ordinal
from tunepass.space.prior import Beta, BetaLike, Floats, beta_prior

STEPS = np.array([sign * size for size in (0.2, 0.05, 0.01, 0.002) for sign in (-1, 1)])  # of the scaled range
MOST_GRID = 1 << 20
EDGE = 0.005  # share of the scaled range at whose ends a prior is not looked at: some Beta densities are infinite there


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Real(NumericParameter):
    """A parameter of real numbers in [lo, hi]. Its space is not finite, unless it has a `step`: then it has a size.

    Args:
        name: an identifier that is no word of the expression language.
        lo: the smallest value.
        hi: the largest value; with a step, rounded down to one.
        step: the distance of neighbours on a grid from `lo`; None: every real number of the range is a value.
        log: whether distances are those of logarithms; all values must be positive then.
        default: the value of the default configuration; None: the middle of the range, on the log scale if `log`, on a
            grid the value nearest to it.
        prior: where the best value is expected: `uniform`, `gaussian`, `decay`, `exponential`, or a Beta's (a, b).
        when: the condition on other parameters under which it is active; else it has no value. None: always.
        span: the place in a source, for diagnostics.

    Raises:
        SpaceError: an argument breaks its rule, or the default is outside the range.

    Example:
        >>> tp.Real("ratio", 0.25, 1.0).default
        0.625
        >>> list(tp.Real("ratio", 0.0, 1.0, step=0.25).domain)
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """

    name: str
    lo: float
    hi: float
    log: bool
    default: float
    prior: Beta | None
    step: float | None = field(repr=False)
    when: Condition | None = field(repr=False)
    span: Span | None = field(compare=False, repr=False)
    grid: Ordinal | None = field(compare=False, repr=False)  # the values, where there is a step

    def __init__(
        self,
        name: str,
        lo: float,
        hi: float,
        *,
        step: float | None = None,
        log: bool = False,
        default: float | None = None,
        prior: BetaLike | None = None,
        when: ConditionLike = None,
        span: Span | None = None,
    ):
        check_name(name, span)
        freeze(self, when=condition(name, when, span))
        lo, hi = real_number(name, "lo", lo, span), real_number(name, "hi", hi, span)
        log = flag(name, "log", log, span)
        check_range(name, lo, hi, log, span)
        given = default
        if default is None:
            default = math.sqrt(lo) * math.sqrt(hi) if log else lo + (hi - lo) / 2
            default = min(max(default, lo), hi)
        default = real_number(name, "the default", default, span)
        freeze(self, name=name, lo=lo, hi=hi, log=log, default=default, span=span, step=None, grid=None)
        freeze(self, prior=beta_prior(name, prior))
        if step is not None:
            self._place_on_grid(step, given)
        self.check(self.default)

    def _place_on_grid(self, step: float, default: float | None) -> None:
        values = grid_values(self.name, self.lo, self.hi, step, self.span)
        grid = Ordinal(self.name, values, log=self.log, prior=self.prior, span=self.span)
        freeze(self, step=float(step), grid=grid, hi=values[-1])
        if default is None:
            default = float(grid.from_unit(np.array([0.5]))[0])
        freeze(self, default=self.canonical(default) if self.admits(default) else default)

    @property
    def _optional_values(self) -> Mapping[str, object]:
        return {} if self.step is None else {"step": self.step}

    def __str__(self) -> str:
        return f"real({self.lo:g}..{self.hi:g}{'' if self.step is None else f' step {self.step:g}'})"

    @property
    def type(self) -> nodes.Type:
        return nodes.RealType()

    @property
    def size(self) -> int | None:
        return None if self.grid is None else self.grid.size

    @property
    def domain(self) -> Sequence[Value]:
        return self._listed.domain

    @property
    def _listed(self) -> Ordinal:
        if self.grid is None:
            raise SpaceError(f"{self.name}: a real parameter without a step has no list of values", self.span)
        return self.grid

    def ends(self) -> tuple[float, float]:
        return self.lo, self.hi

    def admits(self, value: object) -> bool:
        if not isinstance(value, (int, float, np.floating)) or isinstance(value, bool):
            return False
        return bool(self.lo <= value <= self.hi) if self.grid is None else self._on_grid(float(value)) is not None

    def canonical(self, value: object) -> Value | None:
        if not self.admits(value):
            return None
        return float(value) if self.grid is None else self._on_grid(float(value))  # type: ignore[arg-type]

    def _on_grid(self, value: float) -> float | None:
        """The value of the grid that differs by rounding alone, such as 0.3 from 0.1 + 0.2."""
        assert self.step is not None
        domain, place = self._listed.domain, round((value - self.lo) / self.step) if math.isfinite(value) else -1
        near = float(domain[place]) if 0 <= place < len(domain) else math.inf
        return near if abs(near - value) <= 1e-9 * self.step else None

    def column(self, values: Sequence[Value]) -> Column:
        return np.array(values, dtype=np.float64)

    def values(self, column: Column) -> list[Value]:
        return list(np.asarray(column, dtype=np.float64).tolist())

    def at(self, index: Indices) -> Column:
        return self._listed.at(index)

    def find(self, column: Column) -> Indices:
        return self._listed.find(np.asarray(column, dtype=np.float64))

    def masses(self) -> Floats:
        return self._listed.masses()

    def inside(self, column: Column) -> Mask:
        if self.grid is not None:
            return self.find(column) >= 0
        x = np.asarray(column, dtype=np.float64)
        return (x >= self.lo) & (x <= self.hi)

    def axis(self) -> RealAxis | None:
        return RealAxis(self.name, self.prior, self.from_unit) if self.grid is None else None

    def range_axis(self) -> RealAxis:
        return RealAxis(self.name, self.prior, self.from_unit)

    def from_unit(self, u: Floats) -> Floats:
        if self.grid is not None:
            return np.asarray(self.grid.from_unit(u), dtype=np.float64)
        if self.log:
            x = np.exp(math.log(self.lo) + u * (math.log(self.hi) - math.log(self.lo)))
        else:
            x = self.lo + u * (self.hi - self.lo)
        return within(x, self.lo, self.hi)

    def steps(self, column: Column, longest: int) -> tuple[Column, Indices]:
        """By each of STEPS; on a grid to other values."""
        if self.grid is not None:
            return self.grid.steps(column, longest)
        u = within(self.unit(column)[:, None] + STEPS, 0.0, 1.0)
        return self.from_unit(u.ravel()), np.repeat(np.arange(len(column)), len(STEPS))

    def jittered(self, column: Column, scale: Floats, rng: np.random.Generator) -> Column:
        if self.grid is not None:
            return column
        return self.from_unit(within(self.unit(column) + scale * rng.normal(size=len(column)), 0.0, 1.0))

    def draw(self, n: int, rng: np.random.Generator) -> Column:
        """Uniform on the parameter's scale; on a grid uniform over its values."""
        if self.grid is not None:
            return self.grid.draw(n, rng)
        return self.from_unit(rng.random(n))

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Column:
        if self.grid is not None:
            return self.grid.draw_by_prior(n, rng)
        return self.from_unit(self.prior.draw(n, rng)) if self.prior else self.draw(n, rng)

    def log_prior(self, column: Column, least: float = 0.0) -> Floats:
        """Log of the prior density of the scaled value; on a grid of the value's probability."""
        if self.grid is not None:
            return self.grid.log_prior(column, least)
        u = np.clip(self.unit(column), EDGE, 1 - EDGE)
        density = self.prior.log_density(u) if self.prior else np.zeros(len(u))
        return np.maximum(density, math.log(least)) if least > 0 else density

    def definition(self) -> Mapping[str, Value | list[Value]]:
        return {"lo": self.lo, "hi": self.hi} | ({} if self.step is None else {"step": self.step})

    def summary(self) -> str:
        return f"{self.lo:g} .. {self.hi:g}{'' if self.step is None else f' step {self.step:g}'}"

    def parse(self, written: str) -> Value | None:
        value = text.number(written)
        if self.grid is not None:
            return None if value is None else self.canonical(float(value))
        return value if value is not None and self.lo <= value <= self.hi else None

    def expected(self, written: str) -> str:
        return f"it takes {self.summary()}"


def within(x: Floats, lo: float, hi: float) -> Floats:
    """`x` with lo <= x_i <= hi; `np.clip` takes several times as long for a few numbers."""
    return np.asarray(np.minimum(np.maximum(x, lo), hi))


def grid_values(name: str, lo: float, hi: float, step: float, span: Span | None) -> list[float]:
    """lo, lo + step, … up to hi, as decimals: 0.3, not 0.1 + 0.1 + 0.1. SpaceError for a step that is no number above
    0, or gives more than MOST_GRID values."""
    step = real_number(name, "step", step, span)
    if not (math.isfinite(step) and step > 0):
        raise SpaceError(f"{name}: step > 0 must hold, got {step=}", span)
    if (hi - lo) / step >= MOST_GRID:
        raise SpaceError(f"{name}: a grid has fewer than {MOST_GRID} values, got {step=}", span)
    first, distance = Decimal(repr(lo)), Decimal(repr(step))
    count = int((Decimal(repr(hi)) - first) // distance) + 1
    return [float(first + k * distance) for k in range(count)]
