"""Folders of candidates are measured and removed whatever these made in them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tunepass.evaluators.process.run import Limits, run_limited
from tunepass.evaluators.process.supervisor.folders import BEYOND, DEEPEST, bytes_below, remove_folder
from tunepass.evaluators.process.workspace import Workspace, temporary_folder

# Longer paths than Linux takes, and more folders than Python calls functions or a process has open files.
CHAIN = """
import os, time
for _ in range({count}):
    os.mkdir("d" * 20); os.chdir("d" * 20)
open("file", "w").write("x")
time.sleep({seconds})
"""


def chain(folder: Path, count: int, seconds: float = 0) -> str:
    """Made by a candidate in the folder: how it ended."""
    words = [sys.executable, "-I", "-S", "-c", CHAIN.format(count=count, seconds=seconds)]
    return run_limited(words, limits=Limits(wall_s=20), cwd=folder, scratch=folder, trust="kernel").ended


def test_thousands_of_folders_in_one_another_are_removed(tmp_path: Path) -> None:
    workspace = Workspace()
    with workspace.scratch() as folder, temporary_folder(folder) as place:
        chain(place, 3000)
    assert not list(workspace.folder.iterdir())
    chain(workspace.new(), 3000)
    workspace.close()
    assert not workspace.folder.exists()


def test_a_candidate_that_makes_them_is_stopped(tmp_path: Path) -> None:
    assert chain(tmp_path, DEEPEST + 2, 10) == "disk"
    remove_folder(tmp_path / ("d" * 20))
    assert chain(tmp_path, DEEPEST - 2, 0.3) == "exit"


def test_what_files_take_is_added_up_at_every_depth(tmp_path: Path) -> None:
    empty = bytes_below(str(tmp_path))
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    for folder in (tmp_path, inner):
        (folder / "file").write_bytes(b"x" * 100_000)
    (tmp_path / "link").symlink_to("/")
    assert 200_000 <= bytes_below(str(tmp_path)) - empty < 300_000
    assert bytes_below(str(tmp_path / "none")) == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root lists every folder")
def test_a_folder_that_cannot_be_listed_is_beyond_every_limit(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o300)
    assert bytes_below(str(tmp_path)) >= BEYOND


def test_closed_folders_are_removed_and_links_are_not_followed(tmp_path: Path) -> None:
    kept, folder = tmp_path / "kept", tmp_path / "folder"
    (kept / "inner").mkdir(parents=True)
    (folder / "a" / "b" / "c").mkdir(parents=True)
    (folder / "removed-0" / "removed-0").mkdir(parents=True)
    (folder / "removed-1").write_text("")
    (folder / "a" / "link").symlink_to(kept)
    (folder / "link").symlink_to(kept)
    os.mkfifo(folder / "a" / "fifo")
    for closed in (folder / "a" / "b" / "c", folder / "a" / "b", folder / "a"):
        closed.chmod(0)
    remove_folder(folder)
    assert not folder.exists() and (kept / "inner").exists()
    remove_folder(folder)
    (tmp_path / "link").symlink_to(kept)
    remove_folder(tmp_path / "link")
    assert (kept / "inner").exists()
