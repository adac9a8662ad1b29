"""Packing: the law that unpacking gives the entries back, and SciPy's own arrays for matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from tests.tensors.data.tensors import CSC, CSR, DCSR, coordinates, dense, dense_of, formats
from tunepass.diagnostics import TunepassError
from tunepass.ir.tensor import Element, Format
from tunepass.tensors.data.pack import pack, unpack
from tunepass.tensors.data.stored import Coordinates
from tunepass.tensors.data.structure import well_formed


@given(st.data(), st.integers(1, 4), st.sampled_from(["double", "float", "int", "long"]))
def test_unpacking_gives_the_entries_back(data: st.DataObject, modes: int, element: Element) -> None:
    given_entries = data.draw(coordinates(modes, element))
    stored = pack("B", given_entries, data.draw(formats(modes)), element)
    assert well_formed(stored)
    assert stored.extents == given_entries.extents
    np.testing.assert_array_equal(dense(stored), dense_of(given_entries))


@given(st.data(), st.integers(1, 4))
def test_compressed_levels_hold_no_coordinate_that_no_entry_has(data: st.DataObject, modes: int) -> None:
    given_entries = data.draw(coordinates(modes))
    stored = pack("B", given_entries, Format(("compressed",) * modes, tuple(range(modes))), "double")
    places = {tuple(column) for column in given_entries.indices.T.tolist()}
    assert {tuple(column) for column in unpack(stored).indices.T.tolist()} == places
    assert stored.vals.size == len(places)


@given(coordinates(2))
def test_csr_and_csc_are_scipys(entries: Coordinates) -> None:
    matrix = scipy.sparse.coo_array((entries.values, tuple(entries.indices)), entries.extents)
    for format, scipys in ((CSR, matrix.tocsr()), (CSC, matrix.tocsc())):
        scipys.sum_duplicates()
        stored = pack("B", entries, format, "double")
        np.testing.assert_array_equal(stored.levels[1].pos, scipys.indptr)
        np.testing.assert_array_equal(stored.levels[1].crd, scipys.indices)
        np.testing.assert_array_equal(stored.vals, scipys.data)


def test_dcsr_stores_no_empty_row() -> None:
    entries = Coordinates((1000, 4), np.array([[7, 7, 900], [3, 0, 1]], np.int32), np.array([1.0, 2.0, 3.0]))
    rows, columns = pack("B", entries, DCSR, "double").levels
    assert rows.pos is not None and rows.crd is not None and columns.pos is not None and columns.crd is not None
    assert (rows.pos.tolist(), rows.crd.tolist()) == ([0, 2], [7, 900])
    assert (columns.pos.tolist(), columns.crd.tolist()) == ([0, 2, 3], [0, 3, 1])


def test_a_dense_level_below_a_compressed_one_fills_with_zeros() -> None:
    entries = Coordinates((50, 3), np.array([[4, 9], [1, 2]], np.int32), np.array([5.0, 6.0]))
    stored = pack("B", entries, Format(("compressed", "dense"), (0, 1)), "double")
    assert stored.vals.tolist() == [0, 5, 0, 0, 0, 6]


def test_extents_whose_product_overflows_are_sorted_too() -> None:
    largest = 2**31 - 1
    indices = np.array([[largest - 1, 3], [5, largest - 1], [0, 9]], np.int32)
    stored = pack(
        "B",
        Coordinates((largest,) * 3, indices, np.array([1.0, 2.0])),
        Format(("compressed",) * 3, (0, 1, 2)),
        "double",
    )
    assert unpack(stored).indices.tolist() == [[3, largest - 1], [largest - 1, 5], [9, 0]]


def test_extents_alone_take_no_memory() -> None:
    entries = Coordinates((2_000_000_000, 3), np.array([[7], [1]], np.int32), np.array([1.0]))
    with pytest.raises(TunepassError, match="dense levels take 2,000,000,000 positions for 1 entries"):
        pack("B", entries, CSR, "double")
    assert pack("B", entries, DCSR, "double").vals.size == 1


def test_a_sum_that_does_not_fit_is_refused() -> None:
    indices = np.zeros((2, 2), np.int32)
    with pytest.raises(TunepassError, match="does not fit into int"):
        pack("B", Coordinates((1, 1), indices, np.array([2**31 - 1, 1], np.int32)), CSR, "int")
