"""The five kinds of parameter: frozen values that check themselves and convert between values and columns.

A column holds many values of one parameter: int64 for whole numbers, float64 for others, bool for Booleans, int64 codes
for strings, and (n, k) int64 item codes by position for a Permutation. A finite parameter's values also have an index,
their place in `domain`.
"""

from __future__ import annotations

import itertools
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.expr.typing import FUNCTIONS
from tunepass.space.configuration import Value
from tunepass.space.prior import (
    Beta,
    BetaLike,
    Floats,
    beta_prior,
    position_weights,
    probabilities,
    value_masses,
)

Column = NDArray[np.generic]
Indices = NDArray[np.int64]
Number = int | float

RESERVED = frozenset(FUNCTIONS) | {"and", "or", "not", "in", "if", "else", "true", "false", "True", "False", "None"}
PERMUTATION_LIMIT = 20  # items: 20! still fits 63 bits
DOMAIN_LIMIT = 1 << 22  # values that `domain` of a permutation may list
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class ParameterBase(ABC):
    """What every kind answers; `Parameter` is the union of the five."""

    __slots__ = ()
    name: str
    span: Span | None

    @property
    @abstractmethod
    def type(self) -> nodes.Type:
        """The type of the parameter's name in expressions."""

    @property
    @abstractmethod
    def size(self) -> int | None:
        """How many values there are; None for a Real."""

    @property
    @abstractmethod
    def domain(self) -> Sequence[Value]:
        """The values in order; a Real has none to list and raises."""

    @abstractmethod
    def admits(self, value: object) -> bool:
        """Is `value` one of the parameter's values?"""

    @abstractmethod
    def column(self, values: Sequence[Value]) -> Column:
        """A column of `values`, all of them admitted."""

    @abstractmethod
    def values(self, column: Column) -> list[Value]:
        """The inverse of `column`."""

    @abstractmethod
    def at(self, index: Indices) -> Column:
        """The column of the values at places `index` of the domain."""

    @abstractmethod
    def find(self, column: Column) -> Indices:
        """Places in the domain of a column's values, -1 for one that is not in it."""

    @abstractmethod
    def masses(self) -> Floats:
        """The prior probability of every value of the domain (a permutation: of every item at every position)."""

    def check(self, value: object) -> None:
        if not self.admits(value):
            raise SpaceError(f"{self.name}: {value!r} is not one of its values ({self})", self.span)


class _Scaled:
    """Numeric kinds: a value's place in [0, 1] between the ends of the range, on the log scale if `log`."""

    __slots__ = ()
    log: bool

    def ends(self) -> tuple[float, float]:
        raise NotImplementedError

    def unit(self, column: Column) -> Floats:
        lo, hi = self.ends()
        x = np.asarray(column, dtype=np.float64)
        if lo == hi:
            return np.zeros_like(x)
        if self.log:
            return np.asarray((np.log(x) - math.log(lo)) / (math.log(hi) - math.log(lo)), dtype=np.float64)
        return np.asarray((x - lo) / (hi - lo), dtype=np.float64)


@dataclass(frozen=True, slots=True, init=False)
class Real(_Scaled, ParameterBase):
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
        _check_name(name, span)
        _check_range(name, float(lo), float(hi), log, span)
        if default is None:
            default = math.sqrt(lo) * math.sqrt(hi) if log else lo + (hi - lo) / 2
            default = min(max(default, lo), hi)
        _freeze(self, name=name, lo=float(lo), hi=float(hi), log=log, default=float(default), span=span)
        _freeze(self, prior=beta_prior(name, prior))
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


@dataclass(frozen=True, slots=True, init=False)
class Integer(_Scaled, ParameterBase):
    """Whole numbers lo, lo + step, … up to hi; `default` is lo."""

    name: str
    lo: int
    hi: int
    step: int
    log: bool
    default: int
    prior: Beta | None
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
        span: Span | None = None,
    ):
        _check_name(name, span)
        for what, number in (("lo", lo), ("hi", hi), ("step", step)):
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or abs(int(number)) >= 1 << 62:
                raise SpaceError(f"{name}: {what} is a whole number below 2**62, got {number!r}", span)
        _check_range(name, lo, hi, log, span)
        if step < 1:
            raise SpaceError(f"{name}: step >= 1 must hold, got {step=}", span)
        hi = int(lo) + (int(hi) - int(lo)) // int(step) * int(step)
        _freeze(self, name=name, lo=int(lo), hi=hi, step=int(step), log=log, span=span)
        _freeze(self, default=int(lo) if default is None else default, prior=beta_prior(name, prior))
        self.check(self.default)

    def __str__(self) -> str:
        return f"integer({self.lo}..{self.hi}{f' step {self.step}' if self.step != 1 else ''})"

    @property
    def type(self) -> nodes.Type:
        return nodes.Integer()

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
        place, rest = np.divmod(np.asarray(column, dtype=np.int64) - self.lo, self.step)
        return np.where((rest == 0) & (place >= 0) & (place < self.size), place, -1)

    def masses(self) -> Floats:
        return value_masses(self.prior, self.unit(self.at(np.arange(self.size))))

    def draw(self, n: int, rng: np.random.Generator, *, prior: bool = False) -> Indices:
        """Places in the domain (n,), without listing it: the prior's draw, at the closest value."""
        if not prior or self.prior is None or (self.prior.a == self.prior.b == 1) or self.size == 1:
            return rng.integers(self.size, size=n)
        if self.log:
            edges = [(3 * u0 - u1) / 2 for u0, u1 in self._end_units()]
            u = edges[0] + self.prior.draw(n, rng) * (edges[1] - edges[0])
            x = np.exp(math.log(self.lo) + u * (math.log(self.hi) - math.log(self.lo)))
        else:
            x = self.lo + (self.prior.draw(n, rng) * self.size - 0.5) * self.step
        return np.clip(np.rint((x - self.lo) / self.step), 0, self.size - 1).astype(np.int64)

    def log_density(self, column: Column) -> Floats:
        """Log of the prior probability of every value (n,), without listing the domain."""
        if self.prior is None or (self.prior.a == self.prior.b == 1) or self.size == 1:
            return np.full(len(column), -math.log(self.size))
        x = np.asarray(column, dtype=np.float64)
        (u0, u1), (u9, u8) = self._end_units()
        first, last = (3 * u0 - u1) / 2, (3 * u9 - u8) / 2
        below, here, above = (self.unit(np.clip(x + s, self.lo, self.hi)) for s in (-self.step, 0, self.step))
        lo = np.where(x == self.lo, first, (below + here) / 2)
        hi = np.where(x == self.hi, last, (here + above) / 2)
        mass = self.prior.mass((lo - first) / (last - first), (hi - first) / (last - first))
        return np.asarray(np.log(mass), dtype=np.float64)

    def _end_units(self) -> list[tuple[float, float]]:
        """The scaled (outermost, next) values at both ends."""
        u = self.unit(self.at(np.array([0, 1, self.size - 1, self.size - 2])))
        return [(float(u[0]), float(u[1])), (float(u[2]), float(u[3]))]


@dataclass(frozen=True, slots=True, init=False)
class Ordinal(_Scaled, ParameterBase):
    """Numbers from a list, whose differences mean something; `default` is the first."""

    name: str
    domain: tuple[Number, ...]
    log: bool
    default: Number
    prior: Beta | None
    span: Span | None = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        values: Sequence[Number],
        *,
        log: bool = False,
        default: Number | None = None,
        prior: BetaLike | None = None,
        span: Span | None = None,
    ):
        _check_name(name, span)
        domain = _distinct(name, values, span)
        if not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in domain):
            raise SpaceError(f"{name}: ordinal values are numbers, got {_shown(domain)}", span, "use categorical")
        domain = _one_number_type(domain)
        _check_range(name, min(domain), max(domain), log, span)
        _freeze(self, name=name, domain=domain, log=log, span=span)
        _freeze(self, default=_pick_default(self, domain, default), prior=beta_prior(name, prior))

    def __str__(self) -> str:
        return f"ordinal({_shown(self.domain)})"

    @property
    def type(self) -> nodes.Type:
        return nodes.Integer() if isinstance(self.domain[0], int) else nodes.Real()

    @property
    def size(self) -> int:
        return len(self.domain)

    def ends(self) -> tuple[float, float]:
        return float(min(self.domain)), float(max(self.domain))

    def admits(self, value: object) -> bool:
        return not isinstance(value, (bool, np.bool_)) and value in self.domain

    def column(self, values: Sequence[Value]) -> Column:
        return np.array(values, dtype=np.int64 if isinstance(self.domain[0], int) else np.float64)

    def values(self, column: Column) -> list[Value]:
        return list(column.tolist())

    def at(self, index: Indices) -> Column:
        return np.asarray(self.column(self.domain)[index])

    def find(self, column: Column) -> Indices:
        return _find_sorted(self.column(self.domain), column)

    def masses(self) -> Floats:
        return value_masses(self.prior, self.unit(self.column(self.domain)))


@dataclass(frozen=True, slots=True, init=False)
class Categorical(ParameterBase):
    """Values without an order: all strings, all numbers or all Booleans; `default` is the first."""

    name: str
    domain: tuple[Value, ...]
    default: Value
    prior: tuple[float, ...] | None
    span: Span | None = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        values: Sequence[bool] | Sequence[Number] | Sequence[str],
        *,
        default: Value | None = None,
        prior: Sequence[float] | str | None = None,
        span: Span | None = None,
    ):
        _check_name(name, span)
        domain: tuple[Value, ...] = _distinct(name, values, span)
        kinds = {"string" if isinstance(v, str) else "Boolean" if isinstance(v, bool) else "number" for v in domain}
        if len(kinds) > 1:
            raise SpaceError(f"{name}: values are all strings, all numbers or all Booleans, got {_shown(domain)}", span)
        if kinds == {"number"}:
            domain = _one_number_type(domain)  # type: ignore[arg-type]
        _freeze(self, name=name, domain=domain, span=span)
        _freeze(self, default=_pick_default(self, domain, default), prior=probabilities(name, prior, len(domain)))

    def __str__(self) -> str:
        return f"categorical({_shown(self.domain)})"

    @property
    def type(self) -> nodes.Type:
        first = self.domain[0]
        if isinstance(first, str):
            return nodes.Category(tuple(str(v) for v in self.domain))
        if isinstance(first, bool):
            return nodes.Bool()
        return nodes.Integer() if isinstance(first, int) else nodes.Real()

    @property
    def size(self) -> int:
        return len(self.domain)

    def admits(self, value: object) -> bool:
        return isinstance(value, bool) == isinstance(self.domain[0], bool) and value in self.domain

    def _table(self) -> Column:
        first = self.domain[0]
        if isinstance(first, str):
            return np.arange(len(self.domain), dtype=np.int64)
        return np.array(
            self.domain,
            dtype=np.bool_ if isinstance(first, bool) else np.int64 if isinstance(first, int) else np.float64,
        )

    def column(self, values: Sequence[Value]) -> Column:
        place = {value: i for i, value in enumerate(self.domain)}
        return self.at(np.array([place[v] for v in values], dtype=np.int64))

    def values(self, column: Column) -> list[Value]:
        if isinstance(self.domain[0], str):
            return [self.domain[i] for i in column.tolist()]
        return list(column.tolist())

    def at(self, index: Indices) -> Column:
        return np.asarray(self._table()[index])

    def find(self, column: Column) -> Indices:
        return _find_sorted(self._table(), column)

    def masses(self) -> Floats:
        n = len(self.domain)
        return np.full(n, 1.0 / n) if self.prior is None else np.array(self.prior)


@dataclass(frozen=True, slots=True, init=False)
class Permutation(ParameterBase):
    """Orders of `items` (0..k-1, or strings): a value is a tuple of all items; `default` is the order given."""

    name: str
    items: tuple[int | str, ...]
    default: tuple[int | str, ...]
    prior: tuple[tuple[float, ...], ...] | None
    span: Span | None = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        items: int | Sequence[str],
        *,
        default: Sequence[int | str] | None = None,
        prior: Sequence[Sequence[float]] | None = None,
        span: Span | None = None,
    ):
        _check_name(name, span)
        count = items if isinstance(items, int) else len(items)
        if isinstance(items, bool) or not 1 <= count <= PERMUTATION_LIMIT:
            raise SpaceError(f"{name}: a permutation has 1 to {PERMUTATION_LIMIT} items, got {items!r}", span)
        listed: tuple[int | str, ...] = tuple(range(items)) if isinstance(items, int) else _distinct(name, items, span)
        if not isinstance(items, int) and not all(isinstance(v, str) for v in listed):
            raise SpaceError(f"{name}: items are a count or a list of strings, got {_shown(listed)}", span)
        _freeze(self, name=name, items=listed, span=span, prior=position_weights(name, prior, len(listed)))
        _freeze(self, default=listed if default is None else tuple(default))
        self.check(self.default)

    def __str__(self) -> str:
        return f"permutation({_shown(self.items)})"

    @property
    def type(self) -> nodes.Type:
        return nodes.Order(self.items)

    @property
    def size(self) -> int:
        return math.factorial(len(self.items))

    @property
    def domain(self) -> Sequence[Value]:
        if self.size > DOMAIN_LIMIT:
            raise SpaceError(f"{self.name}: {self.size} orders are too many to list", self.span)
        return list(itertools.permutations(self.items))

    def admits(self, value: object) -> bool:
        if not isinstance(value, tuple) or len(value) != len(self.items) or any(isinstance(v, bool) for v in value):
            return False
        return set(value) == set(self.items)

    def column(self, values: Sequence[Value]) -> Column:
        place = {item: i for i, item in enumerate(self.items)}
        rows = [[place[item] for item in value] for value in values if isinstance(value, tuple)]
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(self.items))

    def values(self, column: Column) -> list[Value]:
        if isinstance(self.items[0], int):
            return [tuple(row) for row in column.tolist()]
        return [tuple(self.items[i] for i in row) for row in column.tolist()]

    def at(self, index: Indices) -> Column:
        """Orders (n, k) by their place in lexicographic order: the factorial number system."""
        k = len(self.items)
        left = np.tile(np.arange(k), (len(index), 1))
        out = np.empty((len(index), k), dtype=np.int64)
        rest, row = np.asarray(index, dtype=np.int64), np.arange(len(index))
        for p in range(k):
            digit, rest = np.divmod(rest, math.factorial(k - 1 - p))
            out[:, p] = left[row, digit]
            keep = np.arange(k - p)[None, :] != digit[:, None]
            left = left[keep].reshape(len(index), k - p - 1)
        return out

    def find(self, column: Column) -> Indices:
        k = len(self.items)
        rows = np.asarray(column, dtype=np.int64)
        place = np.zeros(len(rows), dtype=np.int64)
        for p in range(k):
            smaller_later = (rows[:, p + 1 :] < rows[:, p : p + 1]).sum(axis=1)
            place += smaller_later * math.factorial(k - 1 - p)
        valid = (np.sort(rows, axis=1) == np.arange(k)).all(axis=1)
        return np.where(valid, place, -1)

    def masses(self) -> Floats:
        """Weights (k, k) of every item at every position."""
        k = len(self.items)
        return np.full((k, k), 1.0 / k) if self.prior is None else np.array(self.prior)


Parameter = Real | Integer | Ordinal | Categorical | Permutation


def _freeze(parameter: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(parameter, name, value)


def _check_name(name: str, span: Span | None) -> None:
    if not isinstance(name, str) or not _IDENTIFIER.match(name):
        raise SpaceError(f"a parameter's name is letters, digits and _, not starting with a digit, got {name!r}", span)
    if name in RESERVED:
        raise SpaceError(f"a parameter's name is not a word of the expression language, got {name!r}", span)


def _check_range(name: str, lo: Number, hi: Number, log: bool, span: Span | None) -> None:
    if not (math.isfinite(lo) and math.isfinite(hi)):
        raise SpaceError(f"{name}: values must be finite, got {lo} and {hi}", span)
    if lo > hi:
        raise SpaceError(f"{name}: lo <= hi must hold, got {lo=}, {hi=}", span)
    if log and lo <= 0:
        raise SpaceError(f"{name}: a log scale needs positive values, got {lo}", span)


def _distinct(name: str, values: Sequence[bool] | Sequence[Number] | Sequence[str], span: Span | None) -> tuple:  # type: ignore[type-arg]
    """The values as plain Python values, not empty and without duplicates; True and 1 count as different kinds."""
    if isinstance(values, str):
        raise SpaceError(f"{name}: values are a list, got the string {values!r}", span)
    plain = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
    if not plain:
        raise SpaceError(f"{name}: at least one value is needed, got none", span)
    for v in plain:
        if not isinstance(v, (bool, int, float, str)):
            raise SpaceError(f"{name}: values are numbers, strings or Booleans, got {v!r}", span)
        if isinstance(v, (int, float)) and (not math.isfinite(v) or (isinstance(v, int) and abs(v) >= 1 << 63)):
            raise SpaceError(f"{name}: values must be finite and below 2**63, got {v!r}", span)
    if any(isinstance(v, bool) for v in plain) and not all(isinstance(v, bool) for v in plain):
        raise SpaceError(f"{name}: values are all strings, all numbers or all Booleans, got {_shown(plain)}", span)
    seen: set[object] = set()
    for v in plain:
        if v in seen:
            raise SpaceError(f"{name}: values must be distinct, got {v!r} twice", span)
        seen.add(v)
    return plain


def _one_number_type(values: tuple[Number, ...]) -> tuple[Number, ...]:
    """All int, or all float when any is."""
    return values if all(isinstance(v, int) for v in values) else tuple(float(v) for v in values)


def _pick_default(parameter: ParameterBase, domain: tuple[Value, ...], default: Value | None) -> Value:
    """The first value unless a default is given; the domain's own equal value (16 for 16.0)."""
    if default is None:
        return domain[0]
    parameter.check(default)
    return domain[domain.index(default)]


def _find_sorted(table: Column, column: Column) -> Indices:
    order = np.argsort(table, kind="stable")
    place = np.searchsorted(table[order], column).clip(max=len(table) - 1)
    found = order[place]
    return np.where(table[found] == column, found, -1).astype(np.int64)


def _shown(values: Sequence[object]) -> str:
    shown = [repr(v) for v in values[:8]]
    return ", ".join([*shown, "…"] if len(values) > 8 else shown)
