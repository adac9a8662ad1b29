"""The cells of NAS-Bench-101: every labelled graph of at most seven vertices and nine edges, once for each class.

    edges[i, s, t]   whether the cell i has the edge s -> t
    labels[i, t]     what the inner vertex t does: 0 conv3x3, 1 conv1x1, 2 maxpool3x3

Two cells are one class where the data set's hash of them is equal: rounds over the vertices, in which each takes up
what comes in, what goes out and itself. Here the rounds run over all cells at once, with 64-bit sums of mixed numbers
in place of MD5 of sorted texts. The first of a class, in the data set's own order, stands for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

VERTICES, EDGES = 7, 9
CHUNK = 1 << 12
OPERATIONS = ("conv3x3", "conv1x1", "maxpool3x3")


@dataclass(frozen=True, slots=True)
class Cells:
    edges: NDArray[np.bool_]  # (n, v, v)
    labels: NDArray[np.int64]  # (n, v); -1 for the input, -2 for the output

    @property
    def vertices(self) -> int:
        return self.edges.shape[1]

    def columns(self) -> dict[str, NDArray[np.int64]]:
        """The parameters of samples/dnn/nasbench101_keras.py, of which vertices that a cell lacks have no edges."""
        found = {f"e{s}{t}": np.zeros(len(self.edges), np.int64) for t in range(VERTICES) for s in range(t)}
        place = [*range(self.vertices - 1), VERTICES - 1]
        for s, t in product(range(self.vertices), repeat=2):
            if s < t:
                found[f"e{place[s]}{place[t]}"] = self.edges[:, s, t].astype(np.int64)
        for t in range(1, VERTICES - 1):
            there = t < self.vertices - 1
            found[f"op{t}"] = self.labels[:, t] if there else np.zeros(len(self.edges), np.int64)
        return found


def distinct() -> Iterator[Cells]:
    """The cells of two vertices, of three, ...: the first of each class that no smaller number of vertices has."""
    for vertices in range(2, VERTICES + 1):
        cells = labelled(connected(vertices))
        _, first = np.unique(hashes(cells), return_index=True)
        first.sort()
        yield Cells(cells.edges[first], cells.labels[first])


def connected(vertices: int) -> NDArray[np.bool_]:
    """Graphs (n, v, v) in which each vertex is on a path from the first to the last; bits count column by column."""
    bits = vertices * (vertices - 1) // 2
    masks = np.arange(1 << bits)
    held = sum((masks >> k) & 1 for k in range(bits))
    masks = masks[held <= EDGES]
    edges = np.zeros((len(masks), vertices, vertices), bool)
    for k, (s, t) in enumerate((low, high) for high in range(vertices) for low in range(high)):
        edges[:, s, t] = (masks >> k) & 1
    reached = np.zeros((len(masks), vertices), bool)
    reaching = reached.copy()
    reached[:, 0] = reaching[:, -1] = True
    for t in range(1, vertices):
        reached[:, t] = (edges[:, :, t] & reached).any(axis=1)
    for s in reversed(range(vertices - 1)):
        reaching[:, s] = (edges[:, s, :] & reaching).any(axis=1)
    return edges[(reached & reaching).all(axis=1)]


def labelled(graphs: NDArray[np.bool_]) -> Cells:
    """Each graph with each choice of operations."""
    vertices = graphs.shape[1]
    chosen = list(product(range(len(OPERATIONS)), repeat=vertices - 2))
    inner = np.array(chosen, np.int64).reshape(len(chosen), vertices - 2)
    labels = np.empty((len(graphs) * len(inner), vertices), np.int64)
    labels[:, 0], labels[:, -1] = -1, -2
    labels[:, 1:-1] = np.tile(inner, (len(graphs), 1))
    return Cells(np.repeat(graphs, len(inner), axis=0), labels)


def hashes(cells: Cells) -> NDArray[np.uint64]:
    """Equal for cells of one class; so many at a time as fit a processor's cache."""
    chunks = range(0, len(cells.edges), CHUNK)
    return np.concatenate([_hashes(Cells(cells.edges[k : k + CHUNK], cells.labels[k : k + CHUNK])) for k in chunks])


def _hashes(cells: Cells) -> NDArray[np.uint64]:
    edges = cells.edges.astype(np.uint64)
    degrees = edges.sum(axis=2) * np.uint64(64) + edges.sum(axis=1) * np.uint64(8)
    state = mixed(degrees + (cells.labels + 2).astype(np.uint64))  # (n, v)
    for _ in range(cells.vertices):
        known = mixed(state)
        incoming = np.einsum("nst,ns->nt", edges, known)
        outgoing = np.einsum("nst,nt->ns", edges, known)
        state = mixed(mixed(incoming) + np.uint64(3) * mixed(outgoing) + np.uint64(5) * state)
    return mixed(state.sum(axis=1))


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """splitmix64's mixing (Steele, Lea and Flood, OOPSLA 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
