"""Which constraints empty a space."""

from __future__ import annotations

from tunepass.space.constraint import Constraint
from tunepass.space.feasible.conflict import conflicting, describe, is_empty
from tunepass.space.parameter import Integer, Real


def test_a_conflict_is_minimal() -> None:
    parameters = [Integer(n, 1, 6) for n in "abcd"]
    constraints = [Constraint.parse(t, parameters) for t in ("a < b", "b < c", "c < a", "d > 2")]
    found = conflicting(parameters, constraints, 1000)
    assert list(found) == constraints[:3]
    assert not any(is_empty(parameters, [c for c in found if c is not out], 1000) for out in found)
    assert len(describe(found).diagnostics) == 3


def test_reals_only_narrow() -> None:
    parameters = [Integer("n", 1, 6), Real("x", 0, 1)]
    assert is_empty(parameters, [Constraint.parse("x * n > 7", parameters)], 1000)
    assert not is_empty(parameters, [Constraint.parse("x * n > 5", parameters)], 1000)
