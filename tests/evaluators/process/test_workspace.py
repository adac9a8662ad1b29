"""A workspace belongs to whoever holds its lock, whatever his pid, and goes when he does."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tunepass.evaluators.process.workspace import PREFIX, Workspace, sweep_abandoned

HOLDS = """\
import tempfile, sys
tempfile.tempdir = sys.argv[1]
from tunepass.evaluators.process.workspace import Workspace
print(Workspace().folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_owners_pid_says_nothing(temporary: Path) -> None:
    """In another PID namespace the owner's number is nobody's here, or somebody else's."""
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(temporary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None and owner.stdin is not None
    folder = Path(owner.stdout.readline().strip())
    renamed = folder.rename(temporary / f"{PREFIX}999999999-abc")
    sweep_abandoned(temporary)
    assert renamed.exists()
    owner.kill()
    owner.communicate()
    sweep_abandoned(temporary)
    assert not renamed.exists()


def test_one_that_is_ours_is_not_swept_by_us(temporary: Path) -> None:
    first, second = Workspace(), Workspace()
    assert first.folder.exists() and second.folder.exists()
    first.close()
    sweep_abandoned(temporary)
    assert not first.folder.exists() and second.folder.exists()
    second.close()
    assert list(temporary.iterdir()) == []


def test_many_that_begin_and_end_at_once_leave_each_other_alone(temporary: Path) -> None:
    code = """\
import tempfile, sys
tempfile.tempdir = sys.argv[1]
from tunepass.evaluators.process.workspace import Workspace
for _ in range(100):
    made = Workspace()
    made.new().joinpath("file").write_text("kept")
    (made.folder / "abandoned").mkdir()
    made.close()
"""
    argv = [sys.executable, "-c", code, str(temporary)]
    running = [subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    for _ in range(50):
        with contextlib.suppress(FileExistsError):
            (temporary / f"{PREFIX}left-over").mkdir()
        sweep_abandoned(temporary)
    assert [process.communicate()[1] for process in running] == [""] * 4
    assert list(temporary.iterdir()) == []


def test_a_folder_that_vanished_is_made_again() -> None:
    workspace = Workspace()
    before = workspace.folder
    shutil.rmtree(before)
    assert workspace.new().is_dir() and workspace.folder != before
    workspace.close()
    assert not workspace.folder.exists()


def test_a_link_is_not_followed(temporary: Path) -> None:
    (kept := temporary / "kept").mkdir()
    (temporary / f"{PREFIX}link").symlink_to(kept)
    sweep_abandoned(temporary)
    assert kept.is_dir()
