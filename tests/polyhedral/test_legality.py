"""Which schedules dependences allow, on nests whose answer is in the textbooks."""

from __future__ import annotations

import pytest

from tests.polyhedral.scops import JACOBI, ROWS, SOLVE, SYRK
from tunepass.ir.scop import Scop
from tunepass.polyhedral.dependences.pairs import dependences, last_writes
from tunepass.polyhedral.schedules.apply import is_legal, planned
from tunepass.polyhedral.schedules.legality import accumulated, keeps_order, privatizable
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.schedules.tree import bands_in, source_tree
from tunepass.polyhedral.shapes.expand import expanded
from tunepass.polyhedral.shapes.shapes import shape_tree, shapes_of, subject


@pytest.mark.parametrize("scop", [SYRK, JACOBI, SOLVE, ROWS])
def test_every_shape_keeps_the_order(scop: Scop) -> None:
    assert shapes_of(scop)[0] == "source"
    for shape in shapes_of(scop):
        tree = shape_tree(scop, shape)
        assert tree is not None and keeps_order(subject(scop, shape), tree)


def test_dependences_know_their_kind_and_updates() -> None:
    found = {(d.source, d.sink, d.array): d for d in dependences(SYRK).each}
    assert set(found) == {("S0", "S1", "C"), ("S1", "S1", "C")}
    assert found["S1", "S1", "C"].update and not found["S0", "S1", "C"].update
    assert found["S0", "S1", "C"].kinds == ("flow", "anti", "output")


@pytest.mark.parametrize(
    "scop,plan,legal",
    [
        (SYRK, Plan(), True),
        (SYRK, Plan(order=("j_2", "k")), True),
        (SYRK, Plan(shape="distributed", order=("k", "j_2", "i")), True),
        (SYRK, Plan(shape="distributed", tile=(("i", 8), ("k", 8), ("j_2", 8)), jam=(("i", 4),)), True),
        (SYRK, Plan(parallel=("i",)), True),
        (SYRK, Plan(parallel=("k",)), False),  # updates of one element
        (SYRK, Plan(vectorize=("j_2",)), True),
        (SYRK, Plan(order=("j_2", "k"), vectorize=("k",)), True),  # into a sum
        (JACOBI, Plan(parallel=("i", "i_2"), vectorize=("i",)), True),
        (JACOBI, Plan(parallel=("t",)), False),
        (JACOBI, Plan(fuse=(("i", "i_2"),)), False),
        (JACOBI, Plan(fuse=(("i", "i_2"),), vectorize=("i",)), False),
        (JACOBI, Plan(jam=(("t", 2),)), False),
        (JACOBI, Plan(shape="fused", tile=(("t", 4), ("i", 8))), True),
        (JACOBI, Plan(reverse=("i",)), True),
        (JACOBI, Plan(reverse=("t",)), False),
        (SOLVE, Plan(vectorize=("j",)), True),
        (SOLVE, Plan(parallel=("i",)), False),
        (SOLVE, Plan(reverse=("i",)), False),
        (ROWS, Plan(parallel=("i",)), True),  # with a `w` for every thread
        (ROWS, Plan(distribute=("i",)), True),  # stays as it is
        (ROWS, Plan(vectorize=("j",)), False),
    ],
)
def test_legal_schedules(scop: Scop, plan: Plan, legal: bool) -> None:
    assert is_legal(scop, plan) is legal


def test_a_scalar_that_every_iteration_writes_first_is_private_to_it() -> None:
    tree = source_tree(ROWS)
    outer, inner = bands_in(tree)
    assert privatizable(ROWS, tree, outer) == {"w"}
    assert privatizable(ROWS, tree, inner) == frozenset()


def test_a_sum_is_gathered_over_the_loop_that_does_not_move_it() -> None:
    tree = planned(SOLVE, Plan())
    _, inner = bands_in(tree)
    assert accumulated(SOLVE, tree, inner) == {"S1"}
    tree = planned(SYRK, Plan())
    innermost = [band for band in bands_in(tree) if band.name == "j_2"]
    assert accumulated(SYRK, tree, innermost[0]) == frozenset()


def test_any_loop_is_marked_where_that_is_proven() -> None:
    tree = planned(SYRK, Plan(shape="distributed", vectorize=("*",), parallel=("*",)))
    assert [(b.name, b.parallel, b.vectorize) for b in bands_in(tree)] == [
        *(("i", True, False), ("j", False, True)),
        *(("i", True, False), ("k", False, False), ("j_2", False, True)),
    ]
    tree = planned(JACOBI, Plan(vectorize=("*",), parallel=("*",)))
    assert [(b.name, b.parallel, b.vectorize) for b in bands_in(tree)] == [
        *(("t", False, False), ("i", True, True), ("i_2", True, True)),
    ]


def test_where_isl_cannot_tell_what_a_read_reads_no_scalar_is_private(monkeypatch: pytest.MonkeyPatch) -> None:
    isl = pytest.importorskip("islpy")

    def fail(_: object) -> None:
        raise isl.Error("affine expression involves some of the domain dimensions")

    tree = source_tree(SOLVE)
    outer = next(bands_in(tree))
    known = privatizable(SOLVE, tree, outer)
    last_writes.cache_clear()
    expanded.cache_clear()
    monkeypatch.setattr(isl.UnionAccessInfo, "compute_flow", fail)
    try:
        assert known and privatizable(SOLVE, tree, outer) == frozenset() and expanded(SOLVE) is SOLVE
    finally:
        last_writes.cache_clear()
        expanded.cache_clear()
