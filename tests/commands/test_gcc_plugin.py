"""gcc's plugin inside gcc: what gcc alone makes of a choice, in each way of compiling."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.commands.compiler_plugin import ERROR, OPTIONED, WORDS, LoadingCompiler, choices_folder
from tests.commands.test_cc import PROBE, lock
from tunepass.jobs.locks.choices_file import write_choices


@pytest.fixture
def gcc(tmp_path: Path, gcc_plugin: Path) -> LoadingCompiler:
    return LoadingCompiler("gcc", gcc_plugin, choices_folder(tmp_path))


def test_preprocessed_text_has_the_macros(gcc: LoadingCompiler) -> None:
    assert gcc.load("-E", "probe.c", "-o", "probe.i").stderr == ""
    expected = gcc.object("-O2", *WORDS)
    assert gcc.object("-O2", source="probe.i") == expected
    assert gcc.object("-O2", gcc.word, source="probe.i") == expected
    assert gcc.object("-O2", gcc.word, "-save-temps") == expected


def test_preprocessed_text_gets_the_options_of_its_functions(gcc: LoadingCompiler) -> None:
    (gcc.folder / "probe.c").write_text(OPTIONED)
    lock(gcc.folder, TILE=8, OPT="-O3")
    write_choices(gcc.folder)
    gcc.load("-O1", "-E", "probe.c", "-o", "probe.i")
    made = [gcc.load("-O1", "-S", name, "-o", "-").stdout for name in ("probe.c", "probe.i")]
    assert made[0] == made[1] != gcc.call("-O1", "-S", "probe.c", "-o", "-").stdout


def test_preprocessing_alone_tells_what_is_stale(gcc: LoadingCompiler) -> None:
    (gcc.folder / "probe.c").write_text(PROBE + "/* */\n")
    done = gcc.load(ERROR, "-E", "probe.c")
    assert done.returncode == 1 and done.stderr.count("error:") == 1
    assert "probe.c changed since it was tuned; its defaults are used" in done.stderr


def test_a_precompiled_header_is_used_beside_the_choice(gcc: LoadingCompiler) -> None:
    (gcc.folder / "all.h").write_text(
        "#include <stdio.h>\n#include <stdlib.h>\nstatic inline int two(void) { return 2; }\n"
    )
    assert gcc.call("-O2", "all.h").returncode == 0
    words = ["-O2", "-Winvalid-pch", "-include", "all.h"]
    assert gcc.object(*words, gcc.word) == gcc.object(*words, *WORDS)
    read = gcc.call(*words, gcc.word, "-H", "-c", "probe.c").stderr
    assert read.startswith("! ") and "all.h.gch" in read.splitlines()[0], read


def test_a_precompiled_header_that_asks_for_a_chosen_macro_is_left_aside_as_for_a_word(gcc: LoadingCompiler) -> None:
    (gcc.folder / "all.h").write_text("#ifdef TILE\nextern int tiled;\n#endif\n")
    assert gcc.call("-O2", "all.h").returncode == 0
    words = ["-O2", "-Winvalid-pch", "-include", "all.h"]
    by_words = gcc.call(*words, *WORDS, "-c", "probe.c", "-o", "words.o")
    made = gcc.call(*words, gcc.word, "-c", "probe.c", "-o", "made.o")
    assert made.returncode == by_words.returncode == 0
    assert (gcc.folder / "made.o").read_bytes() == (gcc.folder / "words.o").read_bytes()


def test_hints_for_loops_reach_the_same_loops_as_the_written_text(gcc: LoadingCompiler) -> None:
    text = (
        "#pragma tunepass param U: ordinal(1, 4) = 1\n#pragma tunepass kernel probe(n = 64, x: inout int[n])\n"
        "void probe(int n, int *x)\n{\n#pragma tunepass hint unroll(U)\n    for (int i = 0; i < n; i++)\n"
        "        x[i] *= 3;\n    for (int i = 0; i < n; i++)\n        x[i] ^= n;\n}\n"
    )
    (gcc.folder / "probe.c").write_text(text)
    (gcc.folder / "tunepass.lock").unlink()
    lock(gcc.folder, U=4)
    write_choices(gcc.folder)
    (gcc.folder / "text.c").write_text(text.replace("#pragma tunepass hint unroll(U)", "#pragma GCC unroll 4"))
    words = ["-O2", "-fno-tree-vectorize", "-fopt-info-loop", "-c"]
    told = gcc.load(*words, "probe.c").stderr
    assert told.count("loop unrolled 3 times") == 1 and "probe.c:6" in told
    expected = gcc.call("-Wno-unknown-pragmas", *words, "text.c").stderr
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
    gcc: LoadingCompiler, pragma: str, column: int, message: str
) -> None:
    (gcc.folder / "plain.c").write_text(f"int x;\n#pragma tunepass {pragma}\n")
    done = gcc.load("-Werror=pragmas", "-c", "plain.c")
    plain = message.replace("‘", "'").replace("’", "'")
    assert f"plain.c:2:{column}: error: tunepass: {plain}" in done.stderr, done.stderr
    assert f"    2 | #pragma tunepass {pragma}" in done.stderr and "^" in done.stderr
    assert gcc.load("-Wno-pragmas", "-c", "plain.c").stderr == ""


def test_a_plugin_for_another_gcc_is_refused(gcc: LoadingCompiler) -> None:
    version = gcc.call("-dumpfullversion").stdout.strip()
    other = version[:-1] + ("1" if version[-1] != "1" else "2")
    altered = gcc.folder / "tunepass.so"
    content = gcc.plugin.read_bytes().replace(f"{version}\0".encode(), f"{other}\0".encode())
    assert b"get_loop_body" in content
    altered.write_bytes(content.replace(b"get_loop_body", b"get_loop_bodi"))  # a function that this gcc lacks
    done = gcc.call(f"-fplugin={altered}", "-c", "probe.c")
    assert done.returncode == 1
    assert f"tunepass: this plugin is for gcc {other}" in done.stderr and f"this is gcc {version}" in done.stderr
    assert not (gcc.folder / "probe.o").exists()


def test_clang_is_told_that_the_plugin_is_not_for_it(gcc: LoadingCompiler) -> None:
    """It would load it, call nothing in it and compile the defaults."""
    if not shutil.which("clang"):
        pytest.skip("clang is not installed")
    done = LoadingCompiler("clang", gcc.plugin, gcc.folder).load("-c", "probe.c")
    assert done.returncode == 1 and not (gcc.folder / "probe.o").exists()
    assert done.stderr.count("error:") == 1 and "this compiler is no gcc" in done.stderr
    assert "tunepass clang-plugin --compiler COMPILER" in done.stderr
