"""What a front leaves undominated below a reference, as disjoint boxes (Yang et al. 2019, §3 and §4).

    symbol    shape    meaning
    front     (n, k)   losses of the front, k = 2 or 3
    r         (k,)     reference: nothing beyond it counts
    lower     (b, k)   lower corners, -inf where a box is open
    upper     (b, k)   upper corners

The hypervolume that a vector y adds is the volume of the undominated part of {z : y <= z < r}; over disjoint boxes it
is a sum of products, sum_i prod_j [(upper_ij - y_j)+ - (lower_ij - y_j)+], so under independent objectives its
expectation is a sum of products of expectations. There are n + 1 boxes for k = 2, at most 2n + 1 for k = 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    lower: Floats
    upper: Floats

    @property
    def objectives(self) -> int:
        return int(self.upper.shape[1])

    def above(self, least: Floats | None) -> Boxes:
        """The boxes cut off below `least` (k,)."""
        if least is None:
            return self
        lower = np.maximum(self.lower, least)
        below_upper = (lower < self.upper).all(axis=1)
        return Boxes(lower[below_upper], self.upper[below_upper]) if below_upper.any() else self

    def improvement(self, y: Floats) -> Floats:
        """The hypervolume (m,) that each of the vectors y (m, k) would add to the front."""
        gained = np.ones((len(y), len(self.upper)))
        for j in range(self.objectives):
            column = y[:, j, None]
            gained *= np.maximum(self.upper[:, j] - column, 0) - np.maximum(self.lower[:, j] - column, 0)
        return np.asarray(gained.sum(axis=1))


def undominated(front: Floats, reference: Floats) -> Boxes:
    """What is below `reference` (k,) and dominated by no row of `front` (n, k); ValueError unless k is 2 or 3."""
    reference = np.asarray(reference, dtype=np.float64)
    front = np.asarray(front, dtype=np.float64).reshape(-1, len(reference))
    if len(reference) not in (2, 3) or not np.isfinite(reference).all():
        raise ValueError(f"boxes need a finite reference of 2 or 3 objectives, got {reference.tolist()}")
    front = front[(front < reference).all(axis=1)]
    front = np.unique(front[nondominated(front)], axis=0) if len(front) else front
    return _strips(front, reference) if len(reference) == 2 else _slabs(front, reference)


def _strips(front: Floats, reference: Floats) -> Boxes:
    """One strip left of each front point and one right of the last; `front` is sorted by its first loss."""
    edges = np.concatenate([[-np.inf], front[:, 0], reference[:1]])
    heights = np.concatenate([reference[1:], front[:, 1]])
    lower = np.column_stack([edges[:-1], np.full(len(heights), -np.inf)])
    return Boxes(lower, np.column_stack([edges[1:], heights]))


def _slabs(front: Floats, reference: Floats) -> Boxes:
    """Sweep up the third loss: a point cuts the strips it reaches; each strip is a box from where it began to be."""
    strips = [(-np.inf, float(reference[0]), float(reference[1]), -np.inf)]  # left, right, height, began at
    done: list[tuple[float, float, float, float, float]] = []
    for a, b, c in front[np.lexsort(front.T)].tolist():
        slabs = []
        for left, right, height, since in strips:
            if right <= a or height <= b:
                slabs.append((left, right, height, since))
                continue
            done.append((left, right, height, since, c))
            if left < a:
                slabs.append((left, a, height, c))
        position = sum(right <= a for _, right, _, _ in slabs)
        end = slabs[position][0] if position < len(slabs) else float(reference[0])
        strips = [*slabs[:position], (a, end, b, c), *slabs[position:]] if end > a else slabs
    done += [(*strip, float(reference[2])) for strip in strips]
    done = [box for box in done if box[4] > box[3]]
    lower = np.array([[left, -np.inf, since] for left, _, _, since, _ in done])
    return Boxes(lower, np.array([[right, height, until] for _, right, height, _, until in done]))
