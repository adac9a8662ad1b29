"""Whatever the file or the environment: one diagnostic, status 2, nothing written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands.conftest import SOURCE, Folder

RANDOM = bytes((i * 7919 + 13) % 256 for i in range(4096))


@pytest.mark.parametrize(
    "content,words",
    [
        (b"", "no tunepass pragma"),
        (RANDOM, "is not text"),
        (b"\xff\xfe caf\xe9", "no tunepass pragma"),
        (b"int x;\n" * 200_000, "no tunepass pragma"),
        (b"/" * 2_000_000, "no tunepass pragma"),
        (b"#pragma tunepass param " + b"(" * 100_000, "param"),
        (b"x" * (17 << 20), "larger than 16 MiB"),
        (SOURCE.replace("1, 4, 16", "1, 4, 16 +").encode(), "scale.c:1:"),
        (SOURCE.replace("BLOCK > 1", "BLCK > 1").encode(), "did you mean"),
        (SOURCE.replace('BLOCK > 1 or OPT == "-O1"', "BLOCK > 99").encode(), "BLOCK > 99"),
    ],
    ids=["empty", "binary", "latin1", "megabyte", "slashes", "nesting", "huge", "syntax", "name", "empty-space"],
)
@pytest.mark.parametrize("command", ["build", "space"])
@pytest.mark.each_value
def test_a_source_that_is_none(command: str, content: bytes, words: str, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    (tmp_path / "scale.c").write_bytes(content)
    done = folder.run(command, "scale.c")
    assert done.returncode == 2, done.stderr
    assert words in done.stderr and done.stderr.count("error:") == 1 and "Traceback" not in done.stderr
    assert done.stdout == "" and folder.files() == {"scale.c"} and len(done.stderr) < 3000


@pytest.mark.parametrize(
    "source,words",
    [
        ("missing.c", "No such file"),
        (".", "is a folder"),
        ("a.xyz", "no frontend"),
        ("/dev/zero", "not a regular file"),
    ],
)
def test_a_path_that_is_no_source(source: str, words: str, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("a.xyz", "")
    done = folder.run("build", source)
    assert done.returncode == 2 and words in done.stderr and folder.files() == {"a.xyz"}


def test_a_compiler_that_is_not_there(folder: Folder) -> None:
    done = folder.run("build", "scale.c", "--", "nocc", "-O2")
    assert done.returncode == 2 and "compiler not found: nocc" in done.stderr and folder.files() == {"scale.c"}


def test_an_output_that_is_a_file(folder: Folder) -> None:
    folder.write("out", "")
    done = folder.run("build", "scale.c")
    assert done.returncode == 2 and "cannot write to out" in done.stderr and folder.files() == {"scale.c", "out"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written(folder: Folder) -> None:
    folder.path.chmod(0o555)
    try:
        done = folder.run("build", "scale.c")
    finally:
        folder.path.chmod(0o755)
    assert done.returncode == 2 and "cannot write to" in done.stderr and folder.files() == {"scale.c"}


def test_a_store_that_is_something_else(folder: Folder) -> None:
    folder.write("notes.db", "these are notes, and they stay\n" * 40)
    done = folder.run("build", "scale.c", "--store", "notes.db", "--max-evals", "1")
    assert done.returncode == 2 and "notes.db" in done.stderr and "Traceback" not in done.stderr
    assert (folder.path / "notes.db").read_text().startswith("these are notes")


def test_a_lock_that_is_none(folder: Folder) -> None:
    folder.write("tunepass.lock", "version: [\n")
    done = folder.run("build", "scale.c")
    assert done.returncode == 2 and "tunepass.lock:" in done.stderr
    assert folder.files() == {"scale.c", "tunepass.lock"}


@pytest.mark.parametrize(
    "words", [["--strategy", "randm"], ["--objective", "tme"], ["--device", "moon"], ["--kernel", "scal"]]
)
def test_a_name_that_is_not_known(folder: Folder, words: list[str]) -> None:
    done = folder.run("build", "scale.c", *words)
    assert done.returncode == 2 and words[1] in done.stderr and done.stderr.count("error:") == 1
