"""Nondominated sets and exact hypervolumes of losses. Those of four and more objectives are moocore's.

losses     (n, m)  smaller is better; finite
reference  (m,)    the corner the hypervolume is measured to
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunepass._native import ffi, lib
from tunepass.diagnostics import StudyError

Floats = NDArray[np.float64]


def nondominated(losses: ArrayLike) -> NDArray[np.bool_]:
    """Mask (n,) of the rows that no row dominates: exact, for any m; equal rows stand or fall together."""
    rows = _rows(losses)
    n, m = rows.shape
    if m == 0 or n == 0:
        return np.ones(n, dtype=bool)
    order = np.lexsort(rows.T[::-1])
    ordered = np.ascontiguousarray(rows[order])
    keep = np.empty(n, dtype=np.uint8)
    if lib.tp_pareto_mask(_pointer(ordered), n, m, ffi.from_buffer("uint8_t[]", keep)) != 0:
        raise MemoryError("nondominated")
    mask = np.empty(n, dtype=bool)
    mask[order] = keep.astype(bool)
    return mask


def hypervolume(losses: ArrayLike, reference: Sequence[float]) -> float:
    """Volume of what `losses` (n, m) dominate below `reference` (m,), exactly; StudyError if m > 3 and no moocore."""
    rows, corner = _rows(losses), np.ascontiguousarray(reference, dtype=np.float64)
    m = corner.size
    if m < 1:
        raise ValueError("hypervolume: the reference needs at least one objective")
    if rows.shape[1] != m and rows.size:
        raise ValueError(f"hypervolume: losses and reference must agree, got {rows.shape[1]} and {m} objectives")
    if not np.isfinite(corner).all():
        raise ValueError("hypervolume: the reference must be finite")
    rows = rows[(rows < corner).all(axis=1)] if rows.size else np.empty((0, m))
    if not len(rows):
        return 0.0
    if m == 1:
        return float(corner[0] - rows.min())
    if m > 3:
        return _many(rows[nondominated(rows)], corner)
    rows = np.ascontiguousarray(rows[np.lexsort(rows.T if m == 3 else rows.T[::-1])])
    if m == 2:
        return float(lib.tp_pareto_area(_pointer(rows), len(rows), corner[0], corner[1]))
    volume = np.empty(1)
    if lib.tp_pareto_volume(_pointer(rows), len(rows), _pointer(corner), ffi.from_buffer("double[]", volume)) != 0:
        raise MemoryError("hypervolume")
    return float(volume[0])


def _many(front: Floats, corner: Floats) -> float:
    """Hypervolume of m > 3 objectives by moocore: HV4D+, recursion above it (Guerreiro & Fonseca 2018)."""
    try:
        import moocore
    except ImportError as error:
        raise StudyError(
            f"a hypervolume of {len(corner)} objectives needs moocore", hint="pip install 'tunepass[objectives]'"
        ) from error
    return float(moocore.hypervolume(front, ref=corner))


def _rows(losses: ArrayLike) -> Floats:
    rows = np.ascontiguousarray(losses, dtype=np.float64)
    if rows.ndim == 1 and rows.size == 0:
        rows = rows.reshape(0, 0)
    if rows.ndim != 2:
        raise ValueError(f"losses must have shape (n, m), got {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("losses must be finite")
    return rows


def _pointer(rows: Floats) -> object:
    return ffi.from_buffer("double[]", rows)
