"""What constraints tie together."""

from __future__ import annotations

from tunepass.space.constraint import Constraint
from tunepass.space.feasible.components import components
from tunepass.space.parameter import Integer


def test_components_are_what_constraints_tie() -> None:
    parameters = [Integer(n, 1, 6) for n in "abcd"]
    found = components(parameters, [Constraint.parse(t, parameters) for t in ("a < b", "c == 1", "b < 4")])
    assert sorted((tuple(sorted(names)), numbers) for names, numbers in found) == [
        (("a", "b"), [0, 2]),
        (("c",), [1]),
        (("d",), []),
    ]
