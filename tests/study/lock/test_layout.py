"""Entries of one source found without YAML: the same as the parser finds, left to it where the layout is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.study.lock.test_lock import EXPECTED, IDENTITY, OBJECTIVE, entry
from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.study.lock.layout import excerpt, is_laid_out
from tunepass.study.lock.lock import Entry, Lock

CHOICE = {"OPT": '-O3 "x" {}, #', "ORDER": ("i", "j"), "é": "\u2028", "T": 1e300, "ON": True, "TEXT": "no"}
KEYS = ("a.c::f", "a.c::g", "aa.c::f", "é.c::f", "a b.c::f", "-o.c::f", "dir/a.c::f", "no", "z.c::f", "caf\\xe9.c::f")


def lock() -> Lock:
    result = Lock()
    for key in KEYS:
        result = result.with_entry(key, Entry(Configuration(CHOICE), OBJECTIVE, IDENTITY))
    return result


@pytest.mark.parametrize("source", ["a.c", "aa.c", "é.c", "a b.c", "-o.c", "caf\\xe9.c", "other.c"])
def test_a_part_has_what_the_whole_has(source: str, tmp_path: Path) -> None:
    text = lock().text()
    assert is_laid_out(text)
    path = tmp_path / "tunepass.lock"
    path.write_text(text)
    part, whole = Lock.read(path, only=source).entries, Lock.read(path).entries
    own = {key: e for key, e in whole.items() if key.rpartition("::")[0] == source}
    assert own.items() <= part.items() <= whole.items() and len(part) < 6


@pytest.mark.slow
def test_thousands_of_other_entries_are_not_parsed() -> None:
    text = EXPECTED + "".join(entry(X=i).text(f"k{i}.c::f") for i in range(3000))
    part = excerpt(text, "matmul.c")
    assert part == EXPECTED


@pytest.mark.parametrize(
    "change",
    [
        ("version: 1", "version:  1"),
        ("version: 1", "version: 3"),
        ("  matmul.c", "  # a comment\n  matmul.c"),
        ("    choice:", "     choice:"),
        ("TILE: 64", "TILE: 'a\n      b'"),
        ("TILE: 64", 'TILE: "64'),
        ("TILE: 64", "TILE: {A: 1}"),
        ("TILE: 64", "TILE: 64 # tile"),
        ("kernels:\n", "kernels:\r\n"),
        ("kernels:\n", "kernels:\n\n"),
        ("matmul.c::matmul:", "&a matmul.c::matmul:"),
        ("matmul.c::matmul:", "? matmul.c::matmul\n  :"),
    ],
)
def test_another_layout_is_left_to_the_parser(change: tuple[str, str]) -> None:
    text = EXPECTED.replace(*change)
    assert text != EXPECTED and not is_laid_out(text) and excerpt(text, "matmul.c") is None


def test_a_key_that_is_there_twice_is_left_to_the_parser(tmp_path: Path) -> None:
    text = EXPECTED + entry(X=1).text("z.c::f") * 2
    (tmp_path / "tunepass.lock").write_text(text)
    with pytest.raises(StudyError, match=r"kernels has `z.c::f` twice"):
        Lock.read(tmp_path / "tunepass.lock", only="matmul.c")


def test_what_is_wrong_in_a_part_is_said_where_the_whole_has_it(tmp_path: Path) -> None:
    path = tmp_path / "tunepass.lock"
    path.write_text(EXPECTED.replace("chosen: 98.3", "chosen: fast") + entry(X=1).text("z.c::f"))
    with pytest.raises(StudyError, match=rf"{path}:6:.*chosen is a number"):
        Lock.read(path, only="matmul.c")
    text = EXPECTED.replace("  matmul", entry(X=1).text("a.c::f") + "  matmul")
    path.write_text(text.replace("TILE: 64", "TILE: 2024-01-01"))
    with pytest.raises(StudyError, match=rf"{path}:9:20.*TILE is a Boolean"):
        Lock.read(path, only="matmul.c")


def test_an_entry_with_sizes_is_laid_out() -> None:
    choice = Configuration({"TILE": 8, "NAME": "a, b", "ORDER": (1, 0)})
    sizes = {"n=256, m=3": choice, "n=9": Configuration({"TILE": 1})}
    written = Entry(choice, OBJECTIVE, IDENTITY, sizes)
    text = Lock().with_entry("k.c::f", written).with_entry("l.c::g", written).text()
    assert is_laid_out(text)
    assert Lock.parse(text).entries["k.c::f"] == written
    part = excerpt(text, "l.c")
    assert part is not None and list(Lock.parse(part).entries) == ["l.c::g"]
