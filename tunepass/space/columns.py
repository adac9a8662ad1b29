"""Many configurations at once: a column of values for each parameter, and what is done to all columns alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.numpy_eval import Columns as Columns

Column = NDArray[np.generic]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


def length(columns: Columns) -> int:
    """The number of rows; 0 without columns."""
    return len(next(iter(columns.values()))) if columns else 0


def take(columns: Columns, index: Indices | Mask | slice) -> Columns:
    """The rows at `index`."""
    return {name: column[index] for name, column in columns.items()}


def join(parts: Sequence[Columns]) -> Columns:
    """All rows of `parts` (at least one) in order."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def replaced(columns: Columns, values: Mapping[str, tuple[Column, Indices]]) -> tuple[Columns, Indices]:
    """Rows of `columns` with one value replaced, and which row each was.

    `values`: new values (m,) by parameter, and the row that each goes into.
    """
    owner = np.concatenate([np.zeros(0, dtype=np.int64), *(owners for _, owners in values.values())])
    rows = take(columns, owner)
    end = 0
    for name, (column, _) in values.items():
        begin, end = end, end + len(column)
        rows[name][begin:end] = column
    return rows, owner


def keys(columns: Columns) -> Indices:
    """Rows as 64-bit words (n, m), equal exactly where the configurations are."""
    words = [c.view(np.int64) if c.dtype == np.float64 else c.astype(np.int64) for c in columns.values()]
    return np.concatenate([w.reshape(len(w), math.prod(w.shape[1:])) for w in words], axis=1)
