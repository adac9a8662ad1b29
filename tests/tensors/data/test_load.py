"""What a kernel binds, loaded: problems without a place of their own are at the line that binds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tensors.data.tensors import tensor
from tunepass.diagnostics import Source, SourceError
from tunepass.files import noting_reads
from tunepass.ir.tensor import BoundFile, Format, Tensor
from tunepass.tensors.data.load import load

LINE = Source("k.taco", 'dim i = 4\nbind B = "m.mtx"\n')
DATUM = BoundFile("B", Path("m.mtx"), LINE.span(19, 26))
MATRIX = "%%MatrixMarket matrix coordinate real general\n3 4 1\n1 2 1.5\n"


def test_a_missing_file_is_told_at_the_line_that_binds_it(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as raised:
        load(DATUM, tensor(), tmp_path, None)
    assert str(raised.value).replace(f"{tmp_path}/", "") == (
        "k.taco:2:10: error: cannot read m.mtx: No such file or directory\n"
        '  2 | bind B = "m.mtx"\n'
        "    |          ^^^^^^^"
    )


def test_extents_that_differ_are_told_there_too(tmp_path: Path) -> None:
    (tmp_path / "m.mtx").write_text(MATRIX)
    with pytest.raises(SourceError, match=r"k.taco:2:10: error: B has extent 3 for i, where 4 is stated"):
        load(DATUM, tensor(), tmp_path, None, (4, None))
    assert load(DATUM, tensor(), tmp_path, None, (3, None)).extents == (3, 4)


def test_a_problem_in_the_file_keeps_its_place(tmp_path: Path) -> None:
    (tmp_path / "m.mtx").write_text(MATRIX.replace("1.5", "x"))
    with pytest.raises(SourceError, match=r"m.mtx:3:5: error: x is no number"):
        load(DATUM, tensor(), tmp_path, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_read_file_is_noted(tmp_path: Path) -> None:
    (tmp_path / "m.mtx").write_text(MATRIX)
    for _ in range(2):  # from its cached form too
        with noting_reads() as noted:
            load(DATUM, tensor(), tmp_path, tmp_path / "cache")
        assert str(tmp_path / "m.mtx") in noted


def test_so_many_modes_are_not_stored(tmp_path: Path) -> None:
    modes = 63
    (tmp_path / "m.mtx").write_text("1 " * modes + "1.5\n")
    many = Tensor(
        name="B", index=tuple(f"i{k}" for k in range(modes)), format=Format(("dense",) * modes, tuple(range(modes)))
    )
    with pytest.raises(SourceError, match=r"k.taco:2:10: error: B has 63 modes; data are bound to at most 16"):
        load(DATUM, many, tmp_path, tmp_path / "cache")


def test_a_stated_extent_of_a_frostt_file_bounds_its_indices(tmp_path: Path) -> None:
    (tmp_path / "t.tns").write_text("1 1 5\n6 1 5\n")
    with pytest.raises(SourceError, match=r"t.tns:2:1: error: index 1 is 6, and its mode has extent 5"):
        load(BoundFile("B", Path("t.tns")), tensor(), tmp_path, None, (5, None))
