"""Sequential importance sampling: rows of a space whose diagram would pass the node limit.

Particles go through the layers of the diagram that would have been. A value is kept unless some constraint's range over
the completions rules it out, and particles are resampled in proportion to how many values they had (sequential
importance resampling), so that rows come out nearly uniform. Constraints over parameters that are not listed, reals and
long integers, only prune by their range.
"""

from __future__ import annotations

import numpy as np

from tunepass.space.columns import Columns, Indices
from tunepass.space.feasible.diagram.compile import DiagramBuilder
from tunepass.space.feasible.diagram.compiled import CompiledConstraints
from tunepass.space.feasible.diagram.rows import Choices, Rows
from tunepass.space.feasible.ranges.box_search import resample
from tunepass.space.parameter import Column

VALUES = 64  # values of one variable tried by a particle, fewer where variables are many
MANY = 32  # variables
PAIRS = 1 << 18  # particles times values of the last variable, which decides


class ImportanceSampler:
    """`draw` gives rows of the listed parameters, distinct, at most n; which of them are feasible is yet to check."""

    def __init__(self, compiled: CompiledConstraints):
        self.compiled = compiled
        self.builder = DiagramBuilder(compiled.terms, compiled.joint, compiled.order(), compiled.domains, 1 << 40)
        self.masses = {p.name: p.masses() for p in compiled.listed if p.prior}

    def draw(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        builder, variables = self.builder, self.compiled.variables
        rows, before = Rows(n), 0
        path = np.zeros((n, 0), dtype=np.int64)
        most = max(8, VALUES * MANY // max(MANY, len(builder.order)))
        for depth, number in enumerate(builder.order):
            last = depth + 1 == len(builder.order)
            domain = self._some(builder.domains[number], max(VALUES, PAIRS // n) if last else most, rng)
            with np.errstate(divide="ignore", invalid="ignore"):
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
            pick = np.sort(resample(weight, n, rng))
            path = np.concatenate([path[source[pick]], domain.index[value[pick]][:, None]], axis=1)
            rows = following.take(pick)
            before |= 1 << number
        return self._columns(np.unique(path, axis=0))

    @staticmethod
    def _some(domain: Choices, most: int, rng: np.random.Generator) -> Choices:
        if len(domain.index) <= most:
            return domain
        pick = np.sort(rng.choice(len(domain.index), size=most, replace=False))
        return domain.take(pick)

    def _columns(self, path: Indices) -> Columns:
        out: dict[str, Column] = {}
        owners = [self.compiled.variables[number].parameter for number in self.builder.order]
        for p in self.compiled.listed:
            out[p.name] = p.from_codes(path[:, [i for i, name in enumerate(owners) if name == p.name]])
        return out
