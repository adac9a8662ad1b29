"""Points from halved boxes: feasible, in proportion to the volumes they come from, found where they are rare."""

from __future__ import annotations

import numpy as np

from tunepass.expr.numpy_eval import satisfied
from tunepass.expr.parser import parse
from tunepass.space.feasible.ranges.box_search import BoxSearch, resample
from tunepass.space.parameter import Integer, Real


def points(texts: list[str], parameters: list[Real | Integer], wanted: int = 500) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    es = [parse(t, {p.name: p.type for p in parameters}) for t in texts]
    axes = [axis for p in parameters if (axis := p.axis()) is not None]
    search = BoxSearch(es, axes, prior=False)
    found = dict(search.points({}, 1, wanted, np.random.default_rng(0)))
    assert all(satisfied(e, found, len(found[parameters[0].name])).all() for e in es)
    return found


def test_a_thin_ring_is_found_and_covered_evenly() -> None:
    found = points(["x*x + y*y < 0.5", "x*x + y*y > 0.499"], [Real("x", -1, 1), Real("y", -1, 1)])
    angle = np.arctan2(found["y"], found["x"])
    counts = np.histogram(angle, bins=8, range=(-np.pi, np.pi))[0]
    assert counts.sum() >= 500 and counts.min() > 0.6 * counts.mean()


def test_rare_whole_numbers_are_found_by_halving() -> None:
    found = points(["a + 3 * b == 10**9", "a < 50"], [Integer("a", 1, 10**9), Integer("b", 1, 10**9)], 20)
    assert len(set(found["a"].tolist())) > 5


def test_nothing_is_found_where_nothing_is() -> None:
    assert len(points(["x > 1.5"], [Real("x", 0, 1)])["x"]) == 0


def test_resampling_keeps_proportions_without_aliasing() -> None:
    drawn = resample(np.tile([1.0, 3.0], 500), 500, np.random.default_rng(0))
    assert abs((drawn % 2).mean() - 0.75) < 0.05
    assert len(set((resample(np.ones(5000), 100, np.random.default_rng(0)) % 50).tolist())) > 20
