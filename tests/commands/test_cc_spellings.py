"""Whatever way a source is named to `tunepass cc`, its lock is honoured; what cannot be tuned is the compiler's alone,
and an error where nothing annotated may go untuned."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_cc import MAIN, PROBE, lock, said

COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=name)) for name in ("gcc", "clang")
]
FROZEN = {"TUNEPASS_FROZEN": "1"}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """probe.c says 37 as its lock has it, and 8 without; main.c prints it."""
    found = Folder(tmp_path)
    found.write("probe.c", PROBE)
    found.write("main.c", MAIN)
    lock(tmp_path, TILE=32, OPT="-DEXTRA=5")
    (tmp_path / "probe.inc").write_text(PROBE)
    entry = (tmp_path / "tunepass.lock").read_text().split("kernels:\n")[1]
    with (tmp_path / "tunepass.lock").open("a") as file:
        file.write(entry.replace("probe.c::", "probe.inc::"))
    found.write("words", "-O1 'main.c' \"probe.c\"")
    found.write("outer", '-DUNUSED=\\"a\\ b\\" @words -o prog')
    found.write("two.s", '.globl two\ntwo: ret\n.section .note.GNU-stack,"",@progbits\n')
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("frozen", [{}, FROZEN], ids=["", "frozen"])
@pytest.mark.parametrize(
    "words",
    [
        "@words -o prog",
        "@outer",
        "-o prog -x c main.c probe.c",
        "-o prog -xc probe.c main.c",
        "-o prog main.c -x c probe.inc",
        "-o prog main.c -x c probe.inc -x none -lm",
        "-o prog -x c probe.inc -x none main.c two.s",
        "-o prog --language=c probe.inc main.c",
        "--output prog --language c probe.inc main.c",
        "-o prog two.s probe.c main.c",
        "-o prog -x assembler two.s -x none probe.c main.c",
        "-o prog -include probe.h main.c ./probe.c",
        "-o prog main.c ../here/probe.c",
    ],
)
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_each_spelling_is_tuned(words: str, frozen: dict[str, str], compiler: str, folder: Folder) -> None:
    folder.write("probe.h", "/* nothing */\n")
    if "../here" in words:
        (folder.path / "here").symlink_to(".")
        words = words.replace("../here", "here")
    done = folder.run("cc", *words.split(), TUNEPASS_CC=compiler, **frozen)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert said(folder, "./prog") == "37\n"


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "words", ["-c probe.c two.s main.c", "-c -x c probe.inc main.c -x none two.s", "-S probe.c two.s main.c"]
)
@pytest.mark.slow_but(3)
def test_what_is_compiled_apart_is_compiled_once(words: str, compiler: str, folder: Folder) -> None:
    before = folder.files()
    subprocess.run([compiler, *words.split()], cwd=folder.path, check=True)
    made = folder.files() - before
    for name in made:
        (folder.path / name).unlink()
    done = folder.run("cc", *words.split(), TUNEPASS_CC=compiler)
    assert done.returncode == 0 and folder.files() - before == made, done.stderr
    if "-c" in words:
        subprocess.run(["cc", *(name for name in made if name.endswith(".o"))], cwd=folder.path, check=True)
        assert said(folder) == "37\n"


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "words", ["-c probe.c main.c -o x.o", "-E main.c probe.c -o x", "-###", "-### -c probe.c", "@none", "-c @none"]
)
def test_what_is_wrong_is_wrong_as_the_compiler_says(words: str, compiler: str, folder: Folder) -> None:
    alone = subprocess.run([compiler, *words.split()], cwd=folder.path, capture_output=True, text=True, check=False)
    done = folder.run("cc", *words.split(), TUNEPASS_CC=compiler)
    assert (done.returncode, len(done.stderr)) == (alone.returncode, len(alone.stderr))


@pytest.mark.parametrize(
    "words,reason",
    [
        ("-x c -c -", "the source on stdin is annotated"),
        ("-E -", "the source on stdin is annotated"),
        ("-c unity.c", "probe.c is annotated and included by unity.c"),
        ("-c deep.c", "probe.c is annotated and included by deep.c"),
        ("-c -Isub inner.c", "sub/hidden.h is annotated and included by inner.c"),
        ("-c -include probe.c main.c", "probe.c is annotated and included by the command line"),
        ("-c -includeprobe.c main.c", "probe.c is annotated and included by the command line"),
        ("-c --include=probe.c main.c", "probe.c is annotated and included by the command line"),
        ("-c probe.i", "probe.i is annotated and compiled as cpp-output"),
        ("-c probe.S", "probe.S is annotated and compiled as assembler-with-cpp"),
        ("-c -x assembler-with-cpp probe.c", "probe.c is annotated and compiled as assembler-with-cpp"),
        ("-c -x cpp-output probe.c", "probe.c is annotated and compiled as cpp-output"),
        ("-c -x c other.inc", "other.inc has no entry"),
        ("-c -x c++ other.inc", "other.inc has no entry"),
        ("-c @other", "other.inc has no entry"),
        ("-c sub/again.c", "sub/again.c has no entry"),
        ("-c ./-o.c", "-o.c has no entry"),
    ],
)
@pytest.mark.one_in(3)
@pytest.mark.slow_but(4)
def test_nothing_annotated_slips_through_frozen(words: str, reason: str, folder: Folder) -> None:
    (folder.path / "sub").mkdir()
    for name in ("probe.i", "probe.S", "other.inc", "sub/hidden.h", "sub/again.c", "-o.c"):
        folder.write(name, PROBE)
    folder.write("unity.c", '#include "probe.c"\n')
    folder.write("deep.c", '  #  include "unity.c"\n')
    folder.write("inner.c", '#include "hidden.h"\n')
    folder.write("other", "-x c other.inc")
    before = folder.files()
    done = run_with_stdin(folder, words, PROBE, TUNEPASS_FROZEN="1")
    assert done.returncode == 3 and reason in done.stderr, done.stderr
    assert folder.files() == before and "internal" not in done.stderr


@pytest.mark.parametrize("environment", [{}, FROZEN], ids=["", "frozen"])
@pytest.mark.parametrize("text", ["int x = 3; /* of tunepass */\n", '#include "none.h"\n', ""])
def test_stdin_reaches_the_compiler(environment: dict[str, str], text: str, folder: Folder) -> None:
    alone = subprocess.run(
        ["cc", "-x", "c", "-S", "-", "-o", "-"],
        input=text,
        cwd=folder.path,
        capture_output=True,
        text=True,
        check=False,
    )
    done = run_with_stdin(folder, "-x c -S - -o -", text, **environment)
    assert (done.returncode, done.stdout, done.stderr) == (alone.returncode, alone.stdout, alone.stderr)


def run_with_stdin(folder: Folder, words: str, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TUNEPASS_")}
    program = [sys.executable, "-m", "tunepass", "cc", *words.split()]
    return subprocess.run(
        program, input=text, cwd=folder.path, capture_output=True, text=True, env={**kept, **environment}, check=False
    )
