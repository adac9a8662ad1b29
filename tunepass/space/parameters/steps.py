"""Neighbours one step away in a list of values and in an order of items."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

from tunepass.space.columns import Indices

EVERY_REORDERING = 20  # items


def index_steps(index: Indices, size: int, longest: int) -> tuple[Indices, Indices]:
    """Other indices of `size` values for each of `index` (n,), and which of `index` each belongs to.

    All others of up to `longest` values; of more, those 1, 2, 4, ... away on either side.
    """
    if size <= longest:
        return _others(size)[index].ravel(), np.repeat(np.arange(len(index)), size - 1)
    steps = 2 ** np.arange(int(np.log2(size)) + 1)
    other = index[:, None] + np.concatenate([steps, -steps])
    owner, flat = np.repeat(np.arange(len(index)), other.shape[1]), other.ravel()
    inside = (flat >= 0) & (flat < size)
    return flat[inside], owner[inside]


@cache
def _others(size: int) -> Indices:
    """All indices but each one's own (size, size - 1), from the next one on."""
    return np.asarray((np.arange(size)[:, None] + np.arange(1, size)) % size)


@cache
def reorderings(k: int) -> Indices:
    """Index rows (m, k): every swap of two of k items and every move of one item elsewhere, each once.

    Of more than EVERY_REORDERING items those over 1, 2, 4, ... places.
    """
    identity = tuple(range(k))
    distances = range(1, k) if k <= EVERY_REORDERING else [1 << bit for bit in range((k - 1).bit_length())]
    orders: dict[tuple[int, ...], None] = {}
    for a, b in itertools.combinations(range(k), 2):
        if b - a not in distances:
            continue
        swapped = list(identity)
        swapped[a], swapped[b] = swapped[b], swapped[a]
        orders[tuple(swapped)] = None
    for a, b in itertools.permutations(range(k), 2):
        if abs(b - a) not in distances:
            continue
        moved = [i for i in identity if i != a]
        moved.insert(b, a)
        orders[tuple(moved)] = None
    orders.pop(identity, None)
    return np.array(list(orders), np.int64).reshape(-1, k)
