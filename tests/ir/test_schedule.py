from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.ir.loops import Directives, Factor, Loop, Nest
from tunepass.ir.schedule import is_active, order_of, plan
from tunepass.space.configuration import Configuration, Value

SPAN = Source("t.c", "for ...").span()


def nest(**clauses: object) -> Nest:
    loops = tuple(Loop(index=index, type="int", start="0", end="n", step=1) for index in "ijk")
    return Nest(loops=loops, directives=Directives(**clauses), body=SPAN, pragma=SPAN, span=SPAN)  # type: ignore[arg-type]


def planned(n: Nest, **values: Value) -> list[str]:
    return [s.loop.tile if s.over_tiles else s.loop.index for s in plan(n, Configuration(values))]


def test_without_directives_the_loops_stay() -> None:
    assert planned(nest()) == ["i", "j", "k"]


@pytest.mark.parametrize("size,expected", [(0, ["i", "j", "k"]), (1, ["i", "j", "k"]), (8, ["j_tile", "i", "j", "k"])])
def test_a_tile_of_one_is_none(size: int, expected: list[str]) -> None:
    assert planned(nest(tile=(Factor("j", "T"),)), T=size) == expected


def test_an_order_of_the_loops_orders_their_tile_loops_too() -> None:
    n = nest(tile=(Factor("i", 8), Factor("k", "T")), order="ORDER")
    assert order_of(n, Configuration({"T": 4, "ORDER": ("k", "i", "j")})) == ("k_tile", "i_tile", "k", "i", "j")
    assert planned(n, T=1, ORDER=("k", "i", "j")) == ["i_tile", "k", "i", "j"]


def test_an_order_of_all_loops_is_taken_as_it_is() -> None:
    n = nest(tile=(Factor("i", 8),), order=("j", "i_tile", "k", "i"))
    assert planned(n) == ["j", "i_tile", "k", "i"]


def test_parallel_takes_the_tile_loop_and_vectorize_the_points() -> None:
    n = nest(tile=(Factor("i", 8),), parallel=(Factor("i", True),), vectorize=(Factor("i", "V"),))
    tile, point = (s for s in plan(n, Configuration({"V": True})) if s.loop.index == "i")
    assert (tile.parallel, tile.vectorize, point.parallel, point.vectorize) == (True, False, False, True)
    assert is_active(n.directives, Configuration({"V": False})) == (False, True)


def test_nothing_parallel_stands_inside_a_vectorized_loop() -> None:
    n = nest(vectorize=(Factor("i", True), Factor("k", True)), parallel=(Factor("j", True),))
    assert [(s.vectorize, s.parallel, s.hindered) for s in plan(n, Configuration({}))] == [
        (False, False, "j"),
        (False, True, ""),
        (True, False, ""),
    ]


def test_copies() -> None:
    n = nest(unroll=(Factor("k", "U"),), unroll_and_jam=(Factor("i", 2),))
    assert [(s.copies, s.jam) for s in plan(n, Configuration({"U": 4}))] == [(2, True), (1, False), (4, False)]
    assert n.directives.parameters == ("U",)
