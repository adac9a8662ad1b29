"""Real parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.columns import Column, Indices, Mask
from tunepass.space.configuration import Value
from tunepass.space.parameters import text
from tunepass.space.parameters.axis import RealAxis
from tunepass.space.parameters.checks import check_name, check_range, flag, freeze, real_number
from tunepass.space.parameters.numeric import NumericParameter
from tunepass.space.prior import Beta, BetaLike, Floats, beta_prior

STEPS = np.array([sign * size for size in (0.2, 0.05, 0.01, 0.002) for sign in (-1, 1)])  # of the scaled range
EDGE = 0.005  # share of the scaled range at whose ends a prior is not looked at: some Beta densities are infinite there


@dataclass(frozen=True, slots=True, init=False)
class Real(NumericParameter):
    """A parameter of real numbers in [lo, hi]. Its space is not finite: it has no size.

    Args:
        name: an identifier that is no word of the expression language.
        lo: the smallest value.
        hi: the largest value.
        log: whether distances are those of logarithms; all values must be positive then.
        default: the value of the default configuration; None: the middle of the range, on the log scale if `log`.
        prior: where the best value is expected: `uniform`, `gaussian`, `decay`, `exponential`, or a Beta's (a, b).
        span: the place in a source, for diagnostics.

    Raises:
        SpaceError: an argument breaks its rule, or the default is outside the range.

    Example:
        >>> tp.Real("ratio", 0.25, 1.0).default
        0.625
    """

    name: str
    lo: float
    hi: float
    log: bool
    default: float
    prior: Beta | None
    span: Span | None = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        lo: float,
        hi: float,
        *,
        log: bool = False,
        default: float | None = None,
        prior: BetaLike | None = None,
        span: Span | None = None,
    ):
        check_name(name, span)
        lo, hi = real_number(name, "lo", lo, span), real_number(name, "hi", hi, span)
        log = flag(name, "log", log, span)
        check_range(name, lo, hi, log, span)
        if default is None:
            default = math.sqrt(lo) * math.sqrt(hi) if log else lo + (hi - lo) / 2
            default = min(max(default, lo), hi)
        default = real_number(name, "the default", default, span)
        freeze(self, name=name, lo=lo, hi=hi, log=log, default=default, span=span)
        freeze(self, prior=beta_prior(name, prior))
        self.check(self.default)

    def __str__(self) -> str:
        return f"real({self.lo:g}..{self.hi:g})"

    @property
    def type(self) -> nodes.Type:
        return nodes.RealType()

    @property
    def size(self) -> None:
        return None

    @property
    def domain(self) -> Sequence[Value]:
        raise SpaceError(f"{self.name}: a real parameter has no list of values", self.span)

    def ends(self) -> tuple[float, float]:
        return self.lo, self.hi

    def admits(self, value: object) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and self.lo <= value <= self.hi

    def canonical(self, value: object) -> Value | None:
        return float(value) if self.admits(value) else None  # type: ignore[arg-type]

    def column(self, values: Sequence[Value]) -> Column:
        return np.array(values, dtype=np.float64)

    def values(self, column: Column) -> list[Value]:
        return list(np.asarray(column, dtype=np.float64).tolist())

    def at(self, index: Indices) -> Column:
        raise SpaceError(f"{self.name}: a real parameter has no list of values", self.span)

    def find(self, column: Column) -> Indices:
        raise SpaceError(f"{self.name}: a real parameter has no list of values", self.span)

    def masses(self) -> Floats:
        raise SpaceError(f"{self.name}: a real parameter has no list of values", self.span)

    def inside(self, column: Column) -> Mask:
        x = np.asarray(column, dtype=np.float64)
        return (x >= self.lo) & (x <= self.hi)

    def axis(self) -> RealAxis:
        return RealAxis(self.name, self.prior, self.from_unit)

    def from_unit(self, u: Floats) -> Floats:
        if self.log:
            x = np.exp(math.log(self.lo) + u * (math.log(self.hi) - math.log(self.lo)))
        else:
            x = self.lo + u * (self.hi - self.lo)
        return np.asarray(np.clip(x, self.lo, self.hi), dtype=np.float64)

    def steps(self, column: Column, longest: int) -> tuple[Column, Indices]:
        """By each of STEPS."""
        u = np.clip(self.unit(column)[:, None] + STEPS, 0.0, 1.0)
        return self.from_unit(u.ravel()), np.repeat(np.arange(len(column)), len(STEPS))

    def jittered(self, column: Column, scale: Floats, rng: np.random.Generator) -> Column:
        return self.from_unit(np.clip(self.unit(column) + scale * rng.normal(size=len(column)), 0.0, 1.0))

    def draw(self, n: int, rng: np.random.Generator) -> Column:
        """Uniform on the parameter's scale."""
        return self.from_unit(rng.random(n))

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Column:
        return self.from_unit(self.prior.draw(n, rng)) if self.prior else self.draw(n, rng)

    def log_prior(self, column: Column, least: float = 0.0) -> Floats:
        """Log of the prior density of the scaled value."""
        u = np.clip(self.unit(column), EDGE, 1 - EDGE)
        density = self.prior.log_density(u) if self.prior else np.zeros(len(u))
        return np.maximum(density, math.log(least)) if least > 0 else density

    def definition(self) -> Mapping[str, Value | list[Value]]:
        return {"lo": self.lo, "hi": self.hi}

    def summary(self) -> str:
        return f"{self.lo:g} .. {self.hi:g}"

    def parse(self, written: str) -> Value | None:
        value = text.number(written)
        return value if value is not None and self.lo <= value <= self.hi else None

    def expected(self, written: str) -> str:
        return f"it takes {self.summary()}"
