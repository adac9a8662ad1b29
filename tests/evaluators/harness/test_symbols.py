"""What an object defines and needs, and which of it takes the harness's place."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tunepass.evaluators.harness.programs.symbols import Symbols, may_start_processes, symbols, taken_over

TEXT = """
#include <stdio.h>
__attribute__((weak)) int weak(void) { return 1; }
static int own(void) { return puts("x"); }
int seen(void) { return weak() + own(); }
int main(void) { return seen(); }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.c").write_text(TEXT)
    subprocess.run(["gcc", "-O0", "-c", "a.c"], cwd=tmp_path, check=True)
    subprocess.run(["gcc", "a.o", "-o", "a"], cwd=tmp_path, check=True)
    return tmp_path


def test_an_object_and_a_program_have_their_names(folder: Path) -> None:
    found = symbols(folder / "a.o")
    assert found.defined == {"weak", "seen", "main"} and "puts" in found.needed
    program = symbols(folder / "a")
    assert {"weak", "seen", "main"} <= program.defined and "puts" in program.needed and "own" not in program.defined


def test_who_calls_fork_may_start_processes(folder: Path) -> None:
    (folder / "b.c").write_text("#include <unistd.h>\nint other(int n) { return n < 0 ? fork() : 0; }\n")
    subprocess.run(["gcc", "-O2", "-c", "b.c"], cwd=folder, check=True)
    assert may_start_processes(folder / "a", folder / "b.o") and not may_start_processes(folder / "a.o", folder / "a")


@pytest.mark.parametrize("keep", [0, 3, 40, 64, 500])
def test_another_file_or_half_of_one_has_none(folder: Path, keep: int) -> None:
    path = folder / "half"
    path.write_bytes((folder / "a.o").read_bytes()[:keep])
    assert symbols(path) == Symbols()


def test_only_what_the_harness_needs_and_the_reference_has_not_is_taken_over() -> None:
    needed = frozenset({"write", "clock_gettime", "sqrt"})
    defined = frozenset({"write", "sqrt", "other", "__wrap_clock_gettime"})
    assert taken_over(defined, frozenset(), needed) == ["__wrap_clock_gettime", "write"]
    assert taken_over(defined, frozenset({"write"}), needed) == ["__wrap_clock_gettime"]
