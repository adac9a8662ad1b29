"""The exact solver `exhaustive`: every configuration of the space is evaluated through the objectives' expressions.

The strategy `exhaustive` walks the same space in the same order, and has each configuration evaluated by an evaluator.
Branch and bound finds the same front from far fewer evaluations where bounds are tight enough to prune.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tunepass.diagnostics import SpaceError
from tunepass.exact.base import Certificate, ExactSolver, Front
from tunepass.exact.domains import is_numeric
from tunepass.exact.product_enumeration import enumerated, product_front
from tunepass.exact.running_front import RunningFront, feasible_losses
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.space.columns import length
from tunepass.space.space import Space

CHUNK = 1 << 18  # configurations evaluated at once


class Enumeration(ExactSolver):
    """`Enumeration(jobs=2).solve(space, [time, area], [fits])`; `jobs` threads evaluate, by default one a core."""

    def __init__(self, jobs: int | None = None):
        self.jobs = jobs or os.cpu_count() or 1

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
        if not (space.finite and space.complete):
            raise SpaceError("this space cannot be enumerated", hint="search it with branch_and_bound, or with auto")
        if not space.constraints and space.size == space.dense and all(is_numeric(p) for p in space.parameters):
            return product_front(
                space.parameters, objectives, constraints,
                jobs=self.jobs, max_points=max_points, stop=stop, progress=progress,
            )  # fmt: skip
        program = CompiledExpressions([*objectives, *constraints])
        front, evaluated = RunningFront(len(objectives)), 0
        for columns in space.enumerate_columns(chunk=CHUNK):
            if (stop is not None and stop()) or (max_points is not None and evaluated >= max_points):
                break
            n = length(columns)
            rows, losses = feasible_losses(program.run(columns, n), len(objectives))
            candidates = front.candidates(losses)
            front.add(rows[candidates] + evaluated, losses[candidates])
            evaluated += n
            if progress is not None:
                progress(enumerated(space.size, evaluated, len(front)))
        certificate = enumerated(space.size, evaluated, len(front))
        configurations = tuple(space.unrank(rank) for rank in front.points.tolist())
        return Front(configurations, front.losses, certificate, 0.0 if certificate.exact else float("inf"))
