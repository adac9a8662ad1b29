"""Constraints keep their text and point into their source."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SpaceError, TunepassError
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer, Permutation
from tunepass.space.space import Space

PARAMETERS = [Integer("tile", 1, 8), Permutation("order", 3)]


def test_a_span_points_into_the_users_file() -> None:
    source = Source("kernel.c", "int x;\n#pragma tunepass constraint tile < 4\n")
    offset = source.text.index("tile")
    c = Constraint.parse("tile < 4", PARAMETERS, source, offset)
    assert c.span is not None and (c.span.line, c.span.text) == (2, "tile < 4")
    assert str(c) == "tile < 4"


def test_a_number_is_not_a_constraint() -> None:
    with pytest.raises(TunepassError):
        Constraint.parse("tile + 1", PARAMETERS)


def test_a_constraint_of_another_space_is_refused() -> None:
    with pytest.raises(SpaceError, match="its space"):
        Space([Integer("other", 1, 2)], [Constraint.parse("tile < 4", PARAMETERS)])
