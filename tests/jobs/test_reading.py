"""Which words of a lock a source is read with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.jobs import reading

SOURCE = """#include "size.h"
#pragma tunepass param U: ordinal(1, 2) = 1
#pragma tunepass kernel f(n = 8, x: inout double[n])
void f(int n, double *x) { x[SIZE - 1] = U; }
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "size.h").write_text("#define SIZE 8\n")
    (tmp_path / "k.c").write_text(SOURCE)
    return tmp_path / "k.c"


def test_the_folders_of_headers_are_those_of_the_lock(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_locked_words", lambda path: ("-O2", f"-I{source.parent / 'inc'}"))
    assert [kernel.name for kernel in reading.parse(source).kernels] == ["f"]


def test_a_lock_starts_no_program(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = source.parent / "mark"
    words = ("-wrapper", f"touch,{mark}", f"-I{source.parent / 'inc'}")
    monkeypatch.setattr(reading, "_locked_words", lambda path: words)
    assert reading.parse(source).kernels
    assert not mark.exists()
