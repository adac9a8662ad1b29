"""Files read as SciPy reads them, or as a slow reader of lines does."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from tests.tensors.data.tensors import CSR, coordinates, dense, dense_of, loaded
from tunepass.diagnostics import SourceError
from tunepass.ir.tensor import Format
from tunepass.tensors.data import text_stream
from tunepass.tensors.data.frostt import read_frostt
from tunepass.tensors.data.matrix_market import read_matrix_market
from tunepass.tensors.data.stored import Coordinates
from tunepass.tensors.data.text_stream import LineStream

CSF = Format(("compressed",) * 3, (0, 1, 2))


def read(text: str, modes: int = 2) -> Coordinates:
    return read_matrix_market(LineStream("m.mtx", io.BytesIO(text.encode())), "double", modes)


@given(coordinates(2), st.booleans())
def test_what_scipy_writes_is_read(entries: Coordinates, comments: bool) -> None:
    matrix = scipy.sparse.coo_array((entries.values, tuple(entries.indices)), entries.extents)
    file = io.BytesIO()
    scipy.io.mmwrite(file, matrix, comment="a comment\nof two lines" if comments else "")
    np.testing.assert_array_equal(dense_of(read(file.getvalue().decode())), matrix.toarray())


@given(st.integers(1, 6), st.sampled_from(["symmetric", "skew-symmetric", "general"]), st.booleans())
def test_symmetric_files_are_read_as_scipy_reads_them(extent: int, symmetry: str, array: bool) -> None:
    values = np.arange(1.0, extent * extent + 1).reshape(extent, extent)
    whole = {"symmetric": values + values.T, "skew-symmetric": values - values.T, "general": values}[symmetry]
    file = io.BytesIO()
    scipy.io.mmwrite(file, whole if array else scipy.sparse.coo_array(whole), symmetry=symmetry)
    np.testing.assert_array_equal(dense_of(read(file.getvalue().decode())), whole)


def test_large_triangles_are_placed_exactly() -> None:
    extent = 300
    whole = np.arange(1.0, extent * extent + 1).reshape(extent, extent)
    whole += whole.T
    file = io.BytesIO()
    scipy.io.mmwrite(file, whole, symmetry="symmetric")
    np.testing.assert_array_equal(dense_of(read(file.getvalue().decode())), whole)


@given(st.data(), st.integers(1, 4), st.integers(64, 200))
def test_frostt_files_are_read_over_blocks_of_any_size(data: st.DataObject, modes: int, block: int) -> None:
    entries = data.draw(coordinates(modes))
    lines = [
        " ".join(str(i + 1) for i in column) + f"\t{value}\r\n"
        for column, value in zip(entries.indices.T.tolist(), entries.values.tolist())
    ]
    text = "# header\n\n" + "".join(lines) + "\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_stream, "BLOCK_BYTES", block)
        file = read_frostt(LineStream("t.tns", io.BytesIO(text.encode())), "double", entries.extents)
    np.testing.assert_array_equal(dense_of(file), dense_of(entries))


def test_extents_of_a_frostt_file_are_its_largest_indices(tmp_path: Path) -> None:
    (tmp_path / "t.tns").write_text("1 2 3 0.5\n4 1 1 1e-3")
    stored = loaded(tmp_path / "t.tns", CSF)
    assert stored.extents == (4, 2, 3)
    assert dense(stored)[3, 0, 0] == 1e-3


@pytest.mark.parametrize("header", ["3\n5 6 7\n", "# extended FROSTT format\n\n3 2\n5 6 7\n"])
def test_headers_of_parti_and_mlir_state_the_extents(tmp_path: Path, header: str) -> None:
    (tmp_path / "t.tns").write_text(f"{header}1 2 3 0.5\n4 1 1 1e-3\n")
    stored = loaded(tmp_path / "t.tns", CSF)
    assert (stored.extents, stored.vals.tolist()) == ((5, 6, 7), [0.5, 1e-3])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", [[0, 1], [1, 0]]),
        ("%%matrixmarket MATRIX Coordinate Real GENERAL\n \t% c\n\n2 2 1\n\n 2  1\t+.5e1 \n\n", [[0, 0], [5, 0]]),
        ("%%MatrixMarket matrix coordinate integer symmetric\r\n2 2 2\r\n1 1 3\r\n2 1 -4\r\n", [[3, -4], [-4, 0]]),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n% within\n1 1 4", [[7, 0], [0, 0]]),
        ("%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n", [[1, 3, 5], [2, 4, 6]]),
        ("%%MatrixMarket matrix coordinate double general\n2 2 0\n", [[0, 0], [0, 0]]),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", [[0, -3], [3, 0]]),
        ("%%MatrixMarket matrix array real skew-symmetric\n2 2\n3\n", [[0, -3], [3, 0]]),
        ("%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 3\n", [[0, 3], [3, 0]]),
        ("%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 3\n", [[0, 0], [3, 0]]),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1.0 2e0 3\n", [[0, 3], [0, 0]]),
    ],
)
def test_matrix_market_files_of_all_kinds(text: str, expected: list[list[float]]) -> None:
    assert dense_of(read(text)).tolist() == expected


def test_tensors_and_vectors_as_taco_writes_them() -> None:
    array = dense_of(read("%%MatrixMarket tensor array real general\n2 2 2\n1\n2\n3\n4\n5\n6\n7\n8\n", 3))
    assert (array[1, 0, 0], array[0, 1, 0], array[0, 0, 1]) == (2, 3, 5)
    tensor = dense_of(read("%%MatrixMarket tensor coordinate real general\n%\n2 3 4 1\n2 3 4 9\n", 3))
    assert tensor[1, 2, 3] == 9
    vector = read("%%MatrixMarket vector coordinate real general\n5 1\n3 2\n", 1)
    assert (vector.extents, vector.indices.tolist()) == ((5,), [[2]])


@pytest.mark.parametrize("sizes", ["3 1", "1 3"])
def test_a_matrix_of_one_column_or_row_is_a_vector_too(tmp_path: Path, sizes: str) -> None:
    (tmp_path / "v.mtx").write_text(f"%%MatrixMarket matrix array real general\n{sizes}\n1\n0\n2\n")
    stored = loaded(tmp_path / "v.mtx", Format(("dense",), (0,)))
    assert (stored.extents, stored.vals.tolist()) == ((3,), [1, 0, 2])


def test_large_integers_are_exact(tmp_path: Path) -> None:
    (tmp_path / "m.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 {2**60 + 1}\n")
    assert loaded(tmp_path / "m.mtx", CSR, "long").vals.tolist() == [2**60 + 1]
    (tmp_path / "t.tns").write_text(f"1 1 {2**60 + 1}\n2 1 3\n")
    assert loaded(tmp_path / "t.tns", CSR, "long").vals.tolist() == [2**60 + 1, 3]
    (tmp_path / "t.tns").write_text("1 1 4.0\n2 1 3\n")
    assert loaded(tmp_path / "t.tns", CSR, "long").vals.tolist() == [4, 3]


def test_compressed_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "m.mtx.gz").write_bytes(gzip.compress(b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n"))
    assert dense(loaded(tmp_path / "m.mtx.gz")).tolist() == [[0, 3], [0, 0]]


def test_what_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_stream, "FREE_BYTES", 1 << 20)
    bomb = b"%%MatrixMarket matrix coordinate real general\n2 2 1\n" + b" \n" * (4 << 20)
    (tmp_path / "m.mtx.gz").write_bytes(gzip.compress(bomb))
    with pytest.raises(SourceError, match="unpacks to more than 100 times its size"):
        loaded(tmp_path / "m.mtx.gz")


def test_many_comments_take_no_time_each() -> None:
    comments = "%\n" * 300_000
    assert read(f"%%MatrixMarket matrix coordinate real general\n{comments}2 2 1\n2 2 1\n").values.tolist() == [1]
