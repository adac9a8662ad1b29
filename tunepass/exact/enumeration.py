"""The exact solver `exhaustive`: every configuration of the space is evaluated through the objectives' expressions.

The strategy `exhaustive` walks the same space in the same order, and has each configuration evaluated by an evaluator.
Branch and bound finds the same front from far fewer evaluations where bounds are tight enough to prune.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.exact.base import Certificate, ExactSolver, Front
from tunepass.exact.domains import is_numeric
from tunepass.exact.product_enumeration import EnumeratedProduct
from tunepass.exact.running_front import Ints, RunningFront, feasible_losses
from tunepass.exact.shares import EnumeratedSpace, FrontsOfShares, ShareFront, enumerated_front
from tunepass.expr.nodes import Expr
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.space.columns import length
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

CHUNK = 1 << 18  # configurations evaluated at once


class Enumeration(ExactSolver):
    """`Enumeration(jobs=2).solve(space, [time, area], [fits])`; `jobs` threads evaluate, by default one a core.

    `fronts` is who evaluates in their place: see SolvesInShares.
    """

    def __init__(self, jobs: int | None = None, fronts: FrontsOfShares | None = None):
        self.jobs = jobs or os.cpu_count() or 1
        self.fronts = fronts

    def in_shares(self, fronts: FrontsOfShares, /) -> Enumeration:
        """See SolvesInShares."""
        return Enumeration(self.jobs, fronts)

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
        enumerated = enumerated_space(space, objectives, constraints)
        jobs = self.jobs if isinstance(enumerated, EnumeratedProduct) else 1
        return enumerated_front(enumerated, self.fronts, jobs=jobs, max_points=max_points, stop=stop, progress=progress)


class EnumeratedRanks(EnumeratedSpace):
    """The configurations that keep a space's constraints: a configuration's number is its rank."""

    def __init__(self, space: Space, objectives: Sequence[Expr], constraints: Sequence[Expr] = ()):
        self.space, self.program = space, CompiledExpressions([*objectives, *constraints])
        self.objectives, self.size, self.step, self.grain = len(objectives), space.size, CHUNK, CHUNK

    def front(self, share: range, known: RunningFront) -> ShareFront:
        columns = self.space.columns_of_ranks(np.arange(share.start, share.stop))
        rows, losses = feasible_losses(self.program.run(columns, length(columns)), self.objectives)
        candidates = known.candidates(losses)
        return ShareFront(rows[candidates] + share.start, losses[candidates])

    def configurations(self, numbers: Ints) -> tuple[Configuration, ...]:
        return tuple(self.space.unrank(rank) for rank in numbers.tolist())


def enumerated_space(space: Space, objectives: Sequence[Expr], constraints: Sequence[Expr] = ()) -> EnumeratedSpace:
    """The space with numbered configurations. Raises SpaceError for one that cannot be enumerated."""
    if not (space.finite and space.complete):
        raise SpaceError("this space cannot be enumerated", hint="search it with branch_and_bound, or with auto")
    if not space.constraints and space.size == space.dense and all(is_numeric(p) for p in space.parameters):
        return EnumeratedProduct(space.parameters, objectives, constraints)
    return EnumeratedRanks(space, objectives, constraints)
