"""Spaces as JSON and back."""

from __future__ import annotations

import json

import pytest

from tests.interchange.test_search_spaces import PARAMETERS
from tunepass.diagnostics import Source, SpaceError, TunepassError
from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, Name
from tunepass.interchange.space_file import read_space, space_json
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer

TEXTS = ["filters * depth <= 300", 'padding == "same" or pos(order, 0) < 2', "rate * units <= 4.5"]


def written() -> str:
    return json.dumps(space_json(PARAMETERS, [Constraint.parse(text, PARAMETERS) for text in TEXTS]), indent=2)


def test_what_is_read_is_what_was_written() -> None:
    space = read_space(Source("a.space.json", written()))
    assert space.parameters == PARAMETERS
    assert [c.text for c in space.constraints] == TEXTS
    assert json.dumps(space_json(space.parameters, space.constraints), indent=2) == written()


@pytest.mark.parametrize(
    "old,new,message,place",
    [
        ('"tunepass": 1', '"tunepass": 2', "this version of tunepass reads spaces of version 1", ":2:15"),
        ('"kind": "ordinal"', '"kind": "ordinary"', "the kind of a parameter is one of real", ":6:15"),
        ("filters * depth", "filter * depth", "unknown name `filter`", ""),
        ('"lo": 0.001', '"lo": 7.5', "rate: lo <= hi must hold", ""),
        ('"step": 4', '"step": "4"', "depth: step is a whole number", ""),
        ('"name": "filters"', '"nome": "filters"', "has no `nome`", ":5:7"),
        ("}", "", "is not JSON", ""),
    ],
)
def test_what_is_wrong_is_told_at_its_place(old: str, new: str, message: str, place: str) -> None:
    assert old in written()
    with pytest.raises(TunepassError, match=message) as caught:
        read_space(Source("a.space.json", written().replace(old, new, 1)))
    assert str(caught.value.diagnostics[0].span).endswith(place)


def test_a_constraint_whose_text_would_double_with_each_step_is_refused() -> None:
    e = algebra.add(Name("n", INTEGER), 1)
    for _ in range(60):
        e = algebra.maximum(e, algebra.mul(e, 2))
    n = Integer("n", 1, 4)
    with pytest.raises(SpaceError, match="is too long to be written out"):
        space_json([n], [Constraint(algebra.compare(e, "<=", 10), "deep <= 10")])
