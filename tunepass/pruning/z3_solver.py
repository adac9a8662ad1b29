"""The pruning solver `z3`: boxes that Z3 proves to lie inside or outside of what is left.

A box is halved until Z3 shows that nothing in it meets the conditions, or that everything does. Reals are allowed what
doubles round off, so both proofs are about what the reference reader computes; where they leave a single configuration
open, the reader decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.expr.nodes import OrderType
from tunepass.expr.numpy_eval import satisfied
from tunepass.pruning.answer_formula import box_formula, place_values
from tunepass.pruning.base import Remaining, Solver
from tunepass.pruning.box_union import Box, BoxGroup, BoxUnion, halves, volume
from tunepass.pruning.smt import kept, writer_of
from tunepass.pruning.z3_session import Verdict, Z3Session
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.components import components
from tunepass.space.parameter import Parameter

SOME, OTHER = "some", "other"  # something in the box may meet the conditions; something may not
PATIENCE_S = 20.0  # of one question; then its box is halved


class Z3Solver(Solver):
    """Raises TunepassError where the package z3-solver is not installed."""

    def __init__(self, patience_s: float = PATIENCE_S):
        self.patience_s = patience_s

    def remaining(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        *,
        stop: Callable[[], bool] | None = None,
    ) -> Remaining:
        groups = []
        possible = all(satisfied(c.expression, {}, 1)[0] for c in constraints if not c.names)
        for names, numbers in components(parameters, constraints):
            members = [p for p in parameters if p.name in names]
            if numbers:
                tied = _Tied(members, [constraints[i] for i in numbers], self.patience_s)
                groups.append(tied.solved(stop or (lambda: False)))
        return BoxUnion(parameters, groups, possible=possible)


class _Tied:
    """Parameters that conditions tie together."""

    def __init__(self, parameters: Sequence[Parameter], constraints: Sequence[Constraint], patience_s: float):
        for p in parameters:
            if p.size is None or isinstance(p.type, OrderType):
                what = "a real number" if p.size is None else "an order"
                message = f"{p.name} is {what} that conditions depend on: z3 halves ranges of listed values"
                raise SpaceError(message, p.span, "give it a list of values, or use --solver diagram")
        self.parameters, self.constraints = tuple(parameters), tuple(constraints)
        self.writer = writer_of(parameters)
        truth = kept(self.writer, constraints)
        self.values = [place_values(p) for p in parameters]
        self.session = Z3Session(self.writer.lines, {SOME: truth.may, OTHER: truth.may_not}, patience_s)

    @cached_property
    def whole(self) -> Box:
        return tuple((0, len(values) - 1) for values in self.values)

    def solved(self, stop: Callable[[], bool]) -> BoxGroup:
        inside: list[Box] = []
        pending = [self.whole]
        while pending and not stop():
            box = pending.pop()
            here = box_formula(self.parameters, self.writer, box)
            if self.session.ask(SOME, here) is Verdict.NEVER:
                continue
            if self.session.ask(OTHER, here) is Verdict.NEVER or (volume(box) == 1 and self._holds(box)):
                inside.append(box)
            elif volume(box) > 1:
                pending += halves(box)
        return BoxGroup(self.parameters, tuple(inside), tuple(pending))

    def _holds(self, box: Box) -> bool:
        columns = {p.name: np.array([v[lo]]) for p, v, (lo, _) in zip(self.parameters, self.values, box)}
        return all(bool(satisfied(c.expression, columns, 1)[0]) for c in self.constraints)
