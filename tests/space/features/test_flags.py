"""Flags that are read together have the features that each one has alone."""

from __future__ import annotations

import numpy as np

from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.space.features.flags import Flags
from tunepass.space.parameter import Categorical, Integer, Permutation
from tunepass.space.space import Space

SPACE = Space(
    [
        Categorical("a", [False, True]),
        Integer("n", 0, 3),
        Categorical("b", [True, False]),
        Categorical("only", [True]),
        Categorical("s", ["x", "y"]),
        Permutation("p", 3),
        Categorical("c", [False, True]),
    ],
    ["a or n < 3"],
)


def test_flags_are_the_parameters_with_both_booleans() -> None:
    flags = Flags(SPACE.parameters)
    assert flags.numbers == [0, 2, 6]
    columns = {"a": np.array([False, True]), "b": np.array([True, False]), "c": np.array([True, True])}
    assert flags.indices(columns).tolist() == [[False, False, True], [True, True, True]]


def test_rows_are_those_of_each_parameter() -> None:
    columns = SPACE.sample_columns(40, np.random.default_rng(0))
    encoding, embedding = Encoding(SPACE), Embedding(SPACE.parameters)
    encoded, embedded, place = encoding.encode(columns), embedding.rows(columns), 0
    for block in encoding.blocks:
        p = block.parameter
        np.testing.assert_array_equal(encoded[:, block.start : block.stop], p.encode(columns[p.name]))
        own = p.embed(columns[p.name], "spearman")
        np.testing.assert_array_equal(embedded[:, place : place + own.shape[1]], own)
        place += own.shape[1]
    assert place == embedded.shape[1]
