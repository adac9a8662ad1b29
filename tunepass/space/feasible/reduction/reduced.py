"""A group's parameters and constraints after reduction: rows of what is left, and the way back to the parameters."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from tunepass.expr import nodes
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.space.columns import Column, Columns, length, take
from tunepass.space.feasible.diagram.compile import TooLarge
from tunepass.space.feasible.diagram.compiled import CompiledConstraints, listed_group
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.feasible.masks import met, within
from tunepass.space.feasible.reduction.reduction import Reduction
from tunepass.space.feasible.sampling.importance_sampling import ImportanceSampler
from tunepass.space.parameter import Integer, Parameter, Real

PREFIX_NODES = 100_000  # nodes of a diagram that only narrows the listed parameters
ALL = 2048  # listed assignments up to which each is a particle
NUDGES = (1, -1, 2, -2, 3, -3)  # last places by which a real that was solved for is moved until an equation holds


class ReducedProblem:
    """`constraints` over the parameters `ranged` and listed ones; `empty`: proved so."""

    def __init__(
        self, parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr], reduction: Reduction, node_limit: int
    ):
        self.parameters, self.expressions = tuple(parameters), tuple(expressions)
        self.solved = reduction.solved
        self.constraints = tuple(reduction.constraints) if reduction.solved else self.expressions
        variables = list(reduction.parameters.values())
        compiled = CompiledConstraints(variables, self.constraints, reduction.long)
        self.ranged = [p for p in variables if p.name in reduction.long and isinstance(p, Integer | Real)]
        self.prefixes = _prefixes(compiled, min(node_limit, PREFIX_NODES)) if compiled.listed else None
        proved = isinstance(self.prefixes, DiagramGroup) and self.prefixes.size == 0
        self.empty = proved or reduction.impossible

    def original(self, rows: Columns) -> Columns:
        """Feasible rows of the parameters, from those of what they were reduced to."""
        n = length(rows)
        if not self.solved or not n:
            return {p.name: rows.get(p.name, p.column([])) for p in self.parameters}
        values = {name: evaluate_within(e, rows, n) for name, e in self.solved.items()}
        rows = {
            p.name: _column(p, values[p.name].values) if p.name in values else rows[p.name] for p in self.parameters
        }
        defined = np.logical_and.reduce([value.defined for value in values.values()])
        solved = self._nudged(take(rows, defined))
        return take(solved, within(self.parameters, solved) & met(self.expressions, solved, length(solved)))

    def _nudged(self, rows: Columns) -> Columns:
        """Rows whose solved reals are moved by a few last places where an equation fails by its rounding."""
        reals = [p for p in self.parameters if isinstance(p, Real) and p.name in self.solved]
        if not reals:
            return rows
        rows = {name: column.copy() for name, column in rows.items()}
        for p in reals:
            failing = np.flatnonzero(~met(self.expressions, rows, length(rows)))
            original = rows[p.name].astype(np.float64)
            for nudge in NUDGES:
                if not len(failing):
                    break
                moved = original[failing]
                for _ in range(abs(nudge)):
                    moved = np.nextafter(moved, np.inf if nudge > 0 else -np.inf)
                some = take(rows, failing)
                tried: Columns = {**some, p.name: np.clip(moved, p.lo, p.hi)}
                holds = met(self.expressions, tried, len(failing))
                rows[p.name][failing[holds]] = tried[p.name][holds]
                failing = failing[~holds]
        return rows

    def prefix(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        """About n rows of the listed parameters; all of them where they are few."""
        source = self.prefixes
        if not isinstance(source, DiagramGroup):
            assert source is not None
            return source.draw(n, rng, prior=prior)
        if source.size <= ALL and not prior:
            return source.unrank(np.arange(source.size))
        return source.draw_by_prior(n, rng) if prior else source.draw(n, rng)


def reduced(
    parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr], integers: Set[str], node_limit: int
) -> ReducedProblem:
    """Reals, long integers and the `integers` have ranges; the other parameters are listed."""
    long = {p.name for p in parameters if p.axis() is not None} | integers
    return ReducedProblem(parameters, expressions, Reduction.of(parameters, long, expressions), node_limit)


def integers_longer_than(most: int, parameters: Sequence[Parameter]) -> set[str]:
    """The names of integers of more than `most` values."""
    return {p.name for p in parameters if isinstance(p, Integer) and p.size > most}


def _column(parameter: Parameter, values: Column) -> Column:
    """Values of the parameter's type within its ends, where rounding took a real out of them."""
    if not isinstance(parameter, Real):
        return values
    near = 1e-12 * max(abs(parameter.lo), abs(parameter.hi))
    real = values.astype(np.float64)
    is_near = (real > parameter.lo - near) & (real < parameter.hi + near)
    return np.where(is_near, np.clip(real, parameter.lo, parameter.hi), real)


def _prefixes(compiled: CompiledConstraints, node_limit: int) -> DiagramGroup | ImportanceSampler:
    try:
        return listed_group(compiled, node_limit)
    except TooLarge:
        return ImportanceSampler(compiled)
