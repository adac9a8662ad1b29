"""The feasible assignments of one group of variables as a layered diagram, with exact counts.

    layer i   binds variable i; node 0 of layer 0 is the root, the only node of the last layer accepts
    arc       (node, value index) -> node of the next layer, sorted by node, then value
    count     of an arc: how many assignments lie below it (path_counts.py)

Walks go layer by layer for many rows at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunepass._native import ffi, lib
from tunepass.space.columns import Indices
from tunepass.space.feasible.diagram.layer import Layer, Nodes
from tunepass.space.feasible.diagram.path_counts import node_sums, path_counts
from tunepass.space.prior import Floats

SEEDS = (0x2545F4914F6CDD1D, 0x6A09E667F3BCC908)


def dedupe(rows: Indices) -> tuple[Nodes, Indices]:
    """Numbers (n,) of equal rows (n, m), in order of first appearance, and the first row of each number."""
    n, m = rows.shape
    rows = np.ascontiguousarray(rows, dtype=np.int64)
    ids, first = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    count = lib.tp_dedupe(
        ffi.cast("int64_t *", rows.ctypes.data),
        n,
        m,
        ffi.cast("int32_t *", ids.ctypes.data),
        ffi.cast("int64_t *", first.ctypes.data),
    )
    if count < 0:
        raise MemoryError("tp_dedupe")
    return ids, first[:count]


class Diagram:
    """A path from the root to the accepting node is a row (n, layers) of value indices."""

    def __init__(self, layers: Sequence[Layer]):
        self.layers = tuple(layers)
        self._counts = path_counts(self.layers)
        self.size = self._counts.size

    @property
    def nodes(self) -> int:
        return sum(len(layer.start) - 1 for layer in self.layers) + 1

    @property
    def arcs(self) -> int:
        return sum(len(layer.child) for layer in self.layers)

    def unrank(self, ranks: Indices) -> Indices:
        """Rows (n, layers) at places `ranks` (n,) of the order of enumeration: lexicographic in value indices."""
        node = np.zeros(len(ranks), dtype=np.int64)
        rest = np.asarray(ranks, dtype=self._counts.dtype)
        out = np.empty((len(ranks), len(self.layers)), dtype=np.int64)
        for i, layer in enumerate(self.layers):
            arc, rest = self._counts.descend(i, node, rest)
            out[:, i] = layer.value[arc]
            node = layer.child[arc].astype(np.int64)
        return out

    def contains(self, rows: Indices) -> NDArray[np.bool_]:
        """Mask (n,) of the rows (n, layers) that are paths: `walk` without the ranks, several times as fast."""
        rows, inside = np.ascontiguousarray(rows, dtype=np.int64), np.empty(len(rows), dtype=np.uint8)
        lib.tp_diagram_contains(
            ffi.cast("int64_t *", rows.ctypes.data), len(rows), len(self.layers), *self._pointers[0],
            ffi.cast("uint8_t *", inside.ctypes.data),
        )  # fmt: skip
        return inside.view(np.bool_)

    @cached_property
    def _pointers(self) -> tuple[tuple[object, object, object], list[NDArray[np.generic]]]:
        """The layers' arrays as native code takes them, and what keeps those in memory."""
        starts = [np.ascontiguousarray(layer.start, dtype=np.int64) for layer in self.layers]
        values = [np.ascontiguousarray(layer.value, dtype=np.int32) for layer in self.layers]
        children = [np.ascontiguousarray(layer.child, dtype=np.int32) for layer in self.layers]
        pointers = (
            ffi.new("int64_t *[]", [ffi.cast("int64_t *", a.ctypes.data) for a in starts]),
            ffi.new("int32_t *[]", [ffi.cast("int32_t *", a.ctypes.data) for a in values]),
            ffi.new("int32_t *[]", [ffi.cast("int32_t *", a.ctypes.data) for a in children]),
        )
        return pointers, [*starts, *values, *children]

    def walk(self, rows: Indices) -> tuple[NDArray[np.bool_], Indices]:
        """Mask (n,) of the rows (n, layers) that are paths, and their ranks."""
        node = np.zeros(len(rows), dtype=np.int64)
        inside = np.ones(len(rows), dtype=bool)
        rank = np.zeros(len(rows), dtype=self._counts.dtype)
        for i, layer in enumerate(self.layers):
            keys = self.keys[i]
            value = rows[:, i]
            inside &= (value >= 0) & (value < layer.width)
            key = node * layer.width + value
            arc = np.searchsorted(keys, key).clip(max=max(0, len(keys) - 1))
            inside &= keys[arc] == key if len(keys) else False
            rank += self._counts.before(i, node, arc)
            node = layer.child[arc].astype(np.int64) if len(keys) else node * 0
        return inside, rank

    @cached_property
    def keys(self) -> tuple[Indices, ...]:
        """Every layer's arcs as node * width + value, ascending."""
        return tuple(layer.sources * layer.width + layer.value for layer in self.layers)

    def choices(self, row: Indices, at: int) -> Indices:
        """Value indices open at layer `at` after the first `at` values of the path `row` (layers,)."""
        node = 0
        for i in range(at):
            layer = self.layers[i]
            lo, hi = layer.start[node], layer.start[node + 1]
            node = int(layer.child[lo + int(np.searchsorted(layer.value[lo:hi], row[i]))])
        layer = self.layers[at]
        return layer.value[layer.start[node] : layer.start[node + 1]].astype(np.int64)

    def weigh(self, masses: Sequence[Floats]) -> Weighted:
        """The distribution over paths proportional to the product of `masses[i]` (width,) of their values."""
        weight = np.ones(1)
        tables = []
        for layer, mass in zip(reversed(self.layers), reversed(list(masses))):
            arc = mass[layer.value] * weight[layer.child]
            node = node_sums(layer, arc)
            share = arc / np.where(node > 0, node, 1.0)[layer.sources]
            tables.append(np.cumsum(share))
            largest = node.max(initial=0.0)
            weight = node / largest if largest > 0 else node
        return Weighted(self, tuple(reversed(tables)), bool(weight[0] > 0))


@dataclass(frozen=True, slots=True)
class Weighted:
    """`tables[i]`: inclusive sums of the arcs' shares, which add 1 a node. `possible`: there is any mass."""

    diagram: Diagram
    tables: tuple[Floats, ...]
    possible: bool

    def draw(self, n: int, rng: np.random.Generator) -> Indices:
        """Rows (n, layers), independent."""
        node = np.zeros(n, dtype=np.int64)
        out = np.empty((n, len(self.tables)), dtype=np.int64)
        for i, (layer, table) in enumerate(zip(self.diagram.layers, self.tables)):
            lo, hi = layer.start[node], layer.start[node + 1]
            base = np.where(lo > 0, table[lo - 1], 0.0)
            top = table[hi - 1]
            key = base + rng.random(n) * (top - base)
            arc = np.clip(np.searchsorted(table, key, side="right"), lo, hi - 1)
            out[:, i] = layer.value[arc]
            node = layer.child[arc].astype(np.int64)
        return out


def from_rows(rows: Indices, widths: Sequence[int]) -> Diagram:
    """The diagram of distinct rows (n, layers): a trie from the front, its equal tails merged from the back."""
    if not len(rows):
        none = np.zeros(0, dtype=np.int32)
        return Diagram([Layer(np.zeros(2 if i == 0 else 1, np.int64), none, none, w) for i, w in enumerate(widths)])
    rows = rows[np.lexsort(rows.T[::-1])]
    changed = np.ones(len(rows), dtype=bool)
    prefix = [np.zeros(len(rows), dtype=np.int64)]
    for i in range(rows.shape[1]):
        step = np.concatenate([[True], rows[1:, i] != rows[:-1, i]])
        changed = step if i == 0 else changed | step
        prefix.append(np.cumsum(changed) - 1)
    number = np.zeros(len(rows), dtype=np.int64)  # of each trie node of the layer behind
    layers: list[Layer] = []
    for i in reversed(range(rows.shape[1])):
        last = np.unique(prefix[i + 1], return_index=True)[1]  # one row an arc
        source, value, child = prefix[i][last], rows[last, i], number
        layer, number = _merged(source, value, child, widths[i])
        layers.append(layer)
    return Diagram(layers[::-1])


def _merged(source: Indices, value: Indices, child: Indices, width: int) -> tuple[Layer, Indices]:
    """A layer whose nodes with equal arcs are one, and the number of each of the `source` nodes."""
    begin = np.flatnonzero(np.concatenate([[True], source[1:] != source[:-1]]))
    lengths = np.diff(np.append(begin, len(source)))
    arcs = value.astype(np.int64) << 32 | child
    digests = [np.add.reduceat(_mixed(arcs.view(np.uint64), seed), begin).view(np.int64) for seed in SEEDS]
    number, first = dedupe(np.stack([lengths, *digests], axis=1))
    pick = _ranges(begin[first], lengths[first])
    like = _ranges(begin[first][number], lengths)  # of every node, the arcs of the one that it is taken to equal
    if not np.array_equal(arcs, arcs[like]):
        raise AssertionError("two nodes with different arcs have one digest")  # 128 bits of it
    start = np.concatenate([[0], np.cumsum(lengths[first])]).astype(np.int64)
    return Layer(start, value[pick].astype(np.int32), child[pick].astype(np.int32), width), number.astype(np.int64)


def _ranges(begin: Indices, lengths: Indices) -> Indices:
    """The places begin, begin + 1, ... of every range, one after the other."""
    starts = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) - np.repeat(starts - begin, lengths)


def _mixed(words: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """Each word as one that has nothing to do with it (the finaliser of splitmix64), so that sums tell sets apart."""
    words = words * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
