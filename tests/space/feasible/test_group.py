"""What constraints tie together, and ranks of huge spaces."""

from __future__ import annotations

import numpy as np

from tunepass.space.constraint import Constraint
from tunepass.space.feasible.group import components, draw_ranks
from tunepass.space.parameter import Integer


def test_components_are_what_constraints_tie() -> None:
    parameters = [Integer(n, 1, 6) for n in "abcd"]
    found = components(parameters, [Constraint.parse(t, parameters) for t in ("a < b", "c == 1", "b < 4")])
    assert sorted((tuple(sorted(names)), numbers) for names, numbers in found) == [
        (("a", "b"), [0, 2]),
        (("c",), [1]),
        (("d",), []),
    ]


def test_ranks_of_huge_spaces_cover_them() -> None:
    ranks = draw_ranks(10**30, 200, np.random.default_rng(0))
    assert min(ranks) < 10**29 and max(ranks) > 9 * 10**29
