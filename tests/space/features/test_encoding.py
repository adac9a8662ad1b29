"""Rows of numbers for models: features in [0, 1], one block a parameter, equal rows only for equal configurations."""

from __future__ import annotations

import numpy as np

from tunepass.space.features.encoding import Encoding
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation
from tunepass.space.space import Space


def test_rows_tell_configurations_apart_within_the_unit_cube() -> None:
    space = Space(
        [Ordinal("t", [1, 2, 8], log=True), Integer("n", -3, 3), Categorical("s", ["x", "y"]), Permutation("p", 3)],
        ["n < t"],
    )
    encoding = Encoding(space)
    rows = np.concatenate([encoding.encode(columns) for columns in space.enumerate_columns()])
    assert rows.shape == (space.size, len(encoding.features)) and rows.min() == 0 and rows.max() == 1
    assert len(np.unique(rows, axis=0)) == space.size
    assert [(b.start, b.stop) for b in encoding.blocks] == [(0, 1), (1, 2), (2, 4), (4, 7)]


def test_log_places_are_even() -> None:
    space = Space([Ordinal("t", [1, 4, 16], log=True)])
    assert Encoding(space).encode({"t": np.array([1, 4, 16])})[:, 0].tolist() == [0.0, 0.5, 1.0]
