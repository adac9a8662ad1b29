"""Feasible points of reals and long integers, by halving boxes that intervals cannot rule out.

A box is a row: values of the listed parameters, a range of each axis, and a weight, its measure. Each round drops the
boxes in which some constraint holds nowhere and halves the undecided others along the widest axis that an undecided
constraint reads. Past `ROWS` boxes a resample in proportion to weight thins them without bias. Points drawn from what
is left are checked exactly; the boxes shrink until enough of them pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.expr import nodes
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.numpy_eval import evaluate, evaluate_within
from tunepass.space.columns import Columns, Indices, Mask, take
from tunepass.space.parameters.axis import BoxAxis
from tunepass.space.prior import Floats

ROWS = 1 << 13  # boxes at a time, for constraints of up to WORK / ROWS nodes
WORK = 1 << 21
POINTS = 1 << 11  # drawn to see how many pass
ENOUGH = 0.25  # of the points pass: shrink the boxes no more
DEEP = 48  # rounds per axis
EFFORT = 1 << 25  # boxes times what each is asked, in all rounds together


@dataclass(frozen=True, slots=True)
class WeightedBoxes:
    """`prefix`: rows of listed parameters (columns, maybe none); `lo`, `hi` (n, axes); `weight` (n,)."""

    prefix: Columns
    lo: Floats
    hi: Floats
    weight: Floats

    def take(self, index: Indices | Mask) -> WeightedBoxes:
        return WeightedBoxes(take(self.prefix, index), self.lo[index], self.hi[index], self.weight[index])


@dataclass(frozen=True, slots=True)
class BoxSearch:
    """Constraints over `axes` and listed parameters; `prior`: measure by the axes' priors; `strict`: an
    integer that overflows is an error; `effort`: boxes times what each is asked, after which it ends."""

    expressions: Sequence[nodes.Expr]
    axes: Sequence[BoxAxis]
    prior: bool
    strict: bool = True
    effort: int = EFFORT

    def points(self, prefix: Columns, n: int, target: int, rng: np.random.Generator) -> Columns:
        """Feasible rows, about `target` unless fewer are found; `prefix` are n rows drawn already."""
        boxes, relevant, bounded = self._whole(prefix, n), self._relevant(), IntervalExtension(self.expressions)
        size = sum(1 for e in self.expressions for _ in nodes.walk(e))
        most = max(256, min(ROWS, WORK // max(1, size)))
        left = self.effort
        for depth in range(DEEP * len(self.axes) + 1):
            left -= len(boxes.weight) * (size + len(self.axes))
            possible, open_ = self._judge(boxes, bounded)
            boxes, open_ = boxes.take(possible), open_[:, possible]
            if not len(boxes.weight):
                break
            widths = self._widths(boxes) * ((open_.T @ relevant) > 0)
            halved = widths.max(axis=1) > 0
            if depth % 4 == 0 or left < 0 or not halved.any():
                drawn, tried = self._draw(boxes, max(POINTS, 2 * target), rng)
                passed = np.flatnonzero(self._met(drawn, tried))
                if len(passed) >= min(target, ENOUGH * tried) or left < 0 or not halved.any():
                    return take(drawn, passed)
            boxes = self._halve(boxes, widths.argmax(axis=1), halved)
            if len(boxes.weight) > most:
                boxes = boxes.take(resample(boxes.weight, most // 2, rng))
                boxes.weight[:] = 1.0
        return take(self._draw(self._whole(prefix, n), 1, rng)[0], slice(0, 0))

    def _whole(self, prefix: Columns, n: int) -> WeightedBoxes:
        ends = np.array([a.whole for a in self.axes])
        lo, hi = np.tile(ends[:, 0], (n, 1)), np.tile(ends[:, 1], (n, 1))
        return WeightedBoxes(prefix, lo, hi, np.ones(n))

    def _relevant(self) -> NDArray[np.int64]:
        """Mask (expressions, axes) of the axes that each expression reads."""
        names = [nodes.free_names(e) for e in self.expressions]
        return np.array([[int(a.name in read) for a in self.axes] for read in names])

    def _judge(self, boxes: WeightedBoxes, bounded: IntervalExtension) -> tuple[Mask, NDArray[np.int64]]:
        """Masks of boxes (n,) that may hold a feasible point, and of expressions (e, n) that are open there."""
        n = len(boxes.weight)
        lo = {name: c for name, c in boxes.prefix.items() if c.ndim == 1}  # orders have no bounds
        hi = dict(lo)
        for i, a in enumerate(self.axes):
            lo[a.name], hi[a.name] = a.values(boxes.lo[:, i], boxes.hi[:, i])
        possible, open_ = np.ones(n, dtype=bool), np.empty((len(self.expressions), n), dtype=np.int64)
        for i, truth in enumerate(bounded.bounds(lo, hi, n)):
            possible &= ~truth.never
            open_[i] = ~truth.always
        return possible, open_

    def _widths(self, boxes: WeightedBoxes) -> Floats:
        columns = [a.width(boxes.lo[:, i], boxes.hi[:, i]) for i, a in enumerate(self.axes)]
        return np.stack(columns, axis=1)

    def _halve(self, boxes: WeightedBoxes, at: Indices, halved: Mask) -> WeightedBoxes:
        """WeightedBoxes with the `halved` ones split along axis `at`; each half has its share of the weight."""
        low, high = boxes.take(halved), boxes.take(halved)
        for i, a in enumerate(self.axes):
            along_axis = at[halved] == i
            lo, hi = boxes.lo[halved, i][along_axis], boxes.hi[halved, i][along_axis]
            low.hi[along_axis, i], high.lo[along_axis, i] = a.halves(lo, hi)
            whole = a.mass(lo, hi, prior=self.prior)
            share = a.mass(lo, low.hi[along_axis, i], prior=self.prior) / np.where(whole > 0, whole, 1.0)
            low.weight[along_axis] *= share
            high.weight[along_axis] *= 1 - share
        parts = [boxes.take(~halved), low, high]
        return WeightedBoxes(
            {name: np.concatenate([p.prefix[name] for p in parts]) for name in boxes.prefix},
            np.concatenate([p.lo for p in parts]),
            np.concatenate([p.hi for p in parts]),
            np.concatenate([p.weight for p in parts]),
        )

    def _draw(self, boxes: WeightedBoxes, n: int, rng: np.random.Generator) -> tuple[Columns, int]:
        """n points, boxes in proportion to their weight."""
        pick = rng.permutation(resample(boxes.weight, n, rng))
        columns = dict(take(boxes.prefix, pick))
        for i, a in enumerate(self.axes):
            columns[a.name] = a.draw(boxes.lo[pick, i], boxes.hi[pick, i], rng, prior=self.prior)
        return columns, n

    def _met(self, columns: Columns, n: int) -> Mask:
        ok = np.ones(n, dtype=bool)
        for e in self.expressions:
            truth = evaluate(e, columns, n) if self.strict else evaluate_within(e, columns, n)
            ok &= truth.values.astype(bool) & truth.defined
        return ok


def resample(weight: Floats, n: int, rng: np.random.Generator) -> Indices:
    """n places drawn in proportion to `weight`, one from each of n equal shares (one offset for all of them would
    pick the same value of every particle where all have as many)."""
    edges = np.cumsum(weight if weight.sum() > 0 else np.ones(len(weight)))
    points = (rng.random(n) + np.arange(n)) * (edges[-1] / n)
    return np.asarray(np.searchsorted(edges, points, side="right").clip(max=len(weight) - 1), dtype=np.int64)
