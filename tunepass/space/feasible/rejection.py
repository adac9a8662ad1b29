"""Sampling where a diagram does not reach: parameters with too many values to list, or more nodes than the limit.

Listed parameters come from the diagram over them alone, in which constraints that read others prune by their range, or,
past the node limit, from particles (importance_sampling.py). The others are drawn from boxes that are halved until
points drawn in them pass (box_search.py). Guaranteed: every row is feasible; the work is bounded, whatever the
constraints, so that fewer rows than asked for may be found; the same generator gives the same rows. Rows tend to
uniform (on the parameters' scales) as the particles are many against the spread of the volumes they stand for; that
none is found is no proof.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.expr import nodes
from tunepass.expr.numpy_eval import evaluate_within, satisfied
from tunepass.space.columns import Columns, Indices, Mask, length, take
from tunepass.space.feasible.box_search import BoxSearch
from tunepass.space.feasible.compile import TooLarge
from tunepass.space.feasible.compiled import CompiledConstraints, listed_group
from tunepass.space.feasible.group import DiagramGroup, ParameterGroup
from tunepass.space.feasible.importance_sampling import ImportanceSampler
from tunepass.space.feasible.reduction import Reduction
from tunepass.space.parameter import Integer, Parameter

PARTICLES, MOST_PARTICLES = 512, 1 << 14
MANY = 4096  # values of an integer that is rather searched in boxes than listed
ALL = 2048  # listed assignments up to which each is a particle
PREFIX_NODES = 100_000  # nodes of a diagram that only narrows the listed parameters
ROUNDS = 24  # of drawing
IDLE = 3  # rounds without a row that end it; each has four times the particles of the one before
IDLE_ALIKE = 2  # the same where nothing is listed: then rounds differ by chance alone


class RejectionGroup(ParameterGroup):
    """Parameters tied by constraints that are only sampled; neither counted nor ranked. `empty`: proved so."""

    size = 1

    def __init__(self, parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr], node_limit: int):
        self.parameters = tuple(parameters)
        self.expressions = tuple(expressions)
        reduction = _reduced(parameters, expressions)
        self._solved = reduction.solved
        self._boxed = tuple(reduction.constraints) if reduction.solved else self.expressions
        variables = list(reduction.parameters.values())
        compiled = CompiledConstraints(variables, self._boxed, reduction.long)
        self._axes = [p.range_axis() for p in variables if p.name in reduction.long]
        self._prefixes = _prefixes(compiled, min(node_limit, PREFIX_NODES)) if compiled.listed else None
        proved = isinstance(self._prefixes, DiagramGroup) and self._prefixes.size == 0
        self.empty = proved or reduction.impossible

    def unrank(self, ranks: Indices) -> Columns:
        raise AssertionError("a sampled group is not ranked")

    def walk(self, columns: Columns) -> tuple[Mask, Indices]:
        n = length(columns)
        ok = np.ones(n, dtype=bool)
        for p in self.parameters:
            ok &= p.inside(columns[p.name])
        return ok & self._met(columns, n), np.zeros(n, dtype=np.int64)

    def _met(self, columns: Columns, n: int) -> Mask:
        ok = np.ones(n, dtype=bool)
        for e in self.expressions:
            ok &= satisfied(e, columns, n)
        return ok

    def draw(self, n: int, rng: np.random.Generator) -> Columns:
        return self._draw(n, rng, prior=False)

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        return self._draw(n, rng, prior=True)

    def _draw(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        """Up to n rows; fewer when few are found."""
        parts: list[Columns] = []
        have = idle = 0
        for _ in range(ROUNDS):
            drawn = self._original(self._round(n - have, idle, rng, prior=prior))
            accepted = min(length(drawn), n - have)
            parts.append(take(drawn, slice(0, accepted)))
            have, idle = have + accepted, 0 if accepted else idle + 1
            if have >= n or idle == (IDLE if self._prefixes is not None else IDLE_ALIKE):
                break
        return {p.name: np.concatenate([part[p.name] for part in parts]) for p in self.parameters}

    def _original(self, rows: Columns) -> Columns:
        """Rows of the parameters, from those of what they were reduced to."""
        n = length(rows)
        if not self._solved or not n:
            return {p.name: rows.get(p.name, p.column([])) for p in self.parameters}
        values = {name: evaluate_within(e, rows, n) for name, e in self._solved.items()}
        rows = {p.name: values[p.name].values if p.name in values else rows[p.name] for p in self.parameters}
        defined = np.logical_and.reduce([value.defined for value in values.values()])
        solved = take(rows, defined)
        return take(solved, self.contains(solved))

    def _round(self, target: int, idle: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        prefix: Columns = {}
        m = 1
        if self._prefixes is not None:
            prefix = self._prefix(min(max(PARTICLES, 4 * target) << 2 * idle, MOST_PARTICLES), rng, prior=prior)
            m = length(prefix)
        if self._axes and m:
            search = BoxSearch(self._boxed, self._axes, prior, strict=not self._solved)
            return search.points(prefix, m, target, rng)
        if self._axes:
            return {}
        return take(prefix, rng.permutation(np.flatnonzero(self._met(prefix, m))))

    def _prefix(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        source = self._prefixes
        if not isinstance(source, DiagramGroup):
            assert source is not None
            return source.draw(n, rng, prior=prior)
        if source.size <= ALL and not prior:
            return source.unrank(np.arange(source.size))
        return source.draw_by_prior(n, rng) if prior else source.draw(n, rng)


def _reduced(parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr]) -> Reduction:
    """Integers that could be listed are searched in boxes too where that lets one of them be solved for."""
    reals = {p.name for p in parameters if p.axis() is not None}
    integers = {p.name for p in parameters if isinstance(p, Integer) and p.size > MANY}
    reduction = Reduction.of(parameters, reals | integers, expressions)
    return (
        reduction
        if reduction.solved or len(reduction.long) < len(reals | integers) or integers <= reals
        else Reduction.of(parameters, reals, expressions)
    )


def _prefixes(compiled: CompiledConstraints, node_limit: int) -> DiagramGroup | ImportanceSampler:
    try:
        return listed_group(compiled, node_limit)
    except TooLarge:
        return ImportanceSampler(compiled)
