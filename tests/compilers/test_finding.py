"""Which word of a command is the compiler."""

from __future__ import annotations

import shutil
from pathlib import Path
from shlex import split

import pytest

from tunepass.compilers.cc import language_compiled_by
from tunepass.compilers.finding import compiler_at, is_cxx

COMPILERS = (
    *("gcc", "g++", "cc", "c++", "clang", "clang++", "gcc-13", "clang++-19.1", "c99", "g++-12.2.0", "mpicc", "nvcc"),
    *("x86_64-linux-gnu-gcc", "arm-none-eabi-g++", "aarch64-linux-android21-clang++", "riscv64-unknown-elf-gcc-14"),
    *("x86_64-w64-mingw32-gcc-posix", "i686-w64-mingw32-g++-win32", "clang.exe"),
)
OTHERS = (
    *("ccache", "distcc", "icecc", "gcc-ar", "gcc-nm-13", "clang-format", "clang-tidy-19", "cpp", "nice", "env"),
    *("taskset", "timeout", "time", "ld", "as", "make", "gccgo-x", "run", "c", "f95"),
)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs of these names are all that there are on the PATH."""
    for name in (*COMPILERS, *OTHERS):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", COMPILERS)
def test_a_compiler_is_known_by_its_name(name: str, programs: Path) -> None:
    for word in (name, str(programs / name)):
        assert compiler_at(["nice", "-n", "5", word, "-c", "x.c"]) == 3
    (programs / name).chmod(0o644)
    assert compiler_at([name, str(programs / name)]) is None


@pytest.mark.parametrize("name", OTHERS)
def test_other_programs_are_not(name: str, programs: Path) -> None:
    assert compiler_at([name, "-c", "x.c"]) is None and compiler_at([name, "gcc", "x.c"]) == 1


@pytest.mark.parametrize(
    "words,place",
    [
        ("taskset -c 0 gcc -c k.c", 3),
        ("env -u V A=1 CC=clang gcc -I clang k.c", 5),
        ("time -o gcc gcc k.c", 3),
        ("run -o cc k.c", None),
        ("flock cc gcc k.c", 2),
        ("-c x.c", None),
        ("", None),
    ],
)
def test_the_first_compiler_counts(words: str, place: int | None, programs: Path) -> None:
    assert compiler_at(split(words)) == place


def test_compilers_of_cxx() -> None:
    assert all(is_cxx(word) for word in ("/usr/bin/c++", "clang++-19.1", "x-w64-mingw32-g++-posix", "mpicxx"))
    assert not any(is_cxx(word) for word in ("gcc-13", "cc", "clang-19"))


def test_programs_are_asked_what_they_compile(tmp_path: Path) -> None:
    languages = {"gcc": "c", "g++": "c++", "clang": "c", "sh": None, "cat": None, "env": None, "no such program": None}
    for program, language in languages.items():
        if language is None or shutil.which(program):
            assert language_compiled_by(program) == language, program
