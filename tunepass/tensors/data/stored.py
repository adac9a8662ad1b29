"""A tensor's numbers: as a list of coordinates, and as stored level by level.

| symbol | shape | meaning |
|---|---|---|
| n | | entries of a list of coordinates |
| m | | modes of the tensor, which are also its levels |
| N_l | | positions of level l; N_(-1) = 1 |
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tunepass.ir.tensor import Element, Format, Level

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Number = np.float64 | np.float32 | np.int32 | np.int64
Values = NDArray[Number]

DTYPE_OF: dict[Element, np.dtype[Number]] = {
    "double": np.dtype(np.float64),
    "float": np.dtype(np.float32),
    "int": np.dtype(np.int32),
    "long": np.dtype(np.int64),
}
LARGEST_OF: dict[Element, int | float] = {
    "double": float(np.finfo(np.float64).max),
    "float": float(np.finfo(np.float32).max),
    "int": 2**31 - 1,
    "long": 2**63 - 1024,  # of what a double holds
}
LARGEST_INT = 2**31 - 1  # `pos` and `crd` are C's int


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """Entries in any order, duplicates allowed: entry e stands at `indices[:, e]`, each below its extent."""

    extents: tuple[int, ...]
    indices: Int32s  # (m, n)
    values: Values  # (n,)


@dataclass(frozen=True, slots=True, eq=False)
class StoredLevel:
    """A level: of a compressed one, parent p's coordinates are `crd[pos[p]:pos[p + 1]]`, ascending."""

    kind: Level
    extent: int
    pos: Int32s | None = None  # (N_(l-1) + 1,)
    crd: Int32s | None = None  # (N_l,)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StoredTensor:
    """A tensor in its format; `extents` are by mode, `levels` in storage order. `path` is the file that holds exactly
    these arrays, where there is one (see `cache`)."""

    name: str
    extents: tuple[int, ...]
    format: Format
    element: Element
    levels: tuple[StoredLevel, ...]
    vals: Values  # (N_(m-1),)
    path: Path | None = None
