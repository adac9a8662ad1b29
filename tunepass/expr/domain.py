"""Domain of a name: a range, or a list of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.nodes import INT_MAX, INT_MIN, BoolType, CategoryType, IntegerType, RealType, Type


@dataclass(frozen=True, slots=True)
class Interval:
    """All integers or reals in [lo, hi], both included."""

    lo: int | float
    hi: int | float

    def __post_init__(self) -> None:
        if not self.lo <= self.hi:
            raise ValueError(f"lo <= hi must hold, got {self.lo=}, {self.hi=}")


# Values: Booleans, numbers, or strings of a Category (an integer array may hold its codes). The domain of an Order is
# not looked at: any permutation may occur.
Domain = Interval | Sequence[bool] | Sequence[int] | Sequence[float] | Sequence[str] | NDArray[np.generic]
Number = int | float


def ends(domain: Domain | None, kind: Type) -> tuple[Number, Number]:
    """Smallest and largest value; category codes for strings. Without a domain, all of the type."""
    if isinstance(domain, Interval):
        return (float(domain.lo), float(domain.hi)) if isinstance(kind, RealType) else (int(domain.lo), int(domain.hi))
    if domain is None:
        return _all_of(kind)
    values = [number(v, kind) for v in (domain.tolist() if isinstance(domain, np.ndarray) else domain)]
    return (min(values), max(values)) if values else _all_of(kind)


def number(value: object, kind: Type) -> Number:
    """A value as intervals and columns hold it."""
    if isinstance(kind, CategoryType) and isinstance(value, str):
        return kind.values.index(value)
    return float(value) if isinstance(kind, RealType) else int(value)  # type: ignore[arg-type, call-overload]


def _all_of(kind: Type) -> tuple[Number, Number]:
    if isinstance(kind, IntegerType):
        return INT_MIN, INT_MAX
    if isinstance(kind, BoolType):
        return 0, 1
    return (0, len(kind.values) - 1) if isinstance(kind, CategoryType) else (-np.inf, np.inf)
