"""The remaining configurations as a product of groups of parameters, each a union of disjoint boxes.

symbol   shape    meaning
lo, hi   (b, d)   first and last place of every box in the ascending values of each of d parameters, both included
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunepass.pruning.base import Count, Remaining
from tunepass.space.columns import Columns, Indices, Mask, length
from tunepass.space.parameter import Parameter
from tunepass.space.place_boxes import points_at

Box = tuple[tuple[int, int], ...]  # a parameter's first and last place each


@dataclass(frozen=True)
class BoxGroup:
    """Parameters that conditions tie together: the boxes `inside`, and those still `open`, all disjoint."""

    parameters: tuple[Parameter, ...]
    inside: tuple[Box, ...]
    open: tuple[Box, ...] = ()

    @property
    def count(self) -> Count:
        low = sum(map(volume, self.inside))
        return Count(low, low + sum(map(volume, self.open)))

    @cached_property
    def _ends(self) -> tuple[Indices, Indices]:
        """All boxes (b, d), the open ones too: they may be left."""
        boxes = np.array([*self.inside, *self.open], np.int64).reshape(-1, len(self.parameters), 2)
        return boxes[:, :, 0], boxes[:, :, 1]

    @cached_property
    def order(self) -> tuple[Indices, ...]:
        """By parameter, the index in its domain of the value at each place."""
        return tuple(ascending(p) for p in self.parameters)

    def kept(self) -> dict[str, Mask]:
        lo, hi = self._ends
        masks: dict[str, Mask] = {}
        for i, (p, order) in enumerate(zip(self.parameters, self.order)):
            steps = np.zeros(len(order) + 1, np.int64)
            np.add.at(steps, lo[:, i], 1)
            np.add.at(steps, hi[:, i] + 1, -1)
            masks[p.name] = np.zeros(len(order), np.bool_)
            masks[p.name][order] = np.cumsum(steps[:-1]) > 0
        return masks

    def contains(self, columns: Columns) -> Mask:
        lo, hi = self._ends
        places = np.stack([_inverse(o)[p.find(columns[p.name])] for p, o in zip(self.parameters, self.order)], axis=1)
        inside = np.zeros(len(places), np.bool_)
        for first, last in zip(lo, hi):
            inside |= ((places >= first) & (places <= last)).all(axis=1)
        return inside

    def rows(self, ranks: Indices) -> Columns:
        """The rows (n,) at these places of their order."""
        lo, hi = (ends[: len(self.inside)] for ends in self._ends)
        counts = (hi - lo + 1).prod(axis=1)
        starts = np.cumsum(counts) - counts
        box = np.searchsorted(starts, ranks, side="right") - 1
        places = points_at(lo, hi, box, ranks - starts[box])
        return {p.name: p.at(order[places[:, i]]) for i, (p, order) in enumerate(zip(self.parameters, self.order))}


def volume(box: Box) -> int:
    return math.prod(hi - lo + 1 for lo, hi in box)


def halves(box: Box) -> list[Box]:
    """Halves of the box along the parameter with most values."""
    i = max(range(len(box)), key=lambda i: box[i][1] - box[i][0])
    lo, hi = box[i]
    middle = (lo + hi) // 2
    return [(*box[:i], part, *box[i + 1 :]) for part in ((middle + 1, hi), (lo, middle))]


def ascending(p: Parameter) -> Indices:
    """The indices in a scalar parameter's domain, by ascending value; strings by their codes."""
    column = p.at(np.arange(p.size or 0))
    return np.argsort(column, kind="stable").astype(np.int64)


def _inverse(order: Indices) -> Indices:
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places


class BoxUnion(Remaining):
    """`possible` False: a condition without parameters does not hold. Parameters in no group are free."""

    def __init__(self, parameters: Sequence[Parameter], groups: Sequence[BoxGroup], *, possible: bool = True):
        self.parameters, self.groups = tuple(parameters), tuple(groups)
        tied = {p.name for group in groups for p in group.parameters}
        self.free = tuple(p for p in parameters if p.name not in tied and p.size is not None)
        counts = [group.count for group in groups]
        rest = math.prod(p.size or 1 for p in self.free) if possible else 0
        self.count = Count(rest * math.prod(c.low for c in counts), rest * math.prod(c.high for c in counts))

    def kept(self) -> Mapping[str, Mask]:
        masks = {p.name: np.ones(p.size or 0, np.bool_) for p in self.free if p.is_scalar}
        for group in self.groups:
            masks |= group.kept()
        if not self.count.high:
            masks = {name: np.zeros_like(mask) for name, mask in masks.items()}
        return {p.name: masks[p.name] for p in self.parameters if p.name in masks}

    def rows(self, start: int, end: int) -> Columns:
        ranks = np.arange(start, end)
        rows: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {}
        for p in reversed(self.free):
            ranks, local_ranks = np.divmod(ranks, p.size or 1)
            rows[p.name] = p.at(local_ranks)
        for group in reversed(self.groups):
            ranks, local_ranks = np.divmod(ranks, group.count.low)
            rows |= group.rows(local_ranks)
        return {p.name: rows[p.name] for p in self.parameters if p.name in rows}

    def contains(self, columns: Columns) -> Mask:
        inside = np.full(length(columns), bool(self.count.high))
        for p in self.free:
            inside &= p.inside(columns[p.name])
        for group in self.groups:
            inside &= group.contains(columns)
        return inside
