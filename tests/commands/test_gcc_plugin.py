"""gcc's plugin inside gcc: what each way of compiling makes of a choice, and what a bad choices file does to it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.test_cc import MAIN, PROBE, lock
from tests.commands.test_flags_file import HEADERS
from tunepass.compilers.gcc_plugin.building import build_plugin
from tunepass.jobs.locks.choices_file import NAME, write_choices

pytestmark = pytest.mark.skipif(not HEADERS.is_file(), reason="gcc has no plugin headers here (gcc-12-plugin-dev)")

OPTIONED = PROBE.replace('categorical("", "-DEXTRA=5") = ""', 'categorical("-O1", "-O3") = "-O1"')
WORDS = ["-DTILE=32", "-DEXTRA=5"]
ERROR = "-fplugin-arg-tunepass-stale=error"


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tools") / "tunepass.so"
    build_plugin("gcc", path)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "probe.c").write_text(PROBE)
    (tmp_path / "main.c").write_text(MAIN)
    lock(tmp_path, TILE=32, OPT="-DEXTRA=5")
    write_choices(tmp_path)
    return tmp_path


def gcc(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(
        ["gcc", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def compiled(folder: Path, *words: str | Path, source: str = "probe.c") -> bytes:
    done = gcc(folder, *words, "-c", source, "-o", "made.o")
    assert done.returncode == 0 and not done.stderr, done.stderr
    return (folder / "made.o").read_bytes()


def by_plugin(plugin: Path) -> str:
    return f"-fplugin={plugin}"


def test_preprocessed_text_has_the_macros(folder: Path, plugin: Path) -> None:
    assert gcc(folder, by_plugin(plugin), "-E", "probe.c", "-o", "probe.i").stderr == ""
    expected = compiled(folder, "-O2", *WORDS)
    assert compiled(folder, "-O2", source="probe.i") == expected
    assert compiled(folder, "-O2", by_plugin(plugin), source="probe.i") == expected
    assert compiled(folder, "-O2", by_plugin(plugin), "-save-temps") == expected


def test_preprocessed_text_gets_the_options_of_its_functions(folder: Path, plugin: Path) -> None:
    (folder / "probe.c").write_text(OPTIONED)
    lock(folder, TILE=8, OPT="-O3")
    write_choices(folder)
    gcc(folder, by_plugin(plugin), "-O1", "-E", "probe.c", "-o", "probe.i")
    made = [gcc(folder, by_plugin(plugin), "-O1", "-S", name, "-o", "-").stdout for name in ("probe.c", "probe.i")]
    assert made[0] == made[1] != gcc(folder, "-O1", "-S", "probe.c", "-o", "-").stdout


def test_preprocessing_alone_tells_what_is_stale(folder: Path, plugin: Path) -> None:
    (folder / "probe.c").write_text(PROBE + "/* */\n")
    done = gcc(folder, by_plugin(plugin), ERROR, "-E", "probe.c")
    assert done.returncode == 1 and done.stderr.count("error:") == 1
    assert "probe.c changed since it was tuned; its defaults are used" in done.stderr


def test_link_time_optimisation_keeps_the_choice(folder: Path, plugin: Path) -> None:
    done = gcc(folder, by_plugin(plugin), "-O2", "-flto", "main.c", "probe.c", "-o", "program")
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr
    assert subprocess.run([folder / "program"], capture_output=True, text=True, check=True).stdout == "37\n"


def test_a_precompiled_header_is_used_beside_the_choice(folder: Path, plugin: Path) -> None:
    (folder / "all.h").write_text(
        "#include <stdio.h>\n#include <stdlib.h>\nstatic inline int two(void) { return 2; }\n"
    )
    assert gcc(folder, "-O2", "all.h").returncode == 0
    words = ["-O2", "-Winvalid-pch", "-include", "all.h"]
    assert compiled(folder, *words, by_plugin(plugin)) == compiled(folder, *words, *WORDS)
    read = gcc(folder, *words, by_plugin(plugin), "-H", "-c", "probe.c").stderr
    assert read.startswith("! ") and "all.h.gch" in read.splitlines()[0], read


def test_a_precompiled_header_that_asks_for_a_chosen_macro_is_left_aside_as_for_a_word(
    folder: Path, plugin: Path
) -> None:
    (folder / "all.h").write_text("#ifdef TILE\nextern int tiled;\n#endif\n")
    assert gcc(folder, "-O2", "all.h").returncode == 0
    words = ["-O2", "-Winvalid-pch", "-include", "all.h"]
    by_words = gcc(folder, *words, *WORDS, "-c", "probe.c", "-o", "words.o")
    made = gcc(folder, *words, by_plugin(plugin), "-c", "probe.c", "-o", "made.o")
    assert made.returncode == by_words.returncode == 0
    assert (folder / "made.o").read_bytes() == (folder / "words.o").read_bytes()


def test_calls_side_by_side(folder: Path, plugin: Path) -> None:
    expected = compiled(folder, "-O2", *WORDS)
    calls = [
        subprocess.Popen(["gcc", by_plugin(plugin), "-O2", "-c", "probe.c", "-o", f"{n}.o"], cwd=folder)
        for n in range(4)
    ]
    assert [call.wait(60) for call in calls] == [0] * 4
    assert all((folder / f"{n}.o").read_bytes() == expected for n in range(4))


def test_a_unity_build_keeps_the_defaults_and_is_told_where(folder: Path, plugin: Path) -> None:
    (folder / "all.c").write_text('int first;\n#include "probe.c"\n')
    done = gcc(folder, by_plugin(plugin), "-c", "all.c", "-o", "made.o")
    assert "all.c:2" in done.stderr and "which is not applied where another file includes it" in done.stderr
    assert (folder / "made.o").read_bytes() == compiled(folder, source="all.c")


def test_make_learns_of_the_choices_file(folder: Path, plugin: Path) -> None:
    compiled(folder, by_plugin(plugin), "-MD", "-MF", "rule.d")
    assert NAME in (folder / "rule.d").read_text()


def test_hints_for_loops_reach_the_same_loops_as_the_written_text(folder: Path, plugin: Path) -> None:
    text = (
        "#pragma tunepass param U: ordinal(1, 4) = 1\n#pragma tunepass kernel probe(n = 64, x: inout int[n])\n"
        "void probe(int n, int *x)\n{\n#pragma tunepass hint unroll(U)\n    for (int i = 0; i < n; i++)\n"
        "        x[i] *= 3;\n    for (int i = 0; i < n; i++)\n        x[i] ^= n;\n}\n"
    )
    (folder / "probe.c").write_text(text)
    (folder / "tunepass.lock").unlink()
    lock(folder, U=4)
    write_choices(folder)
    (folder / "text.c").write_text(text.replace("#pragma tunepass hint unroll(U)", "#pragma GCC unroll 4"))
    words = ["-O2", "-fno-tree-vectorize", "-fopt-info-loop", "-c"]
    told = gcc(folder, by_plugin(plugin), *words, "probe.c").stderr
    assert told.count("loop unrolled 3 times") == 1 and "probe.c:6" in told
    expected = gcc(folder, "-Wno-unknown-pragmas", *words, "text.c").stderr
    line_and_message = re.compile(r":(\d+):\d+: (.*)")  # the columns are the compiler's own for each pragma
    assert line_and_message.findall(told) == line_and_message.findall(expected)


@pytest.mark.parametrize(
    ("pragma", "column", "message"),
    [
        ("parm X: integer(1..2)", 18, "unknown pragma ‘parm’; did you mean ‘param’?"),
        ("param X: intger(1..2)", 27, "unknown kind of parameter ‘intger’"),
        ("param X integer(1..2)", 26, "expected ‘:’ after the name"),
        ("hint unrol(2)", 23, "unknown hint ‘unrol’"),
        ("hint vectorize(2)", 33, "‘vectorize’ is 0 or 1, got 2"),
        ("hint unroll(2)", 18, "no loop follows this hint"),
    ],
)
def test_a_wrong_pragma_has_the_compilers_own_caret(
    folder: Path, plugin: Path, pragma: str, column: int, message: str
) -> None:
    (folder / "plain.c").write_text(f"int x;\n#pragma tunepass {pragma}\n")
    done = gcc(folder, by_plugin(plugin), "-Werror=pragmas", "-c", "plain.c")
    plain = message.replace("‘", "'").replace("’", "'")
    assert f"plain.c:2:{column}: error: tunepass: {plain}" in done.stderr, done.stderr
    assert f"    2 | #pragma tunepass {pragma}" in done.stderr and "^" in done.stderr
    assert gcc(folder, by_plugin(plugin), "-Wno-pragmas", "-c", "plain.c").stderr == ""


def sealed(*lines: str) -> bytes:
    """A choices file with these lines and the digest that fits them."""
    body = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    return body + f"end sha256:{hashlib.sha256(body).hexdigest()}\n".encode()


LOCK, SOURCE = f"lock sha256:{'0' * 64}", f"source probe.c sha256:{'0' * 64} sha256:{'0' * 64}"
FIRST = "tunepass-choices 1"
BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda whole: b"", ": it is no choices file of tunepass"),
    "binary": (lambda whole: bytes(range(256)) * 9, ": it is no choices file of tunepass"),
    "truncated": (lambda whole: whole[: len(whole) // 2], ": it is damaged"),
    "without its last byte": (lambda whole: whole[:-1], ": it is damaged"),
    "longer": (lambda whole: whole + b"define TILE=9\n", ": it is damaged"),
    "altered": (lambda whole: whole.replace(b"TILE=32", b"TILE=64"), ": it is damaged"),
    "later version": (lambda whole: sealed("tunepass-choices 2"), ":1: another version of tunepass wrote it"),
    "without a lock": (lambda whole: sealed(FIRST), ":2: the digest of the lock is not there"),
    "two locks": (lambda whole: sealed(FIRST, LOCK, LOCK), ":3: the lock has one digest"),
    "no digest": (lambda whole: sealed(FIRST, LOCK, "source probe.c x y"), ":3: a source has a name and two digests"),
    "traversal": (
        lambda whole: sealed(FIRST, LOCK, SOURCE.replace("probe.c", "../probe.c")),
        ":3: a source stands in the folder of the choices file",
    ),
    "escaped traversal": (
        lambda whole: sealed(FIRST, LOCK, SOURCE.replace("probe.c", "..%2fprobe.c")),
        ":3: a source stands in the folder of the choices file",
    ),
    "line end in a name": (
        lambda whole: sealed(FIRST, LOCK, SOURCE.replace("probe.c", "probe.c%0a")),
        ":3: the name of a source has a control character",
    ),
    "twice": (lambda whole: sealed(FIRST, LOCK, SOURCE, SOURCE), ":4: this source has lines already"),
    "macro of nobody": (lambda whole: sealed(FIRST, LOCK, "define A=1"), ":3: no source stands before it"),
    "no macro": (lambda whole: sealed(FIRST, LOCK, SOURCE, "define 1=2"), ":4: this is no macro"),
    "kept macro": (lambda whole: sealed(FIRST, LOCK, SOURCE, "define defined=2"), ":4: this is no macro"),
    "open macro": (lambda whole: sealed(FIRST, LOCK, SOURCE, "define A(x=2"), ":4: this is no macro"),
    "undefined": (lambda whole: sealed(FIRST, LOCK, SOURCE, "undef A=2"), ":4: this is no macro"),
    "no option": (lambda whole: sealed(FIRST, LOCK, SOURCE, "option x.c"), ":4: an option begins with a dash"),
    "escape": (lambda whole: sealed(FIRST, LOCK, SOURCE, "stale \x1b[2J"), ":4: it has a control character"),
    "zero": (lambda whole: sealed(FIRST, LOCK, SOURCE, "stale a\0b"), ":4: it has a control character"),
    "unknown": (lambda whole: sealed(FIRST, LOCK, SOURCE, "run rm"), ":4: this plugin does not know it"),
    "empty line": (lambda whole: sealed(FIRST, LOCK, SOURCE, ""), ":4: it has no value"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_choices_file_is_told_once_and_changes_no_object(folder: Path, plugin: Path, kind: str) -> None:
    make, message = BAD[kind]
    (folder / NAME).write_bytes(make((folder / NAME).read_bytes()))
    done = gcc(folder, by_plugin(plugin), "-c", "probe.c", "-o", "made.o")
    assert done.returncode == 0
    assert done.stderr.count("warning:") == 1 and f"tunepass: {NAME}{message}" in done.stderr, done.stderr
    made = (folder / "made.o").read_bytes()
    assert made == compiled(folder)
    done = gcc(folder, by_plugin(plugin), ERROR, "-c", "probe.c", "-o", "made.o")
    assert done.returncode == 1 and done.stderr.count("error:") == 1


def test_what_is_no_file_is_told_and_not_waited_for(folder: Path, plugin: Path) -> None:
    (folder / NAME).unlink()
    os.mkfifo(folder / NAME)
    assert f"{NAME}: cannot be read: it is no regular file" in gcc(folder, by_plugin(plugin), "-c", "probe.c").stderr
    (folder / NAME).unlink()
    with (folder / NAME).open("wb") as file:
        file.truncate((64 << 20) + 1)
    assert f"{NAME}: cannot be read: it has more than 64 MiB" in gcc(folder, by_plugin(plugin), "-c", "probe.c").stderr
    (folder / NAME).unlink()
    assert compiled(folder, by_plugin(plugin)) == compiled(folder)  # none is no mistake
    named = gcc(folder, by_plugin(plugin), f"-fplugin-arg-tunepass-choices=none/{NAME}", "-c", "probe.c")
    assert f"none/{NAME}: cannot be read: No such file or directory" in named.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: (f / "tunepass.lock").unlink(),
            "tunepass.lock: cannot be compared with tunepass.choices: No such file",
        ),
        (lambda f: (f / "tunepass.lock").open("a").write("#\n"), "tunepass.lock changed since it was written"),
    ],
    ids=["gone", "changed"],
)
def test_without_the_lock_that_it_was_made_from_nothing_is_tuned(
    folder: Path, plugin: Path, change: Callable[[Path], object], message: str
) -> None:
    change(folder)
    done = gcc(folder, by_plugin(plugin), "-c", "probe.c", "-o", "made.o")
    assert done.returncode == 0 and done.stderr.count("warning:") == 1 and message in done.stderr
    assert (folder / "made.o").read_bytes() == compiled(folder)


def test_a_plugin_for_another_gcc_is_refused(folder: Path, plugin: Path) -> None:
    version = gcc(folder, "-dumpfullversion").stdout.strip()
    other = version[:-1] + ("1" if version[-1] != "1" else "2")
    altered = folder / "tunepass.so"
    content = plugin.read_bytes().replace(f"{version}\0".encode(), f"{other}\0".encode())
    assert b"walk_loop_tree" in content
    altered.write_bytes(content.replace(b"walk_loop_tree", b"walk_loop_trei"))  # a function that this gcc lacks
    done = gcc(folder, by_plugin(altered), "-c", "probe.c")
    assert done.returncode == 1
    assert f"tunepass: this plugin is for gcc {other}" in done.stderr and f"this is gcc {version}" in done.stderr
    assert not (folder / "probe.o").exists()


def test_an_unknown_argument_is_refused(folder: Path, plugin: Path) -> None:
    done = gcc(folder, by_plugin(plugin), "-fplugin-arg-tunepass-stale=no", "-c", "probe.c")
    assert done.returncode == 1
    assert "unknown argument '-fplugin-arg-tunepass-stale=no'" in done.stderr
    assert "known are choices=FILE, stale=warning and stale=error" in done.stderr


def test_clang_is_no_gcc_to_build_a_plugin_for(tmp_path: Path) -> None:
    from tunepass.diagnostics import ToolError

    if not shutil.which("clang"):
        pytest.skip("clang is not installed")
    with pytest.raises(ToolError, match="clang is no gcc"):
        build_plugin("clang", tmp_path / "tunepass.so")
