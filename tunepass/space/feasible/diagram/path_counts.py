"""How many paths of a diagram lie before an arc: what turns ranks into paths and back.

A layer's counts sum to at most the size. Below LIMIT all sums are held, in 64 bits; beyond it they are Python integers
of hundreds of bytes, so only the nodes' counts are held and an arc's sums are made when a path passes its node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from tunepass.space.columns import Indices
from tunepass.space.feasible.diagram.layer import Layer

LIMIT = 1 << 62


class PathCounts(ABC):
    """`size`: the paths from the root."""

    size: int
    dtype: type[np.generic]  # of ranks

    @abstractmethod
    def descend(self, at: int, node: Indices, rest: Indices) -> tuple[Indices, Indices]:
        """The arcs (n,) of layer `at` that ranks `rest` below the nodes (n,) take, and the ranks below those."""

    @abstractmethod
    def before(self, at: int, node: Indices, arc: Indices) -> Indices:
        """The paths (n,) of each node that come before those of its arc."""


def path_counts(layers: Sequence[Layer]) -> PathCounts:
    """Exact counts, from the last layer up."""
    estimate, largest = np.ones(1), 0.0
    with np.errstate(over="ignore"):
        for layer in reversed(layers):
            estimate = node_sums(layer, estimate[layer.child])
            largest = max(largest, float(estimate.sum()))
    return SmallCounts(layers) if largest < LIMIT else LargeCounts(layers)


def node_sums(layer: Layer, arcs: NDArray[np.generic]) -> NDArray[np.float64]:
    """Sums (nodes,) of what each arc has, 0 for a node without arcs."""
    sums = np.add.reduceat(np.append(arcs, np.zeros(1, arcs.dtype)), layer.start[:-1])
    return np.where(np.diff(layer.start) == 0, sums.dtype.type(0) if sums.dtype != object else 0, sums)


class SmallCounts(PathCounts):
    """`below[i]` (arcs + 1,): exclusive sums of layer i's arc counts."""

    dtype = np.int64

    def __init__(self, layers: Sequence[Layer]):
        self.layers = layers
        counts, below = np.ones(1, dtype=np.int64), []
        for layer in reversed(layers):
            total = np.zeros(len(layer.child) + 1, dtype=np.int64)
            np.cumsum(counts[layer.child], out=total[1:])
            below.append(total)
            counts = total[layer.start[1:]] - total[layer.start[:-1]]
        self.below = tuple(reversed(below))
        self.size = int(counts[0])

    def descend(self, at: int, node: Indices, rest: Indices) -> tuple[Indices, Indices]:
        below = self.below[at]
        key = below[self.layers[at].start[node]] + rest
        arc = np.searchsorted(below, key, side="right") - 1
        return arc, key - below[arc]

    def before(self, at: int, node: Indices, arc: Indices) -> Indices:
        below = self.below[at]
        return np.asarray(below[arc] - below[self.layers[at].start[node]])


class LargeCounts(PathCounts):
    """`counts[i]` (nodes,): Python integers, of the nodes that layer i leads to."""

    dtype = np.object_

    def __init__(self, layers: Sequence[Layer]):
        self.layers = layers
        counts = [np.array([1], dtype=object)]
        for layer in reversed(layers):
            counts.append(node_sums(layer, counts[-1][layer.child]))
        self.size = int(counts.pop()[0])
        self.counts = tuple(reversed(counts))

    def descend(self, at: int, node: Indices, rest: Indices) -> tuple[Indices, Indices]:
        arc, left = np.empty(len(node), dtype=np.int64), np.empty(len(node), dtype=object)
        for rows, first, sums in self._sums(at, node):
            for row in rows:
                place = bisect_right(sums, rest[row]) - 1
                arc[row], left[row] = first + place, rest[row] - sums[place]
        return arc, left

    def before(self, at: int, node: Indices, arc: Indices) -> Indices:
        paths = np.empty(len(node), dtype=object)
        for rows, first, sums in self._sums(at, node):
            for row in rows:
                paths[row] = sums[min(max(arc[row] - first, 0), len(sums) - 1)]
        return paths

    def _sums(self, at: int, node: Indices) -> Iterator[tuple[list[int], int, list[int]]]:
        """For each different node its rows, its first arc and the exclusive sums of its arcs' counts."""
        layer, counts = self.layers[at], self.counts[at]
        order = np.argsort(node, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(node[order])) + 1):
            if len(rows):
                lo, hi = (int(end) for end in layer.start[node[rows[0]] : node[rows[0]] + 2])
                yield rows.tolist(), lo, list(accumulate(counts[layer.child[lo:hi]].tolist(), initial=0))
