"""The pruning solver `z3`: boxes that Z3 proves to lie inside or outside of what is left.

A box is split until Z3 shows that nothing in it meets the conditions, or that everything does. Reals are allowed what
doubles round off, so both proofs are about what the reference reader computes; where they leave a single configuration
open, the reader decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.expr.nodes import OrderType
from tunepass.expr.numpy_eval import satisfied
from tunepass.pruning.base import Remaining, Solver, hold_without_names, tied
from tunepass.pruning.box_union import Box, BoxGroup, BoxUnion, volume
from tunepass.pruning.smt import kept, writer_of
from tunepass.pruning.z3_boxes import BoxQuestions
from tunepass.pruning.z3_session import SolverVerdict
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter
from tunepass.spread import Spread, in_turn

SOME, OTHER = "some", "other"  # something in the box may meet the conditions; something may not
PATIENCE_S = 20.0  # of one question; then its box is split


class Z3Solver(Solver):
    """Raises TunepassError where the package z3-solver is not installed."""

    def __init__(self, patience_s: float = PATIENCE_S, *, spread: Spread = in_turn):
        self.patience_s, self.spread = patience_s, spread

    def remaining(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        *,
        stop: Callable[[], bool] | None = None,
    ) -> Remaining:
        groups = []
        for members, tied_constraints in tied(parameters, constraints):
            part = _Tied(members, tied_constraints, self.patience_s, self.spread)
            groups.append(part.solved(stop or (lambda: False)))
        return BoxUnion(parameters, groups, possible=hold_without_names(constraints))


class _Tied:
    """Parameters that conditions tie together."""

    def __init__(
        self, parameters: Sequence[Parameter], constraints: Sequence[Constraint], patience_s: float, spread: Spread
    ):
        for p in parameters:
            if p.size is None or isinstance(p.type, OrderType):
                kind = "a real number" if p.size is None else "an order"
                message = f"{p.name} is {kind} that conditions depend on: z3 splits ranges of listed values"
                raise SpaceError(message, p.span, "give it a list of values, or use --solver diagram")
        self.parameters, self.constraints, self.spread = tuple(parameters), tuple(constraints), spread
        writer = writer_of(parameters)
        truth = kept(writer, constraints)
        questions = {SOME: truth.may, OTHER: truth.may_not}
        self.boxes = BoxQuestions(parameters, constraints, writer, (), questions, patience_s)

    def solved(self, stop: Callable[[], bool]) -> BoxGroup:
        """Round by round: of all boxes that are pending those in which nothing is left, then those in which all is."""
        inside: list[Box] = []
        pending = [self.boxes.whole]
        while pending and not stop():
            possible = self._not_never(SOME, pending, stop)
            partly = self._not_never(OTHER, possible, stop)
            open_ones = set(partly)
            inside += [box for box in possible if box not in open_ones or (volume(box) == 1 and self._holds(box))]
            pending = [part for box in partly if volume(box) > 1 for part in self.boxes.split(box)]
        return BoxGroup(self.parameters, tuple(inside), tuple(pending))

    def _not_never(self, question: str, boxes: Sequence[Box], stop: Callable[[], bool]) -> list[Box]:
        """The boxes of which Z3 does not show that the question holds nowhere in them, or was not asked in time."""
        answers = self.boxes.answered([self.boxes.question(question, box) for box in boxes], self.spread)
        return [box for box in boxes if stop() or next(answers)[0] is not SolverVerdict.NEVER]

    def _holds(self, box: Box) -> bool:
        columns = {p.name: np.array([v[lo]]) for p, v, (lo, _) in zip(self.parameters, self.boxes.values, box)}
        return all(bool(satisfied(c.expression, columns, 1)[0]) for c in self.constraints)
