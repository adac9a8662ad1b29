"""What every kind of parameter answers, and the checks they share.

A column holds many values of one parameter: int64 for whole numbers, float64 for others, bool for Booleans, int64 codes
for strings, and (n, k) int64 item codes by position for a Permutation. A finite parameter's values also have an index,
their place in `domain`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.expr.typing import FUNCTIONS
from tunepass.space.configuration import Value
from tunepass.space.prior import Floats

Column = NDArray[np.generic]
Indices = NDArray[np.int64]
Number = int | float

RESERVED = frozenset(FUNCTIONS) | {"and", "or", "not", "in", "if", "else", "true", "false", "True", "False", "None"}
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


class Scaled:
    """Numeric kinds: a value's place in [0, 1] between the ends of the range, on the log scale if `log`."""

    __slots__ = ()
    log: bool

    def ends(self) -> tuple[float, float]:
        raise NotImplementedError

    def unit(self, column: Column) -> Floats:
        """Places (n,) of a column's values."""
        lo, hi = self.ends()
        x = np.asarray(column, dtype=np.float64)
        if lo == hi:
            return np.zeros_like(x)
        if self.log:
            return np.asarray((np.log(x) - math.log(lo)) / (math.log(hi) - math.log(lo)), dtype=np.float64)
        return np.asarray((x - lo) / (hi - lo), dtype=np.float64)


def freeze(parameter: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(parameter, name, value)


def check_name(name: str, span: Span | None) -> None:
    if not isinstance(name, str) or not _IDENTIFIER.match(name):
        raise SpaceError(f"a parameter's name is letters, digits and _, not starting with a digit, got {name!r}", span)
    if name in RESERVED:
        raise SpaceError(f"a parameter's name is not a word of the expression language, got {name!r}", span)


def check_range(name: str, lo: Number, hi: Number, log: bool, span: Span | None) -> None:
    if not (math.isfinite(lo) and math.isfinite(hi)):
        raise SpaceError(f"{name}: values must be finite, got {lo} and {hi}", span)
    if lo > hi:
        raise SpaceError(f"{name}: lo <= hi must hold, got {lo=}, {hi=}", span)
    if log and lo <= 0:
        raise SpaceError(f"{name}: a log scale needs positive values, got {lo:g}", span)


def distinct(name: str, values: Sequence[bool] | Sequence[Number] | Sequence[str], span: Span | None) -> tuple:  # type: ignore[type-arg]
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
        raise SpaceError(f"{name}: values are all strings, all numbers or all Booleans, got {shown(plain)}", span)
    seen: set[object] = set()
    for v in plain:
        if v in seen:
            raise SpaceError(f"{name}: values must be distinct, got {v!r} twice", span)
        seen.add(v)
    return plain


def one_number_type(values: tuple[Number, ...]) -> tuple[Number, ...]:
    """All int, or all float when any is."""
    return values if all(isinstance(v, int) for v in values) else tuple(float(v) for v in values)


def pick_default(parameter: ParameterBase, domain: tuple[Value, ...], default: Value | None) -> Value:
    """The first value unless a default is given; the domain's own equal value (16 for 16.0)."""
    if default is None:
        return domain[0]
    parameter.check(default)
    return domain[domain.index(default)]


class Lookup:
    """The values of a domain as a column, and the way back from values to their places."""

    __slots__ = ("_order", "_sorted", "ends", "table")

    def __init__(self, table: Column):
        rising = bool(np.less(table[:-1], table[1:]).all())
        self.table = table
        self._order: Indices | None = None if rising else np.argsort(table, kind="stable")
        self._sorted = table if self._order is None else table[self._order]
        self.ends = (float(self._sorted[0]), float(self._sorted[-1]))

    def find(self, column: Column) -> Indices:
        """Places (n,) of values in the table, -1 for one that is not in it."""
        place = self._sorted.searchsorted(column)
        np.minimum(place, len(self.table) - 1, out=place)
        if self._order is not None:
            place = self._order[place]
        return np.where(self.table[place] == column, place, -1)


def shown(values: Sequence[object]) -> str:
    words = [repr(v) for v in values[:8]]
    return ", ".join([*words, "…"] if len(values) > 8 else words)
