"""`tunepass cc` against the compiler it stands in for. The lock is written by hand: no search, no waiting."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tunepass.backends.base import Target, backend_for
from tunepass.jobs.reading import load
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.space.configuration import Configuration, Value
from tunepass.study.identity import source_hash
from tunepass.study.lock.lock import Entry, Lock, LockedObjective

PROBE = """\
#include <stdio.h>
#ifndef TILE
#define TILE 8
#endif
#pragma tunepass param TILE: ordinal(8, 16, 32) = 8
#pragma tunepass param OPT: categorical("", "-DEXTRA=5") = "" flag
#pragma tunepass kernel probe(n = 4, x: out int[n])
void probe(int n, int *x) { for (int i = 0; i < n; i++) x[i] = TILE; }
int tile(void) {
#ifdef EXTRA
    return TILE + EXTRA;
#else
    return TILE;
#endif
}
"""
MAIN = """\
#include <stdio.h>
int tile(void);
int main(void) {
#ifdef TILE
    puts("leaked");
#endif
    printf("%d\\n", tile());
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    found = Folder(tmp_path)
    found.write("probe.c", PROBE)
    found.write("main.c", MAIN)
    lock(tmp_path, TILE=32, OPT="-DEXTRA=5")
    return found


def lock(
    path: Path,
    source: str = "probe.c",
    words: Sequence[str] | None = None,
    flags: Sequence[str] = ("-O2",),
    **choice: Value,
) -> None:
    kernel = load(path / source, words=words)
    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert space is not None
    measured = LockedObjective(name="time", default=2.0, chosen=1.0, gain=2.0, interval=(1.9, 2.1), evaluations=3)
    entry = Entry(Configuration(choice), measured, backend_for(kernel, Target(compiler=("cc", *flags))).identity(space))
    file = path / "tunepass.lock"
    Lock.read(file).with_entry(f"{source}::{kernel.name}", entry).write(file)


def said(folder: Folder, program: str = "./a.out") -> str:
    return subprocess.run([program], cwd=folder.path, capture_output=True, text=True, check=True).stdout


def test_a_locked_source_gets_its_choice(folder: Folder) -> None:
    done = folder.run("cc", "-O1", "-c", "probe.c", "-o", "probe.o")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    folder.run("cc", "main.c", "probe.o")
    assert said(folder) == "37\n"


def test_a_macro_of_one_source_does_not_reach_another(folder: Folder) -> None:
    assert folder.run("cc", "-O1", "main.c", "probe.c", "-lm", "-o", "prog").returncode == 0
    assert said(folder, "./prog") == "37\n"
    assert folder.files() == {"main.c", "probe.c", "prog", "tunepass.lock"}


def test_several_sources_without_linking(folder: Folder) -> None:
    assert folder.run("cc", "-c", "main.c", "probe.c").returncode == 0
    subprocess.run(["cc", "main.o", "probe.o"], cwd=folder.path, check=True)
    assert said(folder) == "37\n"


def test_preprocessing_and_dependencies(folder: Folder) -> None:
    assert "return 32 + 5;" in folder.run("cc", "-E", "probe.c").stdout
    assert folder.run("cc", "-MM", "probe.c").stdout.strip() == "probe.o: probe.c"
    folder.run("cc", "-MMD", "-MF", "deps", "-c", "probe.c")
    assert "probe.o: probe.c" in (folder.path / "deps").read_text()


def test_without_a_lock_it_is_the_compiler_and_loads_nothing(folder: Folder) -> None:
    (folder.path / "tunepass.lock").unlink()
    assert folder.run("cc", "main.c", "probe.c").returncode == 0 and said(folder) == "8\n"
    code = (
        "import os, sys, tunepass.launcher.cc as cc\n"
        "os.execvp = lambda name, words: print(*words, *[m for m in ('numpy', 'yaml', 'lark') if m in sys.modules])\n"
        "cc.run(['-c', 'probe.c'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder.path, capture_output=True, text=True, check=True)
    assert done.stdout == "cc -c probe.c\n"


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["-dumpmachine"]])
def test_what_configure_scripts_ask_is_answered_by_the_compiler(folder: Folder, words: list[str]) -> None:
    expected = subprocess.run(["cc", *words], capture_output=True, text=True, check=True).stdout
    assert folder.run("cc", *words).stdout == expected


def test_the_compilers_status_is_ours(folder: Folder) -> None:
    folder.write("broken.c", "int x = ;\n")
    assert folder.run("cc", "-c", "broken.c").returncode == 1
    assert folder.run("cc", "-c", "probe.c", "-Dint=2").returncode == 1
    assert folder.run("cc").returncode == subprocess.run(["cc"], capture_output=True, check=False).returncode


def test_the_compiler_behind_it(folder: Folder) -> None:
    folder.write("fake", "#!/bin/sh\necho fake $*\nexit 7\n").chmod(0o755)
    done = folder.run("cc", "-c", "main.c", TUNEPASS_CC="./fake --own")
    assert (done.returncode, done.stdout) == (7, "fake --own -c main.c\n")
    done = folder.run("cc", "-c", "probe.c", TUNEPASS_CC="nocc")
    assert done.returncode == 2 and "cannot run the compiler nocc" in done.stderr


def test_a_changed_source_keeps_its_choice_with_a_note(folder: Folder) -> None:
    folder.write("probe.c", PROBE + "/* changed */\n")
    done = folder.run("cc", "main.c", "probe.c")
    assert done.returncode == 0 and said(folder) == "37\n"
    assert "probe.c changed since probe was tuned; the locked choice is used" in done.stderr


def test_a_choice_that_is_no_longer_possible_gives_way_to_the_defaults(folder: Folder) -> None:
    folder.write("probe.c", PROBE.replace("8, 16, 32", "8, 16"))
    done = folder.run("cc", "main.c", "probe.c")
    assert done.returncode == 0 and said(folder) == "8\n" and "its defaults are used" in done.stderr


SIZED = """\
#pragma tunepass param TILE: ordinal(1, 8, 16) = 8
#ifndef TILE
#define TILE 8
#endif
#pragma tunepass kernel sized(n = 4, x: out int[n])
void sized(int n, int *x) { for (int i = 0; i < n; i++) x[i] = TILE + WIDTH; }
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-DWIDTH=64", ""),
        ("-D WIDTH=64 -DNDEBUG -UOTHER", ""),  # what the source does not mention changes nothing
        ("-DWIDTH=64 -DTILE=1", ""),  # the choice comes after it
        ("-DWIDTH=32", "-DWIDTH=32, tuned with -DWIDTH=64"),
        ("-DWIDTH=64 -DWIDTH", "-DWIDTH=1, tuned with -DWIDTH=64"),
    ],
)
@pytest.mark.slow_but(3)
def test_macros_defined_otherwise_than_in_the_build_are_told(folder: Folder, words: str, told: str) -> None:
    folder.write("sized.c", SIZED)
    lock(folder.path, "sized.c", ["cc", "-DWIDTH=64"], ["-O2", "-DWIDTH=64"], TILE=16)
    done = folder.run("cc", *words.split(), "-c", "sized.c")
    note = f"sized.c is compiled with {told}; the locked choice is used (tunepass build tunes it again)"
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "tunepass" in line] == [f"tunepass cc: note: {note}"] * bool(
        told
    )
    done = folder.run("cc", "--frozen", *words.split(), "-c", "sized.c")
    assert (done.returncode, told in done.stderr) == (3 if told else 0, True)


def test_a_macro_of_a_header_that_is_defined_otherwise_is_told(folder: Folder) -> None:
    folder.write("width.h", "#ifdef WIDE\n#define WIDTH 64\n#else\n#define WIDTH 32\n#endif\n")
    folder.write("sized.c", '#include "width.h"\n' + SIZED)
    lock(folder.path, "sized.c", ["cc", "-DWIDE"], ["-O2", "-DWIDE"], TILE=16)
    done = folder.run("cc", "-c", "sized.c")
    assert "sized.c is compiled with no -DWIDE, tuned with -DWIDE=1; the locked choice is used" in done.stderr


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_frozen_refuses_a_stale_and_a_missing_entry(folder: Folder, how: str) -> None:
    words, environment = (["--frozen"], {}) if how == "argument" else ([], {"TUNEPASS_FROZEN": "1"})
    assert folder.run("cc", *words, "-c", "main.c", "probe.c", **environment).returncode == 0
    folder.write("other.c", PROBE)
    done = folder.run("cc", *words, "-c", "other.c", **environment)
    assert done.returncode == 3 and "other.c has no entry" in done.stderr
    folder.write("probe.c", PROBE + "\n")
    done = folder.run("cc", *words, "-c", "probe.c", **environment)
    assert done.returncode == 3 and "changed since it was tuned" in done.stderr
    (folder.path / "tunepass.lock").unlink()
    assert folder.run("cc", *words, "-c", "probe.c", **environment).returncode == 3


FILL = """\
#include "n.h"
#pragma tunepass param TI: ordinal(1, 2) = 1
#pragma tunepass kernel fill(n = 4, x: out int[n*n])
void fill(int n, int *x)
{
#pragma tunepass loop(i, j) tile(i: TI)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i * n + j] = i + LIMIT;
}
int line(void) { return __LINE__; }
const char *file(void) { return __FILE__; }
"""


@pytest.fixture
def scheduled(folder: Folder) -> Folder:
    """src/fill.c, whose loops are rewritten."""
    sub = folder.path / "src"
    sub.mkdir()
    (sub / "n.h").write_text("#define LIMIT 4\n")
    (sub / "fill.c").write_text(FILL)
    assert load(sub / "fill.c").body.scops
    lock(sub, "fill.c", TI=2)
    return folder


@pytest.mark.parametrize(
    "words,written,names",
    [
        ("-c src/fill.c", {"fill.o"}, None),
        ("-MMD -c src/fill.c", {"fill.o", "fill.d"}, "fill.d"),
        ("-MD -c src/fill.c -o out.o", {"out.o", "out.d"}, "out.d"),
        ("-MMD -MF deps -MT x.o -c src/fill.c", {"fill.o", "deps"}, "deps"),
        ("-MMD -MFdeps -c src/fill.c -oout.o", {"out.o", "deps"}, "deps"),
        ("-Wp,-MMD,deps -c src/fill.c", {"fill.o", "deps"}, "deps"),
        ("-MMD -c probe.c src/fill.c", {"fill.o", "probe.o", "fill.d", "probe.d"}, "fill.d"),
        ("-S src/fill.c", {"fill.s"}, None),
    ],
)
@pytest.mark.slow_but(4)
def test_rewritten_text_leaves_no_trace_in_names(
    scheduled: Folder, words: str, written: set[str], names: str | None
) -> None:
    before = scheduled.files()
    assert scheduled.run("cc", "-O1", *words.split()).returncode == 0
    assert scheduled.files() - before == written
    if names is not None:
        text = (scheduled.path / names).read_text()
        assert "src/fill.c" in text and "src/n.h" in text and "tunepass-cc" not in text


TWO = "int main(void) { return 0; }\n"


@pytest.mark.parametrize(
    "words",
    [
        "-MMD two.c src/fill.c -o prog",  # the program's file, of which the last source is the last writer
        "-MMD src/fill.c two.c -o prog",
        "-MMD two.c src/fill.c",  # a file for each source, named as the compiler likes
        "-MD -MF deps -MT this -MP two.c src/fill.c",
        "-Wp,-MMD,deps two.c src/fill.c -o prog",
    ],
)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_linked_with_others_it_lists_what_the_compiler_alone_would(
    scheduled: Folder, words: str, compiler: str
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    scheduled.write("two.c", TWO)
    before = scheduled.files()
    subprocess.run([compiler, *words.split()], cwd=scheduled.path, check=True)
    wanted = {name: (scheduled.path / name).read_bytes() for name in scheduled.files() - before}
    for name in wanted:
        (scheduled.path / name).unlink()
    done = scheduled.run("cc", *words.split(), TUNEPASS_CC=compiler)
    assert done.returncode == 0, done.stderr
    assert scheduled.files() - before == set(wanted)
    for name in wanted.keys() - {"prog", "a.out"}:
        words_of = [text.replace(b"\\\n", b"").split() for text in ((scheduled.path / name).read_bytes(), wanted[name])]
        assert words_of[0] == words_of[1]  # lines are folded by the names that the compiler saw


def test_dependencies_alone_are_those_of_the_source(scheduled: Folder) -> None:
    assert scheduled.run("cc", "-MM", "src/fill.c").stdout.split() == ["fill.o:", "src/fill.c", "src/n.h"]


def test_make_with_dependency_files_builds_once(scheduled: Folder) -> None:
    compiler = f"{sys.executable} -m tunepass cc"
    scheduled.write("Makefile", "fill.o: src/fill.c\n\t$(CC) -MMD -c $< -o $@\n-include fill.d\n")
    runs = [
        subprocess.run(["make", f"CC={compiler}"], cwd=scheduled.path, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert "fill.o" in runs[0].stdout and "up to date" in runs[1].stdout
    (scheduled.path / "src/n.h").write_text("#define LIMIT 5\n")
    os.utime(scheduled.path / "src/n.h", (4e9, 4e9))
    again = subprocess.run(["make", f"CC={compiler}"], cwd=scheduled.path, capture_output=True, text=True, check=True)
    assert "-MMD -c" in again.stdout


def test_a_scheduled_loop_keeps_its_place_in_the_source(scheduled: Folder) -> None:
    scheduled.write(
        "main.c",
        "#include <stdio.h>\nint line(void); const char *file(void); void fill(int, int *);\n"
        'int main(void) { int x[16]; fill(4, x); printf("%d %s %d\\n", line(), file(), x[15]); }\n',
    )
    done = scheduled.run("cc", "-O2", "main.c", "src/fill.c")
    assert done.returncode == 0, done.stderr
    assert said(scheduled) == f"{FILL[: FILL.index('__LINE__')].count(chr(10)) + 1} src/fill.c 7\n"


def test_hashes_name_their_kind() -> None:
    assert source_hash("") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
