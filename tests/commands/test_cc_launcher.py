"""`tunepass c++`, the launcher's form, and warnings of pragmas that only tunepass knows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_cc import MAIN, PROBE, lock, said
from tunepass.commands.launcher import compiler_behind

needs_cxx = pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="needs CMake")
CXX_MAIN = MAIN.replace("int tile(void);", "int tile(void);\nstatic int twice(int x) noexcept { return 2 * x; }")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """probe.c and probe.cpp say 37 as their lock has it, and 8 without."""
    found = Folder(tmp_path)
    for name in ("probe.c", "probe.cpp"):
        found.write(name, PROBE)
        lock(tmp_path, name, TILE=32, OPT="-DEXTRA=5")
    found.write("main.c", MAIN)
    found.write("main.cpp", CXX_MAIN.replace("tile());", "twice(tile()) / 2);"))
    return found


@needs_cxx
def test_a_source_in_cxx_is_tuned_and_linked_as_one(folder: Folder) -> None:
    done = folder.run("c++", "-std=c++17", "main.cpp", "probe.cpp", "-o", "prog")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert said(folder, "./prog") == "37\n"


@needs_cxx
def test_what_is_behind_it_is_named_apart(folder: Folder) -> None:
    folder.write("fake", "#!/bin/sh\necho fake $*\n").chmod(0o755)
    done = folder.run("c++", "-c", "main.cpp", TUNEPASS_CXX="./fake --own", TUNEPASS_CC="nocc")
    assert (done.returncode, done.stdout) == (0, "fake --own -c main.cpp\n")


@needs_cxx
def test_sources_in_c_are_cxx_to_a_compiler_of_cxx(folder: Folder) -> None:
    folder.write("main.c", MAIN.replace("int tile", 'static_assert(sizeof(char) == 1, "");\nint tile'))
    assert folder.run("c++", "main.c", "probe.c", "-o", "prog").returncode == 0
    assert said(folder, "./prog") == "37\n"


def test_the_compiler_may_follow(folder: Folder) -> None:
    compiler = shutil.which("cc")
    assert compiler is not None
    done = folder.run("cc", compiler, "-O1", "-c", "probe.c", "-o", "probe.o", TUNEPASS_CC="nocc")
    assert (done.returncode, done.stderr) == (0, "")
    assert folder.run("cc", "--frozen", "cc", "main.c", "probe.o", TUNEPASS_CC="nocc").returncode == 0
    assert said(folder) == "37\n"


def test_other_launchers_may_stand_between(folder: Folder) -> None:
    folder.write("ccache", '#!/bin/sh\necho through >&2\nexec "$@"\n').chmod(0o755)
    done = folder.run("cc", "./ccache", "cc", "main.c", "probe.c", TUNEPASS_CC="nocc")
    assert done.returncode == 0 and "through" in done.stderr and said(folder) == "37\n"


def test_only_a_program_before_all_arguments_is_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TUNEPASS_CC", raising=False)
    for name in ("run.c", "x.o", "libx.so.1", "x86_64-linux-gnu-g++-13", "notes"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755 if name != "notes" else 0o644)
    for words in (["./run.c"], ["./x.o"], ["./libx.so.1"], ["./notes"], ["-c", "cc"], ["@cc"], []):
        assert split_by(words) == (["cc"], words, False)
    words = ["./x86_64-linux-gnu-g++-13", "-c", "run.c"]
    assert split_by(words) == (words[:1], words[1:], True)


def split_by(words: list[str]) -> tuple[list[str], list[str], bool]:
    behind = compiler_behind(words, "cc")
    return behind.command, behind.arguments, behind.cxx


@needs_cmake
def test_cmake_launches_it(folder: Folder) -> None:
    folder.write(
        "CMakeLists.txt", "cmake_minimum_required(VERSION 3.5)\nproject(p C)\nadd_executable(prog main.c probe.c)\n"
    )
    launcher = folder.write("tunepass", '#!/bin/sh\necho "$*" >> calls\nexec "$TUNEPASS_PYTHON" -m tunepass "$@"\n')
    launcher.chmod(0o755)

    environment = {**os.environ, "TUNEPASS_PYTHON": sys.executable}
    words = ["-S", ".", "-B", "made", "-G", "Unix Makefiles", f"-DCMAKE_C_COMPILER_LAUNCHER={launcher};cc"]
    for command in (["cmake", *words], ["cmake", "--build", "made"]):
        subprocess.run(command, cwd=folder.path, env=environment, capture_output=True, check=True)
    assert said(folder, "made/prog") == "37\n"


WARNING = "-Wall -Werror -c"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_pragmas_that_only_tunepass_knows_are_no_warning(folder: Folder, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    quiet = folder.run("cc", *WARNING.split(), "probe.c", TUNEPASS_CC=compiler)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    (folder.path / "tunepass.lock").unlink()
    assert folder.run("cc", *WARNING.split(), "probe.c", TUNEPASS_CC=compiler).returncode == 0
    folder.write("words", f"{WARNING} probe.c")
    assert folder.run("cc", "@words", TUNEPASS_CC=compiler).returncode == 0


@pytest.mark.parametrize("words", ["-Wunknown-pragmas", "-Werror=unknown-pragmas"])
def test_who_asks_for_the_warning_gets_it(folder: Folder, words: str) -> None:
    done = folder.run("cc", *WARNING.split(), words, "probe.c")
    assert done.returncode == 1 and "unknown-pragmas" in done.stderr


def test_other_sources_keep_the_warning(folder: Folder) -> None:
    folder.write("other.c", "#pragma mine\nint x;\n")
    assert folder.run("cc", *WARNING.split(), "other.c").returncode == 1
