"""Real parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.configuration import Value
from tunepass.space.parameters.base import (
    Column,
    Indices,
    ParameterBase,
    Scaled,
    check_name,
    check_range,
    freeze,
)
from tunepass.space.prior import Beta, BetaLike, Floats, beta_prior


@dataclass(frozen=True, slots=True, init=False)
class Real(Scaled, ParameterBase):
    """Real numbers in [lo, hi]; `default` is the middle of the range, on the log scale if `log`."""

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
        check_range(name, float(lo), float(hi), log, span)
        if default is None:
            default = math.sqrt(lo) * math.sqrt(hi) if log else lo + (hi - lo) / 2
            default = min(max(default, lo), hi)
        freeze(self, name=name, lo=float(lo), hi=float(hi), log=log, default=float(default), span=span)
        freeze(self, prior=beta_prior(name, prior))
        self.check(self.default)

    def __str__(self) -> str:
        return f"real({self.lo:g}..{self.hi:g})"

    @property
    def type(self) -> nodes.Type:
        return nodes.Real()

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

    def inside(self, column: Column) -> NDArray[np.bool_]:
        """Which values (n,) are in the range."""
        x = np.asarray(column, dtype=np.float64)
        return (x >= self.lo) & (x <= self.hi)

    def from_unit(self, u: Floats) -> Floats:
        """The inverse of `unit`."""
        if self.log:
            x = np.exp(math.log(self.lo) + u * (math.log(self.hi) - math.log(self.lo)))
        else:
            x = self.lo + u * (self.hi - self.lo)
        return np.asarray(np.clip(x, self.lo, self.hi), dtype=np.float64)

    def draw(self, n: int, rng: np.random.Generator, *, prior: bool = False) -> Floats:
        """Values (n,), uniform on the parameter's scale, or from its prior."""
        return self.from_unit(self.prior.draw(n, rng) if prior and self.prior else rng.random(n))

    def log_density(self, column: Column) -> Floats:
        """Log of the prior density of the scaled value."""
        u = self.unit(column)
        return self.prior.log_density(u) if self.prior else np.zeros(len(u))
