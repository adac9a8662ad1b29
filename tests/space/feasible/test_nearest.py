"""The default of a space whose parameters' defaults are infeasible together."""

from __future__ import annotations

from tunepass.space.parameter import Ordinal, Real
from tunepass.space.space import Space


def test_the_nearest_default_changes_least() -> None:
    space = Space([Ordinal(n, [1, 2, 4, 8], default=8) for n in "ab"], ["a * b <= 16", "a >= 4"])
    assert dict(space.default) == {"a": 8, "b": 2} and len(space.warnings) == 1
    assert space.warnings[0].span is not None


def test_a_feasible_default_stays_without_a_warning() -> None:
    space = Space([Ordinal("a", [1, 2, 4], default=4)], ["a > 1"])
    assert dict(space.default) == {"a": 4} and space.warnings == ()


def test_a_sampled_space_has_a_feasible_default() -> None:
    space = Space([Real("x", 0, 1), Real("y", 0, 1)], ["x + y < 0.01"])
    assert space.contains(space.default)
