"""Partial assignments, the nodes of one layer of a diagram, many at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.numpy_ops import Result
from tunepass.space.columns import Column, Indices, Mask
from tunepass.space.feasible.diagram.terms import Term

T = TypeVar("T", bound=np.generic)


@dataclass(slots=True)
class Rows:
    """Partial assignments (n,): values (and statuses) of frontier terms, settled constraints, items used so far."""

    n: int
    terms: dict[Term, Result] = field(default_factory=dict)
    done: dict[int, Mask] = field(default_factory=dict)
    used: dict[str, Indices] = field(default_factory=dict)

    def take(self, index: Indices) -> Rows:
        pick = {t: (v[index], None if s is None else s[index]) for t, (v, s) in self.terms.items()}
        done = {c: d[index] for c, d in self.done.items()}
        return Rows(len(index), pick, done, {p: u[index] for p, u in self.used.items()})

    def key(self) -> Indices:
        """Keys of the rows, (n, columns) of 64-bit words: equal for equal rows."""
        columns: list[Indices] = list(self.used.values())
        for values, status in self.terms.values():
            if values.dtype == np.float64:
                columns.append((values + 0.0).view(np.int64))
            else:
                columns.append(values.astype(np.int64, copy=False))
            if status is not None:
                columns.append(status.astype(np.int64))
        columns += [d.astype(np.int64) for d in self.done.values()]
        return np.stack(columns, axis=1) if columns else np.zeros((self.n, 0), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Choices:
    """The column and the value indices (into the parameter's domain, or items) that one variable may take."""

    column: Column
    index: Indices
    width: int

    @classmethod
    def of(cls, values: Column) -> Choices:
        """All of a variable's values."""
        return cls(values, np.arange(len(values)), len(values))

    def take(self, index: Indices | Mask) -> Choices:
        """Some of the values."""
        return Choices(self.column[index], self.index[index], self.width)


@dataclass(frozen=True, slots=True)
class PairSelection:
    """Takes the surviving pairs' entries of an array over rows, values, or pairs."""

    flat: Indices
    source: Indices
    value: Indices
    n: int
    d: int

    def __call__(self, a: NDArray[T]) -> NDArray[T]:
        if a.ndim == 0:
            return np.full(len(self.flat), a, dtype=a.dtype)
        if a.shape == (self.n, self.d):
            return a.reshape(-1)[self.flat]
        if a.shape == (self.n, 1):
            by_row: NDArray[T] = a[self.source, 0]
            return by_row
        by_value: NDArray[T] = a[0, self.value if a.shape[1] > 1 else np.zeros_like(self.value)]
        return by_value


def joined(parts: Sequence[NDArray[T]]) -> NDArray[T]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def stacked(parts: list[Rows]) -> Rows:
    """Rows of all parts; a status or settled flag that some parts lack is zero there."""
    terms: dict[Term, Result] = {}
    for t in dict.fromkeys(t for p in parts for t in p.terms):
        values = np.concatenate([p.terms[t][0] if t in p.terms else np.zeros(p.n, dtype=np.int64) for p in parts])
        statuses = [p.terms[t][1] if t in p.terms else None for p in parts]
        status = None
        if any(s is not None for s in statuses):
            status = np.concatenate([np.zeros(p.n, np.uint8) if s is None else s for p, s in zip(parts, statuses)])
        terms[t] = (values, status)
    done = {
        c: np.concatenate([p.done[c] if c in p.done else np.zeros(p.n, dtype=bool) for p in parts])
        for c in dict.fromkeys(c for p in parts for c in p.done)
    }
    used = {name: np.concatenate([p.used[name] for p in parts]) for name in parts[0].used}
    return Rows(sum(p.n for p in parts), terms, done, used)
