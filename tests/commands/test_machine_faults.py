"""A build whose machine fails: status 4, nothing wrong is kept, and the same command goes on."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.commands.conftest import Folder

COMPILER = """\
#!/bin/sh
case " $* " in *" --version "*|*" -v "*) exec gcc "$@";; esac
case "$*" in *-DBLOCK=1*) [ ! -e {folder}/full ] || touch {folder}/really;; esac
if [ -e {folder}/full ] && [ -e {folder}/really ]; then
    echo "fatal error: error writing to /tmp/x.s: No space left on device" >&2
    exit 1
fi
exec gcc "$@"
"""
BUILD = ("build", "scale.c", "--max-evals", "3", "--strategy", "random", "--", "./full-cc", "-O2")


@pytest.fixture
def fragile(folder: Folder) -> Folder:
    """With a compiler that finds no space after the first trial, as long as the file `full` is there."""
    folder.write("full-cc", COMPILER.format(folder=folder.path)).chmod(0o755)
    return folder


def rows(folder: Folder) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder.path / ".tunepass/store.db")) as connection:
        return connection.execute("SELECT number, configuration, outcome, stage FROM trial ORDER BY number").fetchall()


@pytest.mark.slow
def test_a_full_disk_is_status_4_and_blames_nobody(fragile: Folder) -> None:
    full = fragile.write("full", "")
    done = fragile.run(*BUILD)
    assert done.returncode == 4, done.stderr
    assert done.stderr.count("error:") == 1 + done.stderr.count("fatal error:") and "No space left" in done.stderr
    assert "free some space" in done.stderr and done.stdout == ""
    kept = rows(fragile)
    assert kept and all(outcome == "measured" for _, _, outcome, _ in kept)
    assert not (fragile.path / "tunepass.lock").exists() and not list((fragile.path / "out").iterdir())
    full.unlink()
    done = fragile.run(*BUILD)
    assert done.returncode == 0, done.stderr
    assert rows(fragile)[: len(kept)] == kept and {stage for *_, stage in rows(fragile)} <= {None, "wrong_result"}
    look_again(fragile)


def look_again(folder: Folder) -> None:
    """What the machine's failures left in a store is evaluated again, although the lock fits."""
    before = rows(folder)
    with closing(sqlite3.connect(folder.path / ".tunepass/store.db")) as connection, connection:
        failed = "UPDATE trial SET outcome = 'failed', objectives = NULL, samples = NULL, stage = 'compile', code = ''"
        connection.execute(f"{failed}, same_as = NULL, reason = 'header.h: No such file or directory'")
        connection.execute(f"{failed}, reason = 'cc1: Cannot allocate memory' WHERE number = 2")
    done = folder.run(*BUILD)
    assert done.returncode == 0, done.stderr
    assert rows(folder) == before
