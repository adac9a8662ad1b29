"""The exact Pareto front of analytic objectives, by bounds over boxes.

A box is a range of places in every parameter's domain. Its objectives are bounded by interval arithmetic, all boxes of
a batch at once. A box is left out when a constraint fails all over it, or when a configuration found so far is at least
as good as its lower bounds; small boxes are evaluated point by point; the others are halved along the parameter whose
values spread most. Best-first: the box with the smallest product of lower bounds comes next.

What remains when nothing is open is exact: every loss vector of the front, one configuration each.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SpaceError
from tunepass.expr.domain import Domain
from tunepass.expr.interval.column_operations import BoundsColumns
from tunepass.expr.interval.columns import ManyBoxes
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.program import Program
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter
from tunepass.study.certificate import Certificate as Certificate
from tunepass.study.certificate import Front as Front
from tunepass.study.pareto import nondominated

BATCH = 4096  # boxes bounded at once
LEAF = 64  # points of a box that is evaluated rather than halved
CHUNK = 1 << 18  # points evaluated at once
GAP_CHUNK = 512  # boxes compared with the front at once
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def pareto_front(
    parameters: Sequence[Parameter],
    objectives: Sequence[Expr],
    constraints: Sequence[Expr] = (),
    *,
    max_points: int | None = None,
    progress: Callable[[Certificate], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Front:
    """The Pareto front of `objectives`, all minimised, where every constraint holds.

    `max_points` bounds the configurations evaluated, and `stop` ends the search between two steps; the front is then
    the best known, the certificate says how many were not looked at, and the gap how much better they could be.
    Parameters must be numeric and finite.
    """
    search = _Search(parameters, objectives, constraints)
    while search.open and (max_points is None or search.evaluated < max_points):
        if stop is not None and stop():
            break
        search.step()
        if progress is not None:
            progress(search.certificate())
    return search.front()


class _Search:
    """Open boxes in a heap of batches' rows, the front so far, and the counts of the certificate."""

    def __init__(self, parameters: Sequence[Parameter], objectives: Sequence[Expr], constraints: Sequence[Expr]):
        self.parameters = list(parameters)
        self.domains = [ordered_domain(p) for p in parameters]
        self.columns = [p.column(sorted(p.domain, key=float)) for p in parameters]  # type: ignore[arg-type]
        self.objectives, self.constraints = list(objectives), list(constraints)
        domains: dict[str, Domain] = {p.name: np.array(p.domain) for p in parameters}
        self.program = Program([*objectives, *constraints], domains)
        self.all_bounds, self.loss_bounds = ManyBoxes(self.program.exprs), ManyBoxes(self.objectives)
        self.points = math.prod(len(d) for d in self.domains)
        self.evaluated = self.bounded = self.infeasible = self.boxes = 0
        self.places: Ints = np.empty((0, len(self.domains)), dtype=np.int64)
        self.losses: Floats = np.empty((0, len(self.objectives)))
        self.open: list[tuple[float, int, tuple[int, ...], tuple[int, ...], tuple[float, ...]]] = []
        self.count = 0
        first = np.zeros((1, len(self.domains)), dtype=np.int64)
        self._consider(first, np.array([[len(d) - 1 for d in self.domains]], dtype=np.int64))

    def step(self) -> None:
        """Take the most promising boxes, halve them, bound the halves."""
        taken = [heapq.heappop(self.open) for _ in range(min(BATCH, len(self.open)))]
        lo, hi = (np.array([box[k] for box in taken], dtype=np.int64) for k in (2, 3))
        lower = np.array([box[4] for box in taken])
        kept = ~self._dominated(lower)
        self.bounded += _sizes(lo[~kept], hi[~kept])
        if kept.any():
            self._consider(*self._halves(lo[kept], hi[kept]))

    def _halves(self, lo: Ints, hi: Ints) -> tuple[Ints, Ints]:
        """Both halves of every box, on the scale of the ratio of its ends."""
        axis = self._axes(lo, hi)
        row = np.arange(len(lo))
        middle = np.empty(len(lo), dtype=np.int64)
        for i, domain in enumerate(self.domains):
            chosen = axis == i
            offset = 1.0 - min(1.0, float(domain[0]))  # so that a range from 0 has a ratio
            centre = np.sqrt((domain[lo[chosen, i]] + offset) * (domain[hi[chosen, i]] + offset)) - offset
            cut = np.searchsorted(domain, centre, side="right") - 1
            middle[chosen] = np.clip(cut, lo[chosen, i], hi[chosen, i] - 1)
        left_hi, right_lo = hi.copy(), lo.copy()
        left_hi[row, axis], right_lo[row, axis] = middle, middle + 1
        return np.concatenate([lo, right_lo]), np.concatenate([left_hi, hi])

    def _axes(self, lo: Ints, hi: Ints) -> Ints:
        """The parameter of each box that widens its bounds most: held at its middle, they shrink most."""
        width = np.full(lo.shape, np.inf)
        for i in range(lo.shape[1]):
            fixed_lo, fixed_hi, middle = lo.copy(), hi.copy(), (lo[:, i] + hi[:, i]) // 2
            fixed_lo[:, i] = fixed_hi[:, i] = middle
            open_ = lo[:, i] < hi[:, i]
            if open_.any():
                found = self._bounds(fixed_lo[open_], fixed_hi[open_], self.loss_bounds)
                low = np.clip(np.stack([e.lo for e in found], axis=1), -1e300, 1e300)
                high = np.clip(np.stack([e.hi for e in found], axis=1), -1e300, 1e300)
                scale = np.maximum(np.maximum(np.abs(low), np.abs(high)), 1e-300)
                spread = np.minimum((high - low) / scale, 2.0)
                spread = np.where(np.isfinite(spread), spread, 2.0)
                width[open_, i] = spread.sum(axis=1) - 1e-6 * (hi - lo)[open_, i] / len(self.domains[i])
        return np.asarray(width.argmin(axis=1), dtype=np.int64)

    def _bounds(self, lo: Ints, hi: Ints, bounded: ManyBoxes) -> list[BoundsColumns]:
        low = {p.name: d[lo[:, i]] for i, (p, d) in enumerate(zip(self.parameters, self.domains))}
        high = {p.name: d[hi[:, i]] for i, (p, d) in enumerate(zip(self.parameters, self.domains))}
        return bounded.bounds(low, high, len(lo))

    def _consider(self, lo: Ints, hi: Ints) -> None:
        """Bound new boxes: leave out, evaluate, or keep open."""
        self.boxes += len(lo)
        found = self._bounds(lo, hi, self.all_bounds)
        m = len(self.objectives)
        lower = np.stack([ends.lo for ends in found[:m]], axis=1)
        possible = np.ones(len(lo), dtype=bool)
        for ends in found[m:]:
            possible &= ~ends.never
        self.infeasible += _sizes(lo[~possible], hi[~possible])
        lo, hi, lower = lo[possible], hi[possible], lower[possible]
        if len(lo):
            self._evaluate((lo + hi) // 2, count=False)  # a guess in every box makes the bounds bite early
        hopeless = self._dominated(lower)
        self.bounded += _sizes(lo[hopeless], hi[hopeless])
        lo, hi, lower = lo[~hopeless], hi[~hopeless], lower[~hopeless]
        small = (hi - lo + 1).prod(axis=1, dtype=np.float64) <= LEAF
        if small.any():
            self._evaluate(_points_of(lo[small], hi[small]), count=True)
        for a, b, bound in zip(lo[~small].tolist(), hi[~small].tolist(), lower[~small].tolist()):
            self.count += 1
            rank = sum(math.log(max(x, 1e-300)) for x in bound)
            heapq.heappush(self.open, (rank, self.count, tuple(a), tuple(b), tuple(bound)))

    def _dominated(self, lower: Floats) -> NDArray[np.bool_]:
        """Boxes that hold nothing better than what is known: a known vector is no worse than their lower bounds."""
        if not len(self.losses) or not len(lower):
            return np.zeros(len(lower), dtype=bool)
        if self.losses.shape[1] == 2:  # the front is a staircase: the last step not right of the bound is the lowest
            at = np.searchsorted(self.losses[:, 0], lower[:, 0], side="right") - 1
            return np.asarray((at >= 0) & (self.losses[np.maximum(at, 0), 1] <= lower[:, 1]))
        no_worse: NDArray[np.bool_] = np.all(self.losses[None] <= lower[:, None], axis=2)
        return np.asarray(np.any(no_worse, axis=1))

    def _evaluate(self, places: Ints, count: bool) -> None:
        """Points (n, d) by places; those that are feasible and better enter the front."""
        for start in range(0, len(places), CHUNK):
            part = places[start : start + CHUNK]
            columns = {p.name: values[part[:, i]] for i, (p, values) in enumerate(zip(self.parameters, self.columns))}
            outputs = self.program.run(columns, len(part))
            if count:
                self.evaluated += len(part)
            m = len(self.objectives)
            losses = np.stack([np.asarray(o, dtype=np.float64) for o in outputs[:m]], axis=1)
            keep: NDArray[np.bool_] = np.asarray(np.all(np.isfinite(losses), axis=1))
            for holds in outputs[m:]:
                keep &= np.asarray(holds, dtype=bool)
            keep[keep] = ~self._dominated(losses[keep])
            if keep.any():
                self._merge(part[keep], losses[keep])

    def _merge(self, places: Ints, losses: Floats) -> None:
        """The front with new points: sorted by the first objective, one point for each vector."""
        losses, first = np.unique(np.concatenate([self.losses, losses]), axis=0, return_index=True)
        places = np.concatenate([self.places, places])[first]
        kept = nondominated(losses)
        self.losses, self.places = losses[kept], places[kept]

    def certificate(self) -> Certificate:
        """What is neither evaluated nor left out is open: were a box lost, the front would not count as exact."""
        waiting = self.points - self.evaluated - self.bounded - self.infeasible
        return Certificate(
            self.points, self.evaluated, self.bounded, self.infeasible, waiting, self.boxes, len(self.losses)
        )

    def gap(self) -> float:
        """The least e for which (1 + e) times the bounds of every open box are dominated by the front."""
        if not self.open:
            return 0.0
        lower = np.array([box[4] for box in self.open])
        lower = lower[~self._dominated(lower)]
        if not len(lower):
            return 0.0
        if not len(self.losses) or not (lower > 0).all():
            return math.inf
        factors = [
            (self.losses[None] / part[:, None]).max(axis=2).min(axis=1).max()
            for part in np.array_split(lower, -(-len(lower) // GAP_CHUNK))
        ]
        return float(max(factors)) - 1.0

    def front(self) -> Front:
        ordered = [sorted(p.domain, key=float) for p in self.parameters]  # type: ignore[arg-type]
        configurations = tuple(
            Configuration({p.name: values[place] for p, values, place in zip(self.parameters, ordered, row)})
            for row in self.places.tolist()
        )
        return Front(configurations, self.losses, self.certificate(), self.gap())


def numeric(parameter: Parameter) -> bool:
    """A finite parameter whose values are numbers or Booleans."""
    return isinstance(parameter, (Integer, Ordinal)) or (
        isinstance(parameter, Categorical) and all(isinstance(v, (bool, int, float)) for v in parameter.domain)
    )


def ordered_domain(parameter: Parameter) -> Floats:
    """The values in ascending order."""
    if not numeric(parameter):
        raise SpaceError(f"{parameter.name}: branch and bound needs finite numeric parameters", parameter.span)
    return np.sort(np.array(parameter.domain, dtype=np.float64))


def _sizes(lo: Ints, hi: Ints) -> int:
    """Configurations in the boxes, exactly."""
    return sum(math.prod(row) for row in (hi - lo + 1).tolist())


def _points_of(lo: Ints, hi: Ints) -> Ints:
    """Every point of every box (rows of mixed radix digits)."""
    sides = hi - lo + 1
    sizes = sides.prod(axis=1)
    owner = np.repeat(np.arange(len(lo)), sizes)
    rest = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = np.empty((len(owner), lo.shape[1]), dtype=np.int64)
    for i in range(lo.shape[1] - 1, -1, -1):
        side = sides[owner, i]
        places[:, i] = lo[owner, i] + rest % side
        rest = rest // side
    return places
