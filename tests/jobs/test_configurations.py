"""Configurations as people write them, and where the mistakes in them are."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SpaceError
from tunepass.jobs.configurations import assigned, tabled
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real

PARAMETERS = (
    Integer("tile", 48, 960, step=48, default=96),
    Ordinal("par", (1, 2, 4, 8), default=2),
    Categorical("pipe", (False, True), default=True),
    Categorical("kind", ("near", "far")),
    Real("ratio", 0.0, 1.0, default=0.5),
    Permutation("order", 3),
)
START = Configuration({p.name: p.default for p in PARAMETERS})


def test_what_is_set_replaces_the_start() -> None:
    found = assigned("tile=144, par = 8,pipe=false,kind=far,ratio=0.25,order=2 0 1", PARAMETERS, START)
    assert dict(found) == {"tile": 144, "par": 8, "pipe": False, "kind": "far", "ratio": 0.25, "order": (2, 0, 1)}
    assert assigned("par=4", PARAMETERS, START) == START.replace(par=4)


@pytest.mark.parametrize(
    "text,column,says",
    [
        ("tile", 1, "expected NAME=VALUE"),
        ("par=4,tyle=96", 7, "did you mean 'tile'"),
        ("tile=50", 6, "the nearest are 48 and 96"),
        ("par=3", 5, "it takes 1, 2, 4, 8"),
        ("par=", 4, "par does not take ''"),
        ("pipe=yes", 6, "it takes False, True"),
        ("kind=1", 6, "it takes near, far"),
        ("ratio=2", 7, "it takes 0 .. 1"),
        ("order=0 1 1", 7, "the orders of 0 1 2"),
        ("par=4,par=2", 7, "set twice"),
        ("par=4,", 7, "expected NAME=VALUE"),
    ],
)
def test_a_mistake_is_shown_where_it_is(text: str, column: int, says: str) -> None:
    with pytest.raises(SpaceError) as raised:
        assigned(text, PARAMETERS, START)
    (found,) = raised.value.diagnostics
    assert says in found.render() and found.span is not None and (found.span.line, found.span.column) == (1, column)


def test_a_table_names_its_columns() -> None:
    text = '\ufeffpar, cycles,"tile"\r\n4,17,144\r\n\r\n8,19,96\n'
    found = tabled(Source("t.csv", text), PARAMETERS, START, ["cycles"])
    assert found == [START.replace(par=4, tile=144), START.replace(par=8, tile=96)]


@pytest.mark.parametrize(
    "text,place,says",
    [
        ("par,tyle\n4,96\n", (1, 5), "did you mean 'tile'"),
        ("par,par\n4,4\n", (1, 5), "is there twice"),
        ("par,tile\n4,96\n8,95\n", (3, 3), "tile does not take '95'"),
        ("par,tile\n4\n", (2, 1), "2 cells like the first line, got 1"),
        ("par,tile\n4,96,1\n", (2, 1), "2 cells like the first line, got 3"),
        ("par\n", None, "no rows"),
        ("\n \n", None, "is empty"),
    ],
)
def test_a_mistake_in_a_table_has_line_and_column(text: str, place: tuple[int, int] | None, says: str) -> None:
    with pytest.raises(SpaceError) as raised:
        tabled(Source("t.csv", text), PARAMETERS, START)
    (found,) = raised.value.diagnostics
    assert says in found.render()
    assert (found.span and (found.span.line, found.span.column)) == place
