"""The exact solver `branch_and_bound`: the Pareto front of analytic objectives, by bounds over boxes.

A box is a range of places in every parameter's domain. Its objectives are bounded by interval arithmetic, all boxes of
a batch at once. A box is left out when a constraint fails all over it, or when a configuration evaluated so far is at
least as good as its lower bounds; small boxes are evaluated point by point; the others are halved along the parameter
whose values spread most. Best-first: the box with the smallest product of lower bounds comes next.

What remains when nothing is open is exact: every loss vector of the front, one configuration each.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.exact.base import Certificate, ExactSolver, Front
from tunepass.exact.domains import ordered_domain, ordered_values
from tunepass.exact.running_front import Ints, RunningFront, feasible_losses
from tunepass.expr.domain import Domain
from tunepass.expr.interval.bounds import Bounds
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter
from tunepass.space.place_boxes import count_points, halves, points_of, ratio_offset, sizes
from tunepass.space.space import Space

BATCH = 4096  # boxes bounded at once
LEAF = 64  # points of a box that is evaluated rather than halved
CHUNK = 1 << 18  # points evaluated at once
GAP_CHUNK = 512  # boxes compared with the front at once


class BranchAndBound(ExactSolver):
    """`BranchAndBound().solve(space, [time, area], [fits])`; the space's parameters must be numeric and finite."""

    def solve(
        self,
        space: Space,
        objectives: Sequence[Expr],
        constraints: Sequence[Expr] = (),
        *,
        max_points: int | None = None,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[Certificate], None] | None = None,
    ) -> Front:
        every_constraint = [*constraints, *(c.expression for c in space.canonical_constraints)]
        search = _Search(space.parameters, objectives, every_constraint)
        if space.is_table and space.size != space.dense:
            raise SpaceError(
                "branch and bound needs constraints that are expressions, this space is a table of rows",
                hint="search it with exhaustive",
            )
        while search.open and (max_points is None or search.evaluated < max_points):
            if stop is not None and stop():
                break
            search.step()
            if progress is not None:
                progress(search.certificate())
        front = search.result()
        return replace(front, configurations=tuple(map(space.completed, front.configurations)))


class _Search:
    """Open boxes in a heap, the front so far, and the counts of the certificate.

    An open box is (rank, number, lo, hi, lower bounds of its losses); the number breaks ties between ranks.
    """

    def __init__(self, parameters: Sequence[Parameter], objectives: Sequence[Expr], constraints: Sequence[Expr]):
        self.parameters = list(parameters)
        self.domains = [ordered_domain(p) for p in parameters]
        self.columns = [p.column(ordered_values(p)) for p in parameters]
        self.objectives = list(objectives)
        domains: dict[str, Domain] = {p.name: np.array(p.domain) for p in parameters}
        self.program = CompiledExpressions([*objectives, *constraints], domains)
        self.all_bounds, self.loss_bounds = IntervalExtension(self.program.exprs), IntervalExtension(self.objectives)
        self.points = math.prod(len(d) for d in self.domains)
        self.evaluated = self.bounded = self.infeasible = self.boxes = self.pushed = 0
        self.front = RunningFront(len(self.objectives), width=len(self.domains))
        self.open: list[tuple[float, int, tuple[int, ...], tuple[int, ...], tuple[float, ...]]] = []
        first = np.zeros((1, len(self.domains)), dtype=np.int64)
        self._consider(first, np.array([[len(d) - 1 for d in self.domains]], dtype=np.int64))

    def step(self) -> None:
        """Take the most promising boxes, halve them, bound the halves."""
        boxes = [heapq.heappop(self.open) for _ in range(min(BATCH, len(self.open)))]
        lo, hi = (np.array([box[k] for box in boxes], dtype=np.int64) for k in (2, 3))
        lower = np.array([box[4] for box in boxes])
        open_boxes = ~self.front.covers(lower)
        self.bounded += count_points(lo[~open_boxes], hi[~open_boxes])
        if open_boxes.any():
            self._consider(*self._halves(lo[open_boxes], hi[open_boxes]))

    def _halves(self, lo: Ints, hi: Ints) -> tuple[Ints, Ints]:
        """Both halves of every box, on the scale of the ratio of its ends."""
        axis = self._axes(lo, hi)
        middle = np.empty(len(lo), dtype=np.int64)
        for i, domain in enumerate(self.domains):
            chosen = axis == i
            offset = ratio_offset(domain)
            centre = np.sqrt((domain[lo[chosen, i]] + offset) * (domain[hi[chosen, i]] + offset)) - offset
            cut = np.searchsorted(domain, centre, side="right") - 1
            middle[chosen] = np.clip(cut, lo[chosen, i], hi[chosen, i] - 1)
        return halves(lo, hi, axis, middle)

    def _axes(self, lo: Ints, hi: Ints) -> Ints:
        """The parameter of each box (b,) that widens its bounds most: held at its middle, they shrink most."""
        width = np.full(lo.shape, np.inf)
        for i in range(lo.shape[1]):
            fixed_lo, fixed_hi, middle = lo.copy(), hi.copy(), (lo[:, i] + hi[:, i]) // 2
            fixed_lo[:, i] = fixed_hi[:, i] = middle
            divisible = lo[:, i] < hi[:, i]
            if divisible.any():
                bounds = self._bounds(fixed_lo[divisible], fixed_hi[divisible], self.loss_bounds)
                low = np.clip(np.stack([ends.lo for ends in bounds], axis=1), -1e300, 1e300)
                high = np.clip(np.stack([ends.hi for ends in bounds], axis=1), -1e300, 1e300)
                scale = np.maximum(np.maximum(np.abs(low), np.abs(high)), 1e-300)
                spread = np.minimum((high - low) / scale, 2.0)
                spread = np.where(np.isfinite(spread), spread, 2.0)
                width[divisible, i] = spread.sum(axis=1) - 1e-6 * (hi - lo)[divisible, i] / len(self.domains[i])
        return np.asarray(width.argmin(axis=1), dtype=np.int64)

    def _bounds(self, lo: Ints, hi: Ints, bounded: IntervalExtension) -> list[Bounds]:
        """Bounds of each expression over each box."""
        low = {p.name: d[lo[:, i]] for i, (p, d) in enumerate(zip(self.parameters, self.domains))}
        high = {p.name: d[hi[:, i]] for i, (p, d) in enumerate(zip(self.parameters, self.domains))}
        return bounded.bounds(low, high, len(lo))

    def _consider(self, lo: Ints, hi: Ints) -> None:
        """Bound new boxes: leave out, evaluate, or keep open."""
        self.boxes += len(lo)
        bounds = self._bounds(lo, hi, self.all_bounds)
        m = len(self.objectives)
        lower = np.stack([ends.lo for ends in bounds[:m]], axis=1)
        possible = np.ones(len(lo), dtype=bool)
        for ends in bounds[m:]:
            possible &= ~ends.never
        self.infeasible += count_points(lo[~possible], hi[~possible])
        lo, hi, lower = lo[possible], hi[possible], lower[possible]
        if len(lo):
            self._evaluate((lo + hi) // 2)  # a guess in every box makes the bounds bite early
        covered = self.front.covers(lower)
        self.bounded += count_points(lo[covered], hi[covered])
        lo, hi, lower = lo[~covered], hi[~covered], lower[~covered]
        small = sizes(lo, hi) <= LEAF
        if small.any():
            points, _ = points_of(lo[small], hi[small])
            self._evaluate(points)
            self.evaluated += len(points)
        for first, last, bound in zip(lo[~small].tolist(), hi[~small].tolist(), lower[~small].tolist()):
            self.pushed += 1
            rank = sum(math.log(max(x, 1e-300)) for x in bound)
            heapq.heappush(self.open, (rank, self.pushed, tuple(first), tuple(last), tuple(bound)))

    def _evaluate(self, places: Ints) -> None:
        """Points (n, d) by places; those that are feasible and better enter the front."""
        for start in range(0, len(places), CHUNK):
            part = places[start : start + CHUNK]
            columns = {p.name: values[part[:, i]] for i, (p, values) in enumerate(zip(self.parameters, self.columns))}
            rows, losses = feasible_losses(self.program.run(columns, len(part)), len(self.objectives))
            better = ~self.front.covers(losses)
            if better.any():
                self.front.add(part[rows[better]], losses[better])

    def certificate(self) -> Certificate:
        """What is neither evaluated nor left out is open: were a box lost, the front would not count as exact."""
        waiting = self.points - self.evaluated - self.bounded - self.infeasible
        return Certificate(
            self.points, self.evaluated, self.bounded, self.infeasible, waiting, self.boxes, len(self.front)
        )

    def gap(self) -> float:
        """The least e for which (1 + e) times the bounds of every open box are dominated by the front."""
        if not self.open:
            return 0.0
        lower = np.array([box[4] for box in self.open])
        lower = lower[~self.front.covers(lower)]
        if not len(lower):
            return 0.0
        losses = self.front.losses
        if not len(losses) or not (lower > 0).all():
            return math.inf
        factors = [
            (losses[None] / part[:, None]).max(axis=2).min(axis=1).max()
            for part in np.array_split(lower, -(-len(lower) // GAP_CHUNK))
        ]
        return float(max(factors)) - 1.0

    def result(self) -> Front:
        """The front so far as configurations."""
        ordered = [ordered_values(p) for p in self.parameters]
        configurations = tuple(
            Configuration({p.name: values[place] for p, values, place in zip(self.parameters, ordered, row)})
            for row in self.front.points.tolist()
        )
        return Front(configurations, self.front.losses, self.certificate(), self.gap())
