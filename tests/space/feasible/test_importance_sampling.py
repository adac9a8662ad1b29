"""Rows sampled past the node limit: every one meets what intervals decide, and none of the values is favoured."""

from __future__ import annotations

import numpy as np

from tunepass.expr.parser import parse
from tunepass.space.feasible.diagram.compiled import CompiledConstraints
from tunepass.space.feasible.sampling.importance_sampling import ImportanceSampler
from tunepass.space.parameter import Integer, Permutation


def test_rows_are_feasible_distinct_and_even() -> None:
    parameters = [Integer("a", 1, 8), Integer("b", 1, 8), Permutation("p", 3)]
    names = {p.name: p.type for p in parameters}
    texts = ["a * b == 8 or a + b == 9", "pos(p, 0) < pos(p, 2)"]
    sampler = ImportanceSampler(CompiledConstraints(parameters, [parse(t, names) for t in texts]))
    counts = np.zeros(9)
    for seed in range(20):
        rows = sampler.draw(16, np.random.default_rng(seed), prior=False)
        a, b, p = rows["a"].astype(int), rows["b"].astype(int), np.asarray(rows["p"])
        assert ((a * b == 8) | (a + b == 9)).all()
        assert (np.argsort(p, axis=1)[:, 0] < np.argsort(p, axis=1)[:, 2]).all()
        assert len(np.unique(np.column_stack([a, b, p]), axis=0)) == len(a)
        counts += np.bincount(a, minlength=9)
    assert counts[1:].min() > 0
