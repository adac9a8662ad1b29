"""How often loops iterate: exactly where they are rectangles, on average where they are triangles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.polyhedral.scops import JACOBI, SYRK
from tunepass.polyhedral.model.extents import average_trips, known_values, longest_extents
from tunepass.polyhedral.model.work import works_of
from tunepass.polyhedral.shapes.shapes import shapes_of

KNOWN = replace(SYRK, parameters=tuple(replace(p, value={"n": 240, "m": 200}[p.name]) for p in SYRK.parameters))


def test_the_longest_and_the_average_extent() -> None:
    assert longest_extents(KNOWN) == {"i": 240, "j": 240, "k": 200, "j_2": 240}
    assert longest_extents(SYRK) == {}
    assert average_trips(KNOWN, KNOWN.statements[1], {}) == pytest.approx((240, 200, 120.5), rel=0.05)
    assert average_trips(SYRK, SYRK.statements[1], {"n": 100, "m": 20}) == pytest.approx((100, 20, 50.5), rel=0.05)


def test_extents_of_arrays_bound_what_variables_are() -> None:
    sized = replace(
        SYRK, arrays=tuple(replace(a, extents=("90", "70" if a.name == "A" else "90")) for a in SYRK.arrays)
    )
    assert known_values(sized) == {"n": 90, "m": 70}


def test_work_is_in_strides_and_operations() -> None:
    works = works_of(KNOWN, ("source", "distributed"), {})
    update = next(w for w in works if w.shape == "distributed" and w.statement == "S1")
    assert update.chains == (("i", "k", "j_2"),) and update.work.operations == 2
    strides = {a.array: dict(a.strides) for a in update.work.accesses if a.array == "C"}
    assert strides == {"C": {"i": 240, "j_2": 1}}
    rows = [dict(a.strides) for a in update.work.accesses if a.array == "A"]
    assert rows == [{"i": 200, "k": 1}, {"k": 1, "j_2": 200}]
    assert update.free >= {"i", "j_2"}


def test_vectors_are_not_counted_on_along_skewed_loops() -> None:
    works = {(w.shape, w.statement): w for w in works_of(JACOBI, shapes_of(JACOBI), {})}
    assert works["source", "S0"].free == {"i"}
    skewed = [shape for shape in shapes_of(JACOBI) if shape in ("split", "fused")]
    assert skewed and all(works[shape, "S0"].free == frozenset() for shape in skewed)
