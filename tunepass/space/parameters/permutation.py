"""Orders of a few items."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import SpaceError, Span
from tunepass.expr import nodes
from tunepass.space.configuration import Value
from tunepass.space.parameters.base import (
    Column,
    Indices,
    ParameterBase,
    check_name,
    distinct,
    freeze,
    shown,
)
from tunepass.space.prior import Floats, position_weights

PERMUTATION_LIMIT = 20  # items: 20! still fits 63 bits
DOMAIN_LIMIT = 1 << 22  # values that `domain` of a permutation may list


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
        check_name(name, span)
        count = items if isinstance(items, int) else len(items)
        if isinstance(items, bool) or not 1 <= count <= PERMUTATION_LIMIT:
            raise SpaceError(f"{name}: a permutation has 1 to {PERMUTATION_LIMIT} items, got {items!r}", span)
        listed: tuple[int | str, ...] = tuple(range(items)) if isinstance(items, int) else distinct(name, items, span)
        if not isinstance(items, int) and not all(isinstance(v, str) for v in listed):
            raise SpaceError(f"{name}: items are a count or a list of strings, got {shown(listed)}", span)
        freeze(self, name=name, items=listed, span=span, prior=position_weights(name, prior, len(listed)))
        freeze(self, default=listed if default is None else tuple(default))
        self.check(self.default)

    def __str__(self) -> str:
        return f"permutation({shown(self.items)})"

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
