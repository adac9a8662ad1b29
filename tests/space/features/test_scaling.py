"""Numbers in [0, 1]: the same bits as one parameter and one feature at a time."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.space.features.derived import derived_features
from tunepass.space.features.scaling import Scaling
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space

SPACE = Space(
    [
        Ordinal("a", [1, 2, 3, 4, 6, 8], log=True),
        Categorical("c", ["x", "y"]),
        Integer("b", 1, 64),
        Permutation("p", 3),
        Real("r", 1e-3, 10.0, log=True),
        Ordinal("one", [5]),
        Integer("n", 16, 128, step=16, log=True),
    ],
    constraints=["n % b == 0", "a * b <= n"],
)


@pytest.mark.parametrize("log", [True, False])
def test_the_same_bits_as_one_by_one(log: bool) -> None:
    derived = derived_features(SPACE)
    assert any(d.odd for d in derived) and any(len(d.powers) > 1 for d in derived)
    columns = SPACE.sample_columns(50, np.random.default_rng(0))
    scaling = Scaling(SPACE.parameters, derived, log=log)
    assert scaling.numeric == [0, 2, 4, 5, 6]
    found = scaling.rows(columns)
    for row, number in zip(found, scaling.numeric):
        p = SPACE.parameters[number]
        assert isinstance(p, (Ordinal, Integer, Real))
        lo, hi = p.ends()
        plain = (np.asarray(columns[p.name], np.float64) - lo) / ((hi - lo) or 1.0)
        np.testing.assert_array_equal(row, p.unit(columns[p.name]) if log else plain)
    for row, d in zip(found[5:], derived):
        np.testing.assert_array_equal(row, (d.raw(columns) - d.lo) / (d.hi - d.lo))
    assert len(found) == 5 + len(derived)


def test_a_space_without_numbers_has_none() -> None:
    space = Space([Categorical("c", ["x", "y"])])
    assert Scaling(space.parameters).rows({"c": np.array([0, 1, 1])}).shape == (0, 3)
