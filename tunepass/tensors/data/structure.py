"""Invariants of a stored tensor's arrays on which generated code relies."""

from __future__ import annotations

import numpy as np

from tunepass.tensors.data.stored import LARGEST_INT, StoredTensor


def well_formed(tensor: StoredTensor) -> bool:
    """Whether generated code stays within the arrays: `pos` ascends from 0 to the end of `crd`, `crd` ascends strictly
    within each segment and stays below its extent, and every position has its value, which is finite."""
    positions = 1
    for level in tensor.levels:
        if not 1 <= level.extent <= LARGEST_INT:
            return False
        if level.pos is None or level.crd is None:
            positions *= level.extent
            continue
        pos, crd = level.pos, level.crd
        if pos.size != positions + 1 or pos[0] != 0 or pos[-1] != crd.size or bool(np.any(pos[1:] < pos[:-1])):
            return False
        if crd.size and (int(crd.min()) < 0 or int(crd.max()) >= level.extent):
            return False
        ascends = crd[1:] > crd[:-1]
        ascends[pos[(pos > 0) & (pos < crd.size)] - 1] = True
        if not bool(ascends.all()):
            return False
        positions = crd.size
    return tensor.vals.size == positions <= LARGEST_INT and bool(np.isfinite(tensor.vals).all())
