"""Parameters with only the values that are left."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.interchange.reduced import reduced
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation


def left(p: Parameter, *values: object) -> Parameter:
    return reduced([p], {p.name: np.array([value in values for value in p.domain])})[0]


def test_listed_values_that_are_left_stay_in_their_order() -> None:
    p = left(Ordinal("filters", [16, 64, 32, 128], default=128, log=True, prior="decay"), 16, 32)
    assert p == Ordinal("filters", [16, 32], default=32, log=True, prior="decay")


def test_a_default_that_is_left_stays() -> None:
    assert left(Ordinal("filters", [16, 64, 32], default=64), 64, 16).default == 64


@pytest.mark.parametrize(
    "values,expected",
    [
        (range(3, 7), Integer("n", 3, 6, default=3)),
        ((2, 4, 6), Integer("n", 2, 6, step=2, default=2)),
        ((5,), Integer("n", 5, 5, default=5)),
        ((2, 3, 7), Ordinal("n", [2, 3, 7], default=2)),
    ],
)
def test_what_is_left_of_a_range(values: tuple[int, ...], expected: Parameter) -> None:
    assert left(Integer("n", 1, 8), *values) == expected


def test_probabilities_are_those_of_what_is_left() -> None:
    p = left(Categorical("kind", ["a", "b", "c"], prior=[0.5, 0.3, 0.2], default="a"), "b", "c")
    assert p.domain == ("b", "c") and p.default == "b"
    assert p.prior == pytest.approx((0.6, 0.4))


def test_what_no_mask_names_is_as_it_was() -> None:
    order = Permutation("order", 3)
    assert reduced([order], {}) == (order,)
