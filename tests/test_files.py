"""Files written whole: what a writer that was killed left goes, what another is writing stays."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from tunepass.files import scratch_folder, write_text

LEFT = (".tunepass-0123456789abcdef.tmp", ".tunepass-ab_9xyz0")


def leave(folder: Path) -> tuple[Path, Path]:
    """A file and a folder in the making."""
    file, inner = (folder / name for name in LEFT)
    file.write_text("half")
    inner.mkdir()
    (inner / "k.tuned.c").write_text("half")
    return file, inner


def test_what_a_killed_writer_left_goes_with_the_next_write(tmp_path: Path) -> None:
    leave(tmp_path)
    write_text(tmp_path / "tunepass.lock", "whole")
    assert [p.name for p in tmp_path.iterdir()] == ["tunepass.lock"]
    leave(tmp_path)
    with scratch_folder(tmp_path) as scratch:
        assert {p.name for p in tmp_path.iterdir()} == {"tunepass.lock", scratch.name}
    assert [p.name for p in tmp_path.iterdir()] == ["tunepass.lock"]


def test_what_somebody_is_writing_stays(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as scratch:
        left = leave(tmp_path)
        held = [os.open(path, os.O_RDONLY) for path in left]
        for descriptor in held:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        write_text(tmp_path / "a", "")
        assert all(path.exists() for path in (*left, scratch))
        for descriptor in held:
            os.close(descriptor)


@pytest.mark.parametrize("name", [".tunepass", ".tunepass-notes.txt", ".tunepass-0123.tmp", "tunepass-ab_9xyz0"])
def test_what_is_called_otherwise_stays(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    write_text(tmp_path / "a", "")
    assert (tmp_path / name).read_text() == "mine"
