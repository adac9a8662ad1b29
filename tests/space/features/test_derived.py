from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.space.features.derived import derived_features, magnitudes, mixes_powers_of_two, odd_part
from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real
from tunepass.space.space import Space

X, Y = Ordinal("x", [16, 32, 48, 64]), Integer("y", 1, 8)


def names(parameters: list[Parameter], *constraints: str) -> list[str]:
    return [str(feature) for feature in derived_features(Space(parameters, constraints=constraints))]


@examples(50)
@given(st.integers(0, 40), st.integers(0, 1000))
def test_odd_part_is_what_powers_of_two_leave(k: int, half: int) -> None:
    assert odd_part(np.array([(2 * half + 1) << k])).tolist() == [2 * half + 1]


@pytest.mark.parametrize(
    "parameter,mixes",
    [
        (X, True),
        (Y, True),
        (Integer("x", 50, 55), False),  # no power of two
        (Ordinal("x", [1, 2, 4, 8]), False),  # nothing else
        (Ordinal("x", [1.0, 2.0, 3.0]), False),
        (Integer("x", -2, 8), False),
        (Integer("x", 1, 1_000_000), False),
        (Categorical("x", [1, 2, 3]), True),
        (Categorical("x", [False, True]), False),
        (Categorical("x", ["1", "2", "3"]), False),
        (Real("x", 1, 3), False),
        (Permutation("x", 3), False),
    ],
    ids=str,
)
def test_which_parameters_have_an_odd_part(parameter: Parameter, mixes: bool) -> None:
    assert mixes_powers_of_two(parameter) == mixes


@pytest.mark.parametrize(
    "constraint,expected",
    [
        ("x * y <= 100", ["x * y"]),
        ("x % y == 0", ["x * y^-1"]),
        ("y <= x", ["x * y^-1"]),
        ("2 * x * y * 4 < 5000 or x == 16", ["x * y"]),
        ("x // (2 * y) >= 1 and x / y > 1", ["x * y^-1"]),
        ("(x + y) * 2 < 200", []),
        ("x <= 64", []),
    ],
)
def test_monomials_of_constraints(constraint: str, expected: list[str]) -> None:
    assert names([X, Y], constraint) == ["odd(x)", "odd(y)", *expected]


def test_what_can_be_zero_has_no_logarithm() -> None:
    assert names([Integer("a", 0, 3), Integer("b", 1, 2)], "a * b < 9") == ["odd(a)"]


def test_as_many_monomials_as_parameters_at_most() -> None:
    assert len(names([Ordinal("a", [2, 4]), Ordinal("b", [2, 4])], "a*b < 99", "a*a*b < 99", "a*b*b < 99")) == 2


def test_features_lie_in_the_unit_interval_and_follow_the_parameters() -> None:
    space = Space([X, Y, Permutation("order", 3)], constraints=["x * y <= 128"])
    features, columns = derived_features(space), space.sample_columns(20, np.random.default_rng(0))
    embedding, encoding = Embedding(space.parameters, derived=features), Encoding(space, features)
    rows = embedding.rows(columns)
    assert embedding.group.tolist() == [0, 1, 2, 2, 2, 3, 4, 5] and not embedding.nominal.any()
    assert rows.min() >= 0 and rows.max() <= 1
    np.testing.assert_array_equal(encoding.encode(columns)[:, -3:], rows[:, -3:])
    assert encoding.features[-3:] == ("odd(x)", "odd(y)", "x * y")


def test_every_item_s_position_has_a_lengthscale_of_its_own() -> None:
    embedding = Embedding([Permutation("order", 3), X], permutation="positions")
    rows = embedding.rows({"order": np.array([[2, 0, 1]]), "x": np.array([16])})
    assert embedding.group.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(rows, [[0.5, 1.0, 0.0, 0.0]])


def test_magnitudes_of_numbers_that_range_far_on_a_plain_scale() -> None:
    far = [
        Integer("a", 1, 64),
        Integer("b", 1, 16),
        Integer("f", 40, 100),
        Integer("c", 1, 64, log=True),
        Integer("d", -1, 64),
    ]
    (found,) = magnitudes(Space([*far, Categorical("e", [1, 64])]))
    assert str(found) == "a"
    halves = found.raw({"a": np.array([4, 8, 16])})
    assert np.diff(halves)[0] == pytest.approx(np.diff(halves)[1])
