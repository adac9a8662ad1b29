"""Operations on columns: many configurations at once, one array a parameter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.numpy_eval import Columns as Columns


def length(columns: Columns) -> int:
    return len(next(iter(columns.values())))


def take(columns: Columns, index: NDArray[np.int64] | NDArray[np.bool_] | slice) -> Columns:
    return {name: column[index] for name, column in columns.items()}


def join(parts: Sequence[Columns]) -> Columns:
    """All rows of `parts` (at least one) in order."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
