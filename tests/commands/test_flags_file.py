"""`tunepass flags-file` and `gcc-plugin` against the compilers that take their files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_cc import PROBE, lock


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    found = Folder(tmp_path)
    found.write("probe.c", PROBE)
    lock(tmp_path, TILE=32, OPT="-DEXTRA=5")
    return found


def compiled(folder: Folder, *words: str) -> bytes:
    """The object of probe.c, without what the words say of themselves."""
    done = subprocess.run([*words, "-c", "probe.c", "-o", "x.o"], cwd=folder.path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (folder.path / "x.o").read_bytes()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("include", ["gcc", "-DTILE=9", "-include", "choice"]),
        ("response", ["gcc", "-DTILE=9", "@choice"]),
        ("specs", ["gcc", "-DTILE=9", "-specs=choice"]),
        ("config", ["clang", "--config", "./choice"]),
    ],
)
def test_a_compiler_makes_the_same_object(folder: Folder, form: str, words: list[str]) -> None:
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not installed")
    done = folder.run("flags-file", "probe.c", "--format", form, "-o", "choice")
    assert done.returncode == 0, done.stderr
    assert compiled(folder, *words) == compiled(folder, words[0], "-DTILE=32", "-DEXTRA=5")


def test_a_file_of_macros_in_other_ways_of_compiling(folder: Folder) -> None:
    """As docs/gcc.md's table says: preprocessed, listed, beside a precompiled header, within another file."""
    assert folder.run("flags-file", "probe.c", "--format", "include", "-o", "choice").returncode == 0
    folder.write("unity.c", '#include "probe.c"\nint tile_of_others = TILE;\n')
    folder.write("pre.h", "#define BEFORE 1\n")
    folder.write("later.c", '#include "pre.h"\n#include "probe.c"\n')

    def gcc(*words: str) -> str:
        done = subprocess.run(["gcc", *words], cwd=folder.path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    assert "tile_of_others = 32" in gcc("-include", "choice", "-E", "unity.c")
    gcc("-include", "choice", "-E", "probe.c", "-o", "probe.i")
    gcc("-c", "probe.i", "-o", "preprocessed.o")
    gcc("-include", "choice", "-MD", "-c", "probe.c", "-o", "listed.o")
    assert "choice" in (folder.path / "listed.d").read_text().split()
    gcc("-x", "c-header", "pre.h", "-o", "pre.h.gch")
    assert "! pre.h" not in gcc("-H", "-include", "choice", "-c", "later.c", "-o", "beside.o")
    texts = [gcc("-include", "choice", "-S", "-o", "-", name) for name in ("probe.c", "later.c")]
    assert texts[0].replace("probe.c", "later.c") == texts[1]


def test_a_stale_entry_is_told(folder: Folder) -> None:
    folder.write("probe.c", PROBE + "/* */\n")
    done = folder.run("flags-file", "probe.c")
    assert "changed since probe was tuned; the locked choice is used" in done.stderr
    assert "#define TILE 32" in done.stdout
    assert folder.run("flags-file", "probe.c", "--frozen").returncode == 3


def test_the_plugin_makes_the_same_object_and_tells_of_changes(folder: Folder, gcc_plugin: Path) -> None:
    assert folder.run("flags-file", ".", "--format", "choices").returncode == 0
    plugin = ["gcc", f"-fplugin={gcc_plugin}"]
    assert compiled(folder, *plugin, "-DTILE=9") == compiled(folder, "gcc", "-DTILE=32", "-DEXTRA=5")
    folder.write("probe.c", PROBE + "#pragma tunepass parm X: integer(1..2)\n")
    words = [*plugin, "-fplugin-arg-tunepass-stale=error", "-c", "probe.c"]
    done = subprocess.run(words, cwd=folder.path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "probe.c changed since it was tuned" in done.stderr
    words.remove("-fplugin-arg-tunepass-stale=error")
    done = subprocess.run(words, cwd=folder.path, capture_output=True, text=True)
    assert done.returncode == 0
    assert "warning: tunepass: unknown pragma" in done.stderr
