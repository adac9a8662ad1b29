"""Parameters from the rows of a table."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import SpaceError
from tunepass.space.feasible.diagram.table import group_of, parameters_of
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation


def test_a_table_names_its_kinds_and_refuses_gaps() -> None:
    n, s, p = parameters_of([{"n": 4, "s": "x", "p": (1, 0)}, {"n": 2, "s": "y", "p": (0, 1)}])
    assert isinstance(n, Ordinal) and n.domain == (2, 4)
    assert isinstance(s, Categorical) and isinstance(p, Permutation)
    with pytest.raises(SpaceError, match="every row"):
        parameters_of([{"n": 1}, {}])


def test_equal_rows_count_once_and_strangers_are_refused() -> None:
    parameters = [Integer("a", 1, 3), Integer("b", 1, 3)]
    assert group_of([{"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 3, "b": 2}], parameters).size == 2
    for row in ({"a": 1}, {"a": 4, "b": 1}):
        with pytest.raises(SpaceError):
            group_of([row], parameters)
