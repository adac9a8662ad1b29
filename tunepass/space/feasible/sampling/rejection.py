"""Sampling where a diagram does not reach: parameters with too many values to list, or more nodes than the limit.

Listed parameters come from the diagram over them alone, in which constraints that read others prune by their range, or,
past the node limit, from particles (importance_sampling.py). The others are drawn from boxes that are halved until
points drawn in them pass (box_search.py), or, where boxes find little, one after the other from the range that the
constraints leave (conditioned.py); which of the two is decided by a draw with a seed of its own, so that it is the same
in every study of the space. Where boxes find little, reals that the constraints leave a single value have that value,
and where nothing is found at all, reals are at their ends. Guaranteed: every row is feasible; the work is bounded,
whatever the constraints, so that fewer rows than asked for may be found; the same generator gives the same rows. Rows
tend to uniform (on the parameters' scales; with an equation over reals, on those of the parameters that it is not
solved for) as the particles are many against the spread of the volumes they stand for; that none is found is no proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tunepass.expr import nodes
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.columns import Columns, Indices, Mask, keys, length, take
from tunepass.space.feasible.diagram.diagram import dedupe
from tunepass.space.feasible.group import ParameterGroup
from tunepass.space.feasible.masks import met
from tunepass.space.feasible.ranges.box_search import EFFORT, BoxSearch
from tunepass.space.feasible.ranges.contraction import contradictory
from tunepass.space.feasible.ranges.single_values import single_valued, with_values
from tunepass.space.feasible.reduction.reduced import ReducedProblem, integers_longer_than, reduced
from tunepass.space.feasible.sampling.conditioned import ConditionedSampler
from tunepass.space.parameter import Parameter, Real

PARTICLES, MOST_PARTICLES = 512, 1 << 14
MANY = 4096  # values of an integer that is rather searched in boxes than listed
SOME = 32  # values of an integer that is rather drawn from a range than listed
ROUNDS = 24  # of drawing
IDLE = 3  # rounds without a row that end it; each has four times the particles of the one before
IDLE_ALIKE = 2  # the same where nothing is listed: then rounds differ by chance alone
TRIAL_ROWS = 64  # that boxes must find within TRIAL_EFFORT, else rows are drawn one parameter after the other
TRIAL_EFFORT = 1 << 21
LAST_EFFORT = 1 << 22  # of boxes where no other way finds a row


class RejectionGroup(ParameterGroup):
    """Parameters tied by constraints that are only sampled; neither counted nor ranked. `empty`: proved so."""

    size, counted = 1, False

    def __init__(self, parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr], node_limit: int):
        self.parameters = tuple(parameters)
        self.expressions = tuple(expressions)
        self._node_limit = node_limit
        self._problem = self._boxed()
        self._axes = [p.range_axis() for p in self._problem.ranged]
        self.empty = self._problem.empty or contradictory(self.parameters, self.expressions)
        self._conditioned: dict[bool, ConditionedSampler | None] = {}

    def _boxed(self) -> ReducedProblem:
        """Integers that could be listed are searched in boxes too where that lets one of them be solved for."""
        long, parameters, limit = integers_longer_than(MANY, self.parameters), self.parameters, self._node_limit
        plain = {p.name for p in parameters if p.axis() is not None}
        problem = reduced(parameters, self.expressions, long, limit) if long - plain else None
        if problem is not None and (problem.solved or len(problem.ranged) < len(plain | long)):
            return problem
        return reduced(parameters, self.expressions, set(), limit)

    def unrank(self, ranks: Indices) -> Columns:
        raise AssertionError("a sampled group is not ranked")

    def walk(self, columns: Columns) -> tuple[Mask, Indices]:
        n = length(columns)
        ok = np.ones(n, dtype=bool)
        for p in self.parameters:
            ok &= p.inside(columns[p.name])
        for e in self.expressions:
            ok &= satisfied(e, columns, n)
        return ok, np.zeros(n, dtype=np.int64)

    def draw(self, n: int, rng: np.random.Generator) -> Columns:
        return self._draw(n, rng, prior=False)

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        return self._draw(n, rng, prior=True)

    def _draw(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        """Up to n rows; fewer when few are found."""
        if self._boxes_suffice:
            return self._draw_boxes(n, rng, prior=prior)
        if self._at_single_values is not None:
            return self._at_single_values._draw(n, rng, prior=prior)
        sampler = self._sampler(prior)
        rows = take(self._ranged.original(sampler.draw(n, rng)), slice(0, n)) if sampler is not None else {}
        rows = rows if length(rows) else self._draw_boxes(n, rng, prior=prior, effort=LAST_EFFORT)
        if length(rows) or self._at_ends is None:
            return rows
        return self._at_ends._draw(n, rng, prior=prior)

    def _draw_boxes(self, n: int, rng: np.random.Generator, *, prior: bool, effort: int = EFFORT) -> Columns:
        parts: list[Columns] = []
        have = idle = 0
        for _ in range(ROUNDS):
            drawn = self._problem.original(self._round(n - have, idle, rng, prior=prior, effort=effort))
            accepted = min(length(drawn), n - have)
            parts.append(take(drawn, slice(0, accepted)))
            have, idle = have + accepted, 0 if accepted else idle + 1
            if have >= n or idle == (IDLE if self._problem.prefixes is not None else IDLE_ALIKE):
                break
        return {p.name: np.concatenate([part[p.name] for part in parts]) for p in self.parameters}

    def _round(self, target: int, idle: int, rng: np.random.Generator, *, prior: bool, effort: int = EFFORT) -> Columns:
        prefix: Columns = {}
        m, problem = 1, self._problem
        if problem.prefixes is not None:
            prefix = problem.prefix(min(max(PARTICLES, 4 * target) << 2 * idle, MOST_PARTICLES), rng, prior=prior)
            m = length(prefix)
        if self._axes and m:
            search = BoxSearch(problem.constraints, self._axes, prior, strict=not problem.solved, effort=effort)
            return search.points(prefix, m, target, rng)
        if self._axes:
            return {}
        return take(prefix, rng.permutation(np.flatnonzero(met(problem.constraints, prefix, m))))

    # -- reals of few values

    @cached_property
    def _at_single_values(self) -> RejectionGroup | None:
        """The group with the single values that the constraints leave; None where there are none, or that is empty."""
        values = single_valued(self.parameters, self.expressions)
        return self._restricted({name: [value] for name, value in values.items()})

    @cached_property
    def _at_ends(self) -> RejectionGroup | None:
        """The group with its reals at their ends; None where that is empty."""
        reals = [p for p in self.parameters if isinstance(p, Real) and p.grid is None and p.lo < p.hi]
        return self._restricted({p.name: [p.lo, p.hi] for p in reals})

    def _restricted(self, values: dict[str, list[float]]) -> RejectionGroup | None:
        if not values:
            return None
        group = RejectionGroup(with_values(self.parameters, values), self.expressions, self._node_limit)
        count = 0 if group.empty else length(group._draw(1, np.random.default_rng(0), prior=False))
        return group if count else None

    # -- one parameter after the other

    @cached_property
    def _boxes_suffice(self) -> bool:
        """Does one round of boxes find enough rows with little work? Of a single row that ranges tell, it does not."""
        drawn = self._round(TRIAL_ROWS, 0, np.random.default_rng(0), prior=False, effort=TRIAL_EFFORT)
        rows = self._problem.original(drawn)
        if length(rows) < TRIAL_ROWS:
            return False
        return len(dedupe(keys(rows))[1]) > 1 or self._at_single_values is None

    @cached_property
    def _ranged(self) -> ReducedProblem:
        """Reals and all but short integers have ranges."""
        return reduced(self.parameters, self.expressions, integers_longer_than(SOME, self.parameters), self._node_limit)

    def _sampler(self, prior: bool) -> ConditionedSampler | None:
        """The sampler by the priors or of uniform rows; None where no parameter has a range."""
        if prior not in self._conditioned:
            problem = self._ranged
            listed = None if problem.prefixes is None else lambda n, rng: problem.prefix(n, rng, prior=prior)
            self._conditioned[prior] = (
                ConditionedSampler(problem.ranged, problem.constraints, listed, prior=prior) if problem.ranged else None
            )
        return self._conditioned[prior]
