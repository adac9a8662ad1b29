"""Lists of coordinates to level storage and back."""

from __future__ import annotations

import math

import numpy as np

from tunepass.diagnostics import TunepassError
from tunepass.ir.tensor import Element, Format
from tunepass.tensors.data import stored

# Dense levels may take this many positions for nothing, and so many more per entry: the extents that a file states
# cannot take all memory.
FREE_POSITIONS = 1 << 26
POSITIONS_PER_ENTRY = 64


def pack(name: str, coordinates: stored.Coordinates, format: Format, element: Element) -> stored.StoredTensor:
    """The tensor in `format`, entries at one coordinate summed, entries that are zero kept. Raises TunepassError."""
    indices, values = _sorted_distinct(name, coordinates, format.order, element)
    entries = values.size
    parents = np.zeros(entries, np.int64)  # (n,) position of each entry at the level so far
    positions = 1
    differs = np.zeros(entries, bool)  # whether an entry's coordinates so far differ from those of the one before
    differs[:1] = True
    levels = []
    for kind, mode, index in zip(format.levels, format.order, indices):
        extent = coordinates.extents[mode]
        differs[1:] |= index[1:] != index[:-1]
        if kind == "dense":
            positions *= extent
            _check_positions(name, positions, entries)
            parents = parents * extent + index
            levels.append(stored.StoredLevel(kind, extent))
        else:
            nodes = np.flatnonzero(differs)
            counts = np.bincount(parents[nodes], minlength=positions)  # (N_(l-1),)
            pos = np.zeros(positions + 1, np.int32)
            np.cumsum(counts, out=pos[1:])
            levels.append(stored.StoredLevel(kind, extent, pos, index[nodes].astype(np.int32)))
            parents, positions = np.cumsum(differs) - 1, nodes.size
    vals = np.zeros(positions, stored.DTYPE_OF[element])
    vals[parents] = values
    return stored.StoredTensor(
        name=name,
        extents=coordinates.extents,
        format=format,
        element=element,
        levels=tuple(levels),
        vals=vals,
    )


def unpack(tensor: stored.StoredTensor) -> stored.Coordinates:
    """Every stored position as an entry, those that dense levels fill with zeros too."""
    indices: list[stored.Int64s] = []  # by level, each (N_l,)
    positions = 1
    for level in tensor.levels:
        if level.pos is None or level.crd is None:
            parents = np.repeat(np.arange(positions), level.extent)
            index = np.tile(np.arange(level.extent), positions)
        else:
            parents = np.repeat(np.arange(positions), np.diff(level.pos))
            index = level.crd.astype(np.int64)
        indices = [*(above[parents] for above in indices), index]
        positions = index.size
    by_mode = np.zeros((len(indices), positions), np.int32)
    for mode, index in zip(tensor.format.order, indices):
        by_mode[mode] = index
    return stored.Coordinates(tensor.extents, by_mode, tensor.vals)


def _sorted_distinct(
    name: str, coordinates: stored.Coordinates, order: tuple[int, ...], element: Element
) -> tuple[stored.Int32s, stored.Values]:
    """Indices by level (m, n) and values, sorted by level and without duplicates."""
    ranks = _ranking(coordinates, order)
    indices = coordinates.indices[list(order)]
    values = coordinates.values
    if ranks is not None:
        indices, values = indices[:, ranks], values[ranks]
    different = np.zeros(values.size, bool)
    different[:1] = True
    for index in indices:
        different[1:] |= index[1:] != index[:-1]
    first = np.flatnonzero(different)
    if first.size < values.size:
        values = _summed(name, values, first, element)
        indices = indices[:, first]
    return indices, values.astype(stored.DTYPE_OF[element], copy=False)


def _ranking(coordinates: stored.Coordinates, order: tuple[int, ...]) -> stored.Int64s | None:
    """What sorts the entries by the modes in this order, stably; None where they are sorted."""
    if math.prod(coordinates.extents) >= 2**63:
        return np.lexsort([coordinates.indices[mode] for mode in reversed(order)])
    keys = np.zeros(coordinates.values.size, np.int64)
    for mode in order:
        keys *= coordinates.extents[mode]
        keys += coordinates.indices[mode]
    return None if bool(np.all(keys[1:] >= keys[:-1])) else np.argsort(keys, kind="stable")


def _summed(name: str, values: stored.Values, first: stored.Int64s, element: Element) -> stored.Values:
    """Sums of the runs that start at `first`."""
    about = np.add.reduceat(values.astype(np.float64), first)
    if not bool(np.all(np.abs(about) <= stored.LARGEST_OF[element])):
        raise TunepassError(f"{name}: entries at one coordinate are summed, and a sum does not fit into {element}")
    exact = np.add.reduceat(values.astype(np.int64), first) if element in ("int", "long") else about
    return exact.astype(stored.DTYPE_OF[element])


def _check_positions(name: str, positions: int, entries: int) -> None:
    most = min(stored.LARGEST_INT, FREE_POSITIONS + POSITIONS_PER_ENTRY * entries)
    if positions > most:
        raise TunepassError(
            f"{name}: its dense levels take {positions:,} positions for {entries:,} entries, and {most:,} are allowed",
            hint="store levels compressed: s instead of d in its format",
        )
