"""The exact Pareto front of analytic objectives by looking at every configuration of a space, in blocks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.exact.branch_and_bound import numeric
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.program import Program
from tunepass.space.columns import Columns, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.strategies.exhaustion import exhaustive_front
from tunepass.study.certificate import Certificate, Floats, Front
from tunepass.study.pareto import nondominated

CHUNK = 1 << 18


def enumerated_front(
    space: Space,
    objectives: Sequence[Expr],
    constraints: Sequence[Expr] = (),
    *,
    max_points: int | None = None,
    progress: Callable[[Certificate], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Front:
    """The Pareto front of `objectives`, all minimised, where the constraints hold, besides the space's own."""
    if not (space.finite and space.complete):
        raise SpaceError("this space cannot be enumerated", hint="search it with branch_and_bound, or with auto")
    if not space.constraints and all(numeric(p) for p in space.parameters):
        cores = os.cpu_count() or 1
        return exhaustive_front(
            space.parameters, objectives, constraints, jobs=cores, max_points=max_points, progress=progress, stop=stop
        )
    program, m = Program([*objectives, *constraints]), len(objectives)
    losses: Floats = np.empty((0, m))
    configurations: list[Configuration] = []
    seen = 0
    for columns in space.enumerate_columns(chunk=CHUNK):
        if (stop is not None and stop()) or (max_points is not None and seen >= max_points):
            break
        seen += length(columns)
        found, kept = _better(program, m, columns, losses)
        losses, first = np.unique(np.concatenate([losses, found]), axis=0, return_index=True)
        configurations += space.configurations(kept)
        on_front = nondominated(losses)
        configurations = [configurations[i] for i in first[on_front]]
        losses = losses[on_front]
        if progress is not None:
            progress(_certificate(space, seen, len(losses)))
    certificate = _certificate(space, seen, len(losses))
    return Front(tuple(configurations), losses, certificate, 0.0 if certificate.exact else float("inf"))


def _better(program: Program, m: int, columns: Columns, known: Floats) -> tuple[Floats, Columns]:
    """The block's own front, without what the known front is as good as."""
    n = length(columns)
    outputs = program.run(columns, n)
    losses = np.stack([np.asarray(o, dtype=np.float64) for o in outputs[:m]], axis=1)
    keep = np.asarray(np.all(np.isfinite(losses), axis=1))
    for holds in outputs[m:]:
        keep &= np.asarray(holds, dtype=bool)
    if m == 2 and len(known):  # the known front is a staircase: most of a block lies above it
        at = np.searchsorted(known[:, 0], losses[:, 0], side="right") - 1
        keep &= ~((at >= 0) & (known[np.maximum(at, 0), 1] <= losses[:, 1]))
    places = np.flatnonzero(keep)
    places = places[nondominated(losses[places])]
    return losses[places], take(columns, places)


def _certificate(space: Space, seen: int, found: int) -> Certificate:
    return Certificate(space.size, seen, 0, 0, space.size - seen, 0, found)
