"""An object whose choice needs a runtime says so, wherever it goes, and the linker's command loads it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_cc import lock, said
from tunepass.launcher.link_marks import linked_files, marking, needed

COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=name)) for name in ("gcc", "clang")
]
SUMS = """\
#pragma tunepass param THREADS: categorical("", "-fopenmp") = "" flag
#pragma tunepass kernel sums(n = 8, x: inout int[n])
#ifdef _OPENMP
#include <omp.h>
#endif
void sums(int n, int *x)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) x[i] += 1;
}
int threaded(void)
{
#ifdef _OPENMP
    return omp_get_max_threads() > 0;
#else
    return 0;
#endif
}
"""
MAIN = '#include <stdio.h>\nint threaded(void);\nint main(void) { printf("%d\\n", threaded()); return 0; }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    found = Folder(tmp_path)
    found.write("sums.c", SUMS)
    found.write("main.c", MAIN)
    lock(tmp_path, "sums.c", THREADS="-fopenmp")
    return found


def has_openmp(compiler: str, path: Path) -> bool:
    (path / "try.c").write_text("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
    words = [compiler, "-fopenmp", "try.c", "-o", "try"]
    return subprocess.run(words, cwd=path, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("way", ["object", "archive", "library", "whole", "joined", "words", "together", "one"])
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_the_runtime_that_a_choice_needs_is_linked(way: str, compiler: str, folder: Folder, tmp_path: Path) -> None:
    if not has_openmp(compiler, tmp_path):
        pytest.skip(f"{compiler} has no OpenMP")

    def cc(*words: str) -> None:
        done = folder.run("cc", *words, TUNEPASS_CC=compiler)
        assert (done.returncode, done.stderr) == (0, "")

    if way == "together":
        cc("main.c", "sums.c", "-o", "prog")
    elif way == "one":
        folder.write("sums.c", SUMS + MAIN)
        lock(tmp_path, "sums.c", THREADS="-fopenmp")
        cc("sums.c", "-o", "prog")
    else:
        cc("-c", "main.c", "sums.c")
        (tmp_path / "moved").mkdir()
        (tmp_path / "sums.o").rename(tmp_path / "moved/renamed.o")
        subprocess.run(["ar", "rc", "libsums.a", "moved/renamed.o"], cwd=tmp_path, check=True)
        subprocess.run(["ld", "-r", "moved/renamed.o", "-o", "joined.o"], cwd=tmp_path, check=True)
        folder.write("words", "main.o moved/renamed.o")
        ways = {
            "object": ["main.o", "moved/renamed.o"],
            "archive": ["main.o", "libsums.a"],
            "library": ["main.o", "-L.", "-lsums"],
            "whole": ["main.o", "-Wl,--whole-archive,libsums.a,--no-whole-archive"],
            "joined": ["main.o", "joined.o"],
            "words": ["@words"],
        }
        cc(*ways[way], "-o", "prog")
    assert said(folder, "./prog") == "1\n"


def test_the_object_is_else_the_compilers_own(folder: Folder) -> None:
    assert folder.run("cc", "-O2", "-g", "-c", "sums.c", "-o", "ours.o", TUNEPASS_CC="gcc").returncode == 0
    for words in (["gcc", "-O2", "-g", "-fopenmp", "-c", "sums.c"], ["strip", "-N", "tunepass.link.openmp", "ours.o"]):
        subprocess.run(words, cwd=folder.path, check=True)
    subprocess.run(["strip", "-N", "none", "sums.o"], cwd=folder.path, check=True)  # writes its tables as for the other
    assert (folder.path / "ours.o").read_bytes() == (folder.path / "sums.o").read_bytes()


@pytest.mark.parametrize(
    "arguments,added,names",
    [
        ("-c a.c", "-fopenmp -O3", ["openmp"]),
        ("a.c -o prog", "-ftree-parallelize-loops=4 -fopenmp -pthread", ["openmp", "pthread"]),
        ("-S a.c", "-fopenmp", []),
        ("-c -flto a.c", "-fopenmp", []),
        ("-c a.c", "-O3 -fopenmp-simd", []),
    ],
)
def test_what_an_object_says(arguments: str, added: str, names: list[str]) -> None:
    words = [f"-Wa,--defsym,tunepass.link.{name}=1" for name in names]
    assert marking(arguments.split(), added.split()) == words


def test_an_object_asks_for_a_runtime_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    evil = b"\0tunepass.link.-fplugin=x\0tunepass.link.openmpx\0tunepass.link.openmp -B.\0"
    Path("evil.o").write_bytes(evil)
    assert needed(["evil.o"]) == []
    Path("good.o").write_bytes(evil + b"\0tunepass.link.openmp\0")
    assert needed(["evil.o", "good.o"]) == ["-fopenmp"]
    for words in (["-fopenmp"], ["-r"], ["-nostdlib"], ["-c"]):
        assert needed([*words, "good.o"]) == []


def test_pipes_are_left_to_the_compiler(folder: Folder, tmp_path: Path) -> None:
    program = (
        f"{sys.executable} -m tunepass cc -x c <(echo 'int tunepass(void) {{ return 0; }}') -c -o piped.o && nm piped.o"
    )
    done = subprocess.run(["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "T tunepass" in done.stdout


def test_what_the_linker_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lib").mkdir()
    Path("lib/libx.a").write_bytes(b"")
    assert linked_files(["a.c", "a.o", "-L", "lib", "-lx", "-ly", "-Wl,-z,now,b.a", "-o", "p"]) == [
        "a.o",
        "b.a",
        "lib/libx.a",
    ]


def test_clang_has_its_marks_from_the_systems_assembler() -> None:
    mark = "-Wa,--defsym,tunepass.link.openmp=1"
    assert marking(["-c", "a.c"], ["-fopenmp"], "/usr/bin/gcc-13") == [mark]
    assert marking(["-c", "a.c"], ["-fopenmp"], "/usr/bin/clang-14")[::2] == ["-fno-integrated-as", mark]
    assert marking(["-c", "a.c"], ["-O3"], "clang") == []
