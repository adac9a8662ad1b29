"""The pruning solver `intervals`: boxes in which bounds prove that conditions hold everywhere, or nowhere.

Where a condition is monotone in a parameter (expr.interval.differences), its least value over a box is at one end of
that parameter's range and its largest at the other: those are computed, the rest is bounded by interval arithmetic. The
largest undecided box is halved next; small ones are evaluated point by point. Stopped early, the boxes that are left
open are the gap of the count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SpaceError
from tunepass.expr.interval.differences import signs
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.nodes import Expr, OrderType
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.pruning.base import Remaining, Solver, hold_without_names, tied
from tunepass.pruning.box_union import Box, BoxGroup, BoxUnion, ascending
from tunepass.space.columns import Indices, Mask
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.diagram.terms import conjuncts
from tunepass.space.parameter import Parameter
from tunepass.space.place_boxes import halves, points_of, ratio_offset, sizes
from tunepass.spread import Spread, in_turn

BATCH = 2048  # boxes bounded at once
LEAF = 64  # points of a box that are evaluated one by one
MOST_VALUES = 1 << 22  # of one parameter


class IntervalSolver(Solver):
    """At most `most_boxes` are looked at for each set of parameters that conditions tie together; None: any number."""

    def __init__(self, most_boxes: int | None = None, *, spread: Spread = in_turn):
        self.most_boxes = most_boxes

    def remaining(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        *,
        stop: Callable[[], bool] | None = None,
    ) -> Remaining:
        groups = []
        for members, tied_constraints in tied(parameters, constraints):
            parts = [part for c in tied_constraints for part in conjuncts(c.expression)]
            groups.append(_Boxes(members, parts).solved(stop or (lambda: False), self.most_boxes))
        return BoxUnion(parameters, groups, possible=hold_without_names(constraints))


class _Boxes:
    """Parameters that conditions tie together. `values` are ascending, strings by their codes."""

    def __init__(self, parameters: Sequence[Parameter], conditions: Sequence[Expr]):
        for p in parameters:
            if p.size is None or p.size > MOST_VALUES or isinstance(p.type, OrderType):
                reason = (
                    "a real number" if p.size is None else "an order" if isinstance(p.type, OrderType) else "too long"
                )
                message = f"{p.name} is {reason}, and conditions depend on it: boxes are ranges of listed values"
                raise SpaceError(message, p.span, "give it a list of values")
        self.parameters, self.conditions = tuple(parameters), tuple(conditions)
        self.columns = [p.at(ascending(p)) for p in parameters]
        self.values = [np.asarray(column, np.float64) for column in self.columns]
        self.extension, self.program = IntervalExtension(self.conditions), CompiledExpressions(self.conditions)
        domains = {p.name: v for p, v in zip(parameters, self.values)}
        self.signs = [[by_name[p.name] for p in parameters] for by_name in signs(self.conditions, domains)]
        self.inside: list[Box] = []

    def solved(self, stop: Callable[[], bool], most_boxes: int | None) -> BoxGroup:
        lo = np.zeros((1, len(self.values)), np.int64)
        hi = np.array([[len(v) - 1 for v in self.values]], np.int64)
        looked_at = 0
        while len(lo) and not stop() and (most_boxes is None or looked_at < most_boxes):
            chosen = np.argpartition(-sizes(lo, hi), BATCH)[:BATCH] if len(lo) > BATCH else np.arange(len(lo))
            rest = np.ones(len(lo), np.bool_)
            rest[chosen] = False
            looked_at += len(chosen)
            more_lo, more_hi = self._considered(lo[chosen], hi[chosen])
            lo, hi = np.concatenate([lo[rest], more_lo]), np.concatenate([hi[rest], more_hi])
        return BoxGroup(self.parameters, tuple(self.inside), tuple(boxes_of(lo, hi)))

    def _considered(self, lo: Indices, hi: Indices) -> tuple[Indices, Indices]:
        """Boxes are put inside, left out or evaluated; the halves of the others come back."""
        always, never = self._decided(lo, hi)
        self.inside += boxes_of(lo[always], hi[always])
        undecided = ~always & ~never
        lo, hi = lo[undecided], hi[undecided]
        small = sizes(lo, hi) <= LEAF
        self._evaluate(lo[small], hi[small])
        return self._halves(lo[~small], hi[~small])

    def _decided(self, lo: Indices, hi: Indices) -> tuple[Mask, Mask]:
        """In which boxes all conditions hold everywhere, and in which one of them holds nowhere."""
        n = len(lo)
        always, never = np.ones(n, np.bool_), np.zeros(n, np.bool_)
        by_signs: dict[tuple[int, ...], list[int]] = {}
        for i, row_signs in enumerate(self.signs):
            by_signs.setdefault(tuple(row_signs), []).append(i)
        for directions, numbers in by_signs.items():
            best, worst = self._ends(directions, lo, hi), self._ends(tuple(-d for d in directions), lo, hi)
            most, least = self.extension.bounds(*best, n), self.extension.bounds(*worst, n)
            for i in numbers:
                never |= most[i].never
                always &= least[i].always
        return always & ~never, never

    def _ends(
        self, directions: tuple[int, ...], lo: Indices, hi: Indices
    ) -> tuple[Mapping[str, NDArray[np.float64]], Mapping[str, NDArray[np.float64]]]:
        """Every box with the parameters of a direction at the end it points to, as the ends of what is left of it."""
        low: dict[str, NDArray[np.float64]] = {}
        high: dict[str, NDArray[np.float64]] = {}
        for i, (p, values, direction) in enumerate(zip(self.parameters, self.values, directions)):
            low[p.name] = values[hi[:, i] if direction > 0 else lo[:, i]]
            high[p.name] = values[lo[:, i] if direction < 0 else hi[:, i]]
        return low, high

    def _evaluate(self, lo: Indices, hi: Indices) -> None:
        """Point by point; those that meet all conditions become boxes, neighbours in the last parameter one."""
        if not len(lo):
            return
        places, box = points_of(lo, hi)
        columns = {p.name: c[places[:, i]] for i, (p, c) in enumerate(zip(self.parameters, self.columns))}
        met = np.logical_and.reduce(self.program.run(columns, len(places)), axis=0).astype(np.bool_)
        follows = np.zeros(len(places), np.bool_)
        follows[1:] = met[:-1] & (box[1:] == box[:-1]) & (np.diff(places[:, -1]) == 1)
        follows[1:] &= (places[1:, :-1] == places[:-1, :-1]).all(axis=1)
        first = np.flatnonzero(met & ~follows)
        last = np.flatnonzero(met & ~np.append(follows[1:] & met[1:], False))
        self.inside += boxes_of(places[first], places[last])

    def _halves(self, lo: Indices, hi: Indices) -> tuple[Indices, Indices]:
        """Of the parameter whose values differ by the largest factor; words and truths come first."""
        if not len(lo):
            return lo, hi
        spread = np.zeros(lo.shape)
        for i, values in enumerate(self.values):
            offset = ratio_offset(values)
            ratio = (values[hi[:, i]] + offset) / (values[lo[:, i]] + offset)
            free = all(row_signs[i] == 0 for row_signs in self.signs)
            spread[:, i] = np.where(hi[:, i] > lo[:, i], np.log(ratio) + (1e3 if free else 1e-9), -1.0)
        axis = spread.argmax(axis=1)
        row = np.arange(len(lo))
        middle = (lo[row, axis] + hi[row, axis]) // 2
        return halves(lo, hi, axis, middle)


def boxes_of(lo: Indices, hi: Indices) -> list[Box]:
    return [tuple(zip(first, last)) for first, last in zip(lo.tolist(), hi.tolist())]
