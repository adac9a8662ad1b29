"""Spaces whose constraints leave some numbers a single value, or only the ends of their ranges."""

from __future__ import annotations

import numpy as np
import pytest

import tunepass as tp
from tunepass.expr.parser import parse
from tunepass.space.feasible.ranges.single_values import single_valued


def unit(*names: str) -> list[tp.Real]:
    return [tp.Real(name, 0.0, 1.0) for name in names]


def found(parameters: list[tp.Real], *constraints: str) -> list[dict[str, object]]:
    space = tp.Space(parameters, constraints=list(constraints))
    sample = space.sample(4, np.random.default_rng(0))
    assert all(space.contains(c) for c in sample)
    return [dict(c) for c in sample]


@pytest.mark.parametrize(
    "constraint, point",
    [
        ("x + y >= 2", (1.0, 1.0)),
        ("x - y >= 1", (1.0, 0.0)),
        ("x * y >= 1", (1.0, 1.0)),
        ("min(x, y) >= 1", (1.0, 1.0)),
        ("sqrt(x) + sqrt(y) >= 2", (1.0, 1.0)),
        ("2 * x + 3 * y <= 0", (0.0, 0.0)),
        ("abs(x - 0.3) + abs(y - 0.6) <= 0", (0.3, 0.6)),
        ("(x - 0.5)**2 + (y - 0.25)**2 <= 0", (0.5, 0.25)),
    ],
)
def test_a_single_point_is_found(constraint: str, point: tuple[float, float]) -> None:
    assert found(unit("x", "y"), constraint) == [{"x": point[0], "y": point[1]}]


def test_the_others_stay_free() -> None:
    sample = found(unit("x", "y", "z"), "x + y >= 2")
    assert len({c["z"] for c in sample}) == 4
    assert all(c["x"] == c["y"] == 1.0 for c in sample)


def test_sums_of_many_reals() -> None:
    names = [f"x{i}" for i in range(6)]
    (point,) = found(unit(*names), " + ".join(names) + " >= 6")
    assert set(point.values()) == {1.0}


def test_integers_and_reals() -> None:
    parameters = [tp.Integer("n", 1, 10**5), tp.Real("x", 0.0, 1.0)]
    space = tp.Space(parameters, constraints=["n * x >= 100000"])
    assert [dict(c) for c in space.sample(3, np.random.default_rng(0))] == [{"n": 10**5, "x": 1.0}]


def test_thin_sets_keep_their_values() -> None:
    sample = found(unit("x", "y"), "x + y >= 1.999999")
    assert len({c["x"] for c in sample}) == 4


def test_ends_are_tried_where_nothing_else_is_found() -> None:
    sample = found(unit("x", "y"), "x + y >= 2 or x + y <= 0")
    assert sorted(tuple(c.values()) for c in sample) == [(0.0, 0.0), (1.0, 1.0)]


def test_only_single_values_are_told() -> None:
    parameters = unit("x", "y", "z")
    types = {p.name: p.type for p in parameters}
    expressions = [parse(text, types) for text in ("x + y >= 2", "z <= 0.5")]
    assert single_valued(parameters, expressions) == {"x": 1.0, "y": 1.0}
