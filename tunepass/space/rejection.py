"""Sampling where no diagram is: constraints over reals, or more nodes than the limit.

Partial assignments grow variable by variable; a value is kept unless some constraint's range over the completions rules
it out, and particles are resampled in proportion to how many values they had (sequential importance resampling), so
that rows come out nearly uniform. What is left is checked exactly, and the reals are drawn last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.expr import nodes
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.build import Builder, Domain, Rows, TooLarge
from tunepass.space.diagram import Indices
from tunepass.space.group import Columns, Compiled, Group, domain_of
from tunepass.space.parameter import Column, Integer, Parameter, Permutation, Real

PARTICLES = 512
VALUES = 64  # values of one variable tried by a particle
PAIRS = 1 << 17  # particles times values of the last variable, which decides
ROUNDS = 60


class RejectionGroup(Group):
    """Parameters tied by constraints that are only sampled; neither counted nor ranked."""

    size = 1

    def __init__(self, parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr]):
        self.parameters = tuple(parameters)
        self.expressions = tuple(expressions)
        self._grower = _grower(self.parameters, self.expressions)

    def unrank(self, ranks: Indices) -> Columns:
        raise AssertionError("a sampled group is not ranked")

    def walk(self, columns: Columns) -> tuple[NDArray[np.bool_], Indices]:
        n = len(next(iter(columns.values())))
        ok = np.ones(n, dtype=bool)
        for p in self.parameters:
            ok &= RealRange.inside(p, columns[p.name]) if isinstance(p, Real) else p.find(columns[p.name]) >= 0
        ok &= self._met(columns, n)
        return ok, np.zeros(n, dtype=np.int64)

    def _met(self, columns: Columns, n: int) -> NDArray[np.bool_]:
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
        found: list[Columns] = []
        have = 0
        for _ in range(ROUNDS):
            m = max(PARTICLES, min(4 * n, 1 << 14))
            drawn = self._grower.draw(m, rng, prior=prior)
            rows = len(next(iter(drawn.values())))
            met = np.flatnonzero(self._met(drawn, rows))[: n - have]
            if len(met):
                found.append({name: c[met] for name, c in drawn.items()})
                have += len(met)
            if have >= n:
                break
        if not found:
            return {p.name: p.column([]) for p in self.parameters}
        return {p.name: np.concatenate([f[p.name] for f in found]) for p in self.parameters}


class RealRange:
    @staticmethod
    def inside(p: Real, column: Column) -> NDArray[np.bool_]:
        x = np.asarray(column, dtype=np.float64)
        return (x >= p.lo) & (x <= p.hi)


class _Plain:
    """Independent draws of every parameter: for domains too long to list."""

    def __init__(self, parameters: Sequence[Parameter]):
        self.parameters = parameters

    def draw(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        return {p.name: draw_parameter(p, n, rng, prior=prior) for p in self.parameters}


class _Growing:
    """Particles through the layers of the diagram that would have been."""

    def __init__(self, compiled: Compiled):
        self.compiled = compiled
        self.builder = Builder(compiled.terms, compiled.joint, compiled.order(), compiled.domains, 1 << 40)
        self.masses = {p.name: p.masses() for p in compiled.parameters if not isinstance(p, Real) and p.prior}

    def draw(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        builder, variables = self.builder, self.compiled.variables
        rows, before = Rows(n), 0
        path = np.zeros((n, 0), dtype=np.int64)
        for depth, number in enumerate(builder.order):
            last = depth + 1 == len(builder.order)
            domain = self._some(builder.domains[number], max(VALUES, PAIRS // n) if last else VALUES, rng)
            source, value, following = builder.expand(rows, number, before, last=last, domain=domain)
            if not len(source):
                path = np.zeros((0, len(builder.order)), dtype=np.int64)
                break
            v = variables[number]
            weight = np.ones(len(source))
            if prior and v.parameter in self.masses:
                mass = self.masses[v.parameter]
                weight = (mass[v.position] if v.position >= 0 else mass)[domain.index[value]]
            if not weight.sum() > 0:
                weight = np.ones(len(source))
            pick = np.sort(_resample(weight, n, rng))
            path = np.concatenate([path[source[pick]], domain.index[value[pick]][:, None]], axis=1)
            rows = following.take(pick)
            before |= 1 << number
        return self._columns(np.unique(path, axis=0), rng, prior=prior)

    @staticmethod
    def _some(domain: Domain, most: int, rng: np.random.Generator) -> Domain:
        if len(domain.index) <= most:
            return domain
        pick = np.sort(rng.choice(len(domain.index), size=most, replace=False))
        return Domain(domain.column[pick], domain.index[pick], domain.width)

    def _columns(self, path: Indices, rng: np.random.Generator, *, prior: bool) -> Columns:
        out: dict[str, Column] = {}
        at = [(self.compiled.variables[number], i) for i, number in enumerate(self.builder.order)]
        for p in self.compiled.parameters:
            mine = [i for v, i in at if v.parameter == p.name]
            if isinstance(p, Real):
                out[p.name] = p.draw(len(path), rng, prior=prior)
            else:
                out[p.name] = path[:, mine] if isinstance(p, Permutation) else p.at(path[:, mine[0]])
        return out


def _resample(weight: NDArray[np.float64], n: int, rng: np.random.Generator) -> Indices:
    """n places drawn in proportion to `weight`, systematically (one random offset)."""
    edges = np.cumsum(weight)
    points = (rng.random() + np.arange(n)) * (edges[-1] / n)
    return np.asarray(np.searchsorted(edges, points, side="right").clip(max=len(weight) - 1), dtype=np.int64)


def _grower(parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr]) -> _Plain | _Growing:
    try:
        for p in parameters:
            if not isinstance(p, Real):
                domain_of(p)
    except TooLarge:
        return _Plain(parameters)
    return _Growing(Compiled(parameters, expressions))


def draw_parameter(p: Parameter, n: int, rng: np.random.Generator, *, prior: bool) -> Column:
    if isinstance(p, Real):
        return p.draw(n, rng, prior=prior)
    if isinstance(p, Integer):
        return p.at(p.draw(n, rng, prior=prior))
    if prior and p.prior is not None and not isinstance(p, Permutation):
        return p.at(rng.choice(p.size, size=n, p=p.masses()))
    return p.at(rng.integers(p.size, size=n))
