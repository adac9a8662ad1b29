"""The cached form: mapped as it was written, rebuilt when it is damaged."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.tensors.data.tensors import CSC, CSR, coordinates, dense, formats, tensor
from tunepass.ir.tensor import BoundFile, Element, Format, Generated
from tunepass.tensors.data.cache import PAGE, array_places, cache_path, read_cached, write_cached
from tunepass.tensors.data.load import load
from tunepass.tensors.data.pack import pack
from tunepass.tensors.data.stored import StoredTensor

KEY = bytes(range(32))
MATRIX = "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 2 1.5\n3 1 2.5\n3 4 3.5\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "m.mtx").write_text(MATRIX)
    return tmp_path


def bound(folder: Path, format: Format = CSR) -> StoredTensor:
    return load(BoundFile("B", Path("m.mtx")), tensor(format), folder, folder / "cache")


def same(left: StoredTensor, right: StoredTensor) -> bool:
    return (left.extents, left.format, left.element) == (right.extents, right.format, right.element) and all(
        np.array_equal(a, b)
        for a, b in zip(
            [left.vals, *(array for level in left.levels for array in (level.pos, level.crd) if array is not None)],
            [right.vals, *(array for level in right.levels for array in (level.pos, level.crd) if array is not None)],
        )
    )


@given(st.data(), st.integers(1, 4), st.sampled_from(["double", "float", "int", "long"]))
@examples(30)
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, modes: int, element: Element
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    stored = pack("B", data.draw(coordinates(modes)), data.draw(formats(modes)), element)
    write_cached(folder, KEY, stored)
    read = read_cached(folder, KEY, tensor(stored.format, element))
    assert read is not None and same(stored, read)
    assert not read.vals.flags.writeable


def test_the_places_of_arrays_are_those_of_the_file(folder: Path) -> None:
    stored = bound(folder)
    assert stored.path is not None
    whole = stored.path.read_bytes()
    places = array_places(stored)
    assert [(place.level, place.array) for place in places] == [(1, "pos"), (1, "crd"), (None, "vals")]
    arrays = [stored.levels[1].pos, stored.levels[1].crd, stored.vals]
    for place, array in zip(places, arrays):
        assert array is not None and place.offset % PAGE == 0
        np.testing.assert_array_equal(np.frombuffer(whole, array.dtype, place.count, place.offset), array)


def test_a_second_load_maps_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = bound(folder)
    monkeypatch.setattr("tunepass.tensors.data.load._read", None)
    second = bound(folder)
    assert same(first, second) and first.path == second.path
    assert not second.vals.flags.owndata


def test_content_format_element_and_stated_extents_are_told_apart(folder: Path) -> None:
    datum = BoundFile("B", Path("m.mtx"))
    paths = {bound(folder).path, bound(folder, CSC).path}
    paths.add(load(datum, tensor(element="float"), folder, folder / "cache").path)
    (folder / "m.mtx").write_text(MATRIX.replace("1.5", "1.25"))
    changed = bound(folder)
    paths.add(changed.path)
    assert len(paths) == 4
    assert dense(changed)[0, 1] == 1.25
    (folder / "t.tns").write_text("1 1 5\n")
    taller = load(BoundFile("B", Path("t.tns")), tensor(), folder, folder / "cache", (7, None))
    assert taller.extents == (7, 1)
    assert load(BoundFile("B", Path("t.tns")), tensor(), folder, folder / "cache").extents == (1, 1)


@pytest.mark.parametrize("place", [0, 8, 20, 50, 80, 84, 88, 96, 128, 136, 150, 200, PAGE, 2 * PAGE, -1])
def test_a_changed_byte_is_noticed(folder: Path, place: int) -> None:
    first = bound(folder)
    assert first.path is not None
    data = bytearray(first.path.read_bytes())
    data[place] ^= 0x40
    first.path.write_bytes(data)
    assert read_cached(folder / "cache", bytes.fromhex(first.path.stem + "00" * 16), tensor()) is None
    again = bound(folder)
    assert same(again, bound(folder)) and dense(again).tolist() == [[0, 1.5, 0, 0], [0, 0, 0, 0], [2.5, 0, 0, 3.5]]


@pytest.mark.parametrize("size", [0, 7, 100, PAGE, PAGE + 3, 3 * PAGE])
def test_a_truncated_file_is_rebuilt(folder: Path, size: int) -> None:
    path = bound(folder).path
    assert path is not None
    whole = path.read_bytes()
    path.unlink()
    path.write_bytes(whole[:size])
    bound(folder)
    assert path.read_bytes() == whole


def test_a_forged_file_with_its_digest_does_not_get_through(folder: Path) -> None:
    """Generated code reads where `pos` and `crd` say."""
    stored = bound(folder)
    _, level = stored.levels
    forged = [
        replace(level, pos=np.array([0, 1, 1, 4], np.int32)),
        replace(level, pos=np.array([0, 2, 1, 3], np.int32)),
        replace(level, pos=np.array([1, 1, 1, 3], np.int32)),
        replace(level, crd=np.array([1, 0, 4], np.int32)),
        replace(level, crd=np.array([-1, 0, 3], np.int32)),
        replace(level, crd=np.array([1, 3, 3], np.int32)),
        replace(level, extent=3),
    ]
    for changed in forged:
        write_cached(folder, KEY, replace(stored, levels=(stored.levels[0], changed)))
        assert read_cached(folder, KEY, tensor()) is None
    write_cached(folder, KEY, replace(stored, vals=np.array([1.0, np.nan, 2.0])))
    assert read_cached(folder, KEY, tensor()) is None
    write_cached(folder, KEY, stored)
    assert read_cached(folder, KEY, tensor()) is not None


def test_a_folder_or_a_pipe_in_the_files_place_is_no_cache(folder: Path) -> None:
    os.mkfifo(cache_path(folder, KEY))
    assert read_cached(folder, KEY, tensor()) is None


def test_generated_tensors_are_cached_too(tmp_path: Path) -> None:
    datum = Generated("B", "banded", (("rows", 50), ("nonzeros", 200), ("band", 5)))
    first = load(datum, tensor(), tmp_path, tmp_path / "cache")
    assert same(first, load(datum, tensor(), tmp_path, tmp_path / "cache"))
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_what_was_not_used_for_long_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = bound(folder)
    cache, keys = folder / "full", [bytes([number]) * 32 for number in range(5)]
    for number, key in enumerate(keys):
        path = write_cached(cache, key, stored)
        os.utime(path, (1000 + number, 1000 + number))
    assert read_cached(cache, keys[0], tensor(stored.format)) is not None  # used now
    monkeypatch.setattr("tunepass.tensors.data.cache.MOST_BYTES", 3 * path.stat().st_size)
    last = write_cached(cache, b"k" * 32, stored)
    kept = {path.name for path in cache.iterdir()}
    assert kept == {cache_path(cache, keys[0]).name, cache_path(cache, keys[4]).name, last.name}
    monkeypatch.setattr("tunepass.tensors.data.cache.MOST_BYTES", 1)
    write_cached(cache, b"l" * 32, stored)
    assert cache_path(cache, keys[0]).exists() and last.exists()  # a build may be running on them
