"""clang's plugin inside clang: what clang alone makes of a choice, in each way of compiling."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.built_plugins import build_by_command
from tests.commands.compiler_plugin import ERROR, OPTIONED, WORDS, LoadingCompiler, choices_folder
from tests.commands.test_cc import lock
from tunepass.compilers.compiler_plugins import building
from tunepass.diagnostics import ToolError
from tunepass.jobs.locks.choices_file import write_choices

HINTED = """\
#pragma tunepass param U: ordinal(1, 4) = 1
#pragma tunepass param V: ordinal(0, 1) = 1
#pragma tunepass kernel probe(n = 64, x: inout int[n])
void probe(int n, int *x)
{
#pragma tunepass hint unroll(U) vectorize(V)
    for (int i = 0; i < n; i++)
        x[i] *= 3;
    if (n)
        #pragma tunepass hint unroll(1)
        while (n--)
            x[n] ^= 5;
}
"""
WRITTEN = {
    "#pragma tunepass hint unroll(U) vectorize(V)": '_Pragma("clang loop vectorize(disable)") _Pragma("GCC unroll 4")',
    "#pragma tunepass hint unroll(1)": '_Pragma("GCC unroll 1")',
}
LOOP = "for (int i = 0; i < n; i++) x[i]++;"


@pytest.fixture
def clang(tmp_path: Path, clang_plugin: Path) -> LoadingCompiler:
    return LoadingCompiler("clang", clang_plugin, choices_folder(tmp_path))


def hinted(clang: LoadingCompiler) -> None:
    (clang.folder / "probe.c").write_text(HINTED)
    (clang.folder / "tunepass.lock").unlink()
    lock(clang.folder, U=4, V=0)
    write_choices(clang.folder)


def assembly(done: str) -> list[str]:
    return [line for line in done.splitlines() if ".file" not in line]


def test_hints_are_the_pragmas_of_the_written_text(clang: LoadingCompiler) -> None:
    hinted(clang)
    text = HINTED
    for pragma, own in WRITTEN.items():
        text = text.replace(pragma, own)
    (clang.folder / "text.c").write_text(text)
    words = ["-O2", "-S", "-o", "-"]
    made, plain = clang.load(*words, "probe.c"), clang.call(*words, "probe.c")
    assert made.stderr == "" and made.stdout != plain.stdout
    assert assembly(made.stdout) == assembly(clang.call(*words, "text.c").stdout)
    remarks = clang.load("-O2", "-Rpass=loop-unroll", "-c", "probe.c", "-o", "made.o").stderr
    assert "probe.c:7:5: remark: unrolled loop by a factor of 4" in remarks


def test_a_hint_before_another_directive_is_told_and_left_out(clang: LoadingCompiler) -> None:
    text = f"void f(int n, int *x)\n{{\n#pragma tunepass hint unroll(2)\n#pragma omp for\n{LOOP}\n}}\n"
    (clang.folder / "plain.c").write_text(text)
    done = clang.load("-fopenmp", "-c", "plain.c", "-o", "made.o")
    assert done.returncode == 0, done.stderr
    assert "plain.c:3:18: warning: tunepass: this hint has no effect: clang takes none before another" in done.stderr


def test_a_hint_in_a_macro_of_the_source_reaches_its_loop(clang: LoadingCompiler) -> None:
    text = f'#define TWICE _Pragma("tunepass hint unroll(2)")\nvoid f(int n, int *x)\n{{\nTWICE\n{LOOP}\n}}\n'
    (clang.folder / "plain.c").write_text(text)
    done = clang.load("-O2", "-fno-vectorize", "-Rpass=loop-unroll", "-c", "plain.c", "-o", "made.o")
    assert "plain.c:5:1: remark: unrolled loop by a factor of 2" in done.stderr, done.stderr


def test_preprocessed_text_is_told_to_lack_the_macros(clang: LoadingCompiler) -> None:
    assert clang.load("-E", "probe.c", "-o", "probe.i").stderr == ""
    done = clang.load("-c", "probe.i", "-o", "made.o")
    assert done.returncode == 0
    assert "warning: tunepass: probe.i: is preprocessed already: macros of the choice are not applied" in done.stderr
    assert (clang.folder / "made.o").read_bytes() == clang.object(source="probe.i")
    done = clang.load(ERROR, "-save-temps", "-c", "probe.c")
    assert done.returncode == 1 and "probe.i: is preprocessed already" in done.stderr


def test_options_are_told_to_belong_on_the_command_line(clang: LoadingCompiler) -> None:
    (clang.folder / "probe.c").write_text(OPTIONED)
    lock(clang.folder, TILE=8, OPT="-O3")
    write_choices(clang.folder)
    done = clang.load("-O1", "-c", "probe.c", "-o", "made.o")
    assert done.returncode == 0 and done.stderr.count("warning:") == 1
    assert "tunepass: the chosen option '-O3' cannot be set by a plugin of clang" in done.stderr
    assert (clang.folder / "made.o").read_bytes() == clang.object("-O1")


@pytest.mark.parametrize(
    ("pragma", "column", "message"),
    [
        ("parm X: integer(1..2)", 18, "unknown pragma 'parm'; did you mean 'param'?"),
        ("param X: intger(1..2)", 27, "unknown kind of parameter 'intger'; did you mean 'integer'?"),
        ("param X integer(1..2)", 26, "expected ':' after the name, as in 'param TILE: integer(1..8)'"),
        ("hint unroll 2", 23, "expected '(' after 'unroll', as in 'hint unroll(4)'"),
        ("hint vectorize(2)", 33, "'vectorize' is 0 or 1, got 2"),
        ("hint unroll(2)", 18, "no loop follows this hint"),
    ],
)
def test_a_wrong_pragma_has_the_compilers_own_caret(
    clang: LoadingCompiler, pragma: str, column: int, message: str
) -> None:
    (clang.folder / "plain.c").write_text(f"int x;\n#pragma tunepass {pragma}\n")
    done = clang.load("-Werror=pragmas", "-fsyntax-only", "plain.c")
    caret = f"\n#pragma tunepass {pragma}\n{' ' * (column - 1)}^\n"
    assert f"plain.c:2:{column}: error: tunepass: {message} [-Wignored-pragmas]{caret}" in done.stderr
    assert clang.load("-Wno-pragmas", "-fsyntax-only", "plain.c").stderr == ""


def test_right_pragmas_are_known_to_all_warnings(clang: LoadingCompiler) -> None:
    assert "unknown pragma ignored" in clang.call("-Wall", "-fsyntax-only", "probe.c").stderr
    assert clang.load("-Weverything", "-Wno-missing-prototypes", "-fsyntax-only", "probe.c").stderr == ""


def test_a_plugin_for_another_clang_is_refused(clang: LoadingCompiler) -> None:
    version = clang.call("-dumpversion").stdout.strip()
    other = version[:-1] + ("1" if version[-1] != "1" else "2")
    content, lacking = clang.plugin.read_bytes(), b"InitializePreprocessor"
    assert f"{version}\0".encode() in content and lacking in content
    content = content.replace(f"{version}\0".encode(), f"{other}\0".encode())
    altered = clang.folder / building.NAME
    altered.write_bytes(content.replace(lacking, b"InitializePreprocessos"))  # a function that this clang lacks
    done = clang.call(f"-fplugin={altered}", "-c", "probe.c")
    assert done.returncode == 1 and not (clang.folder / "probe.o").exists()
    assert f"error: tunepass: this plugin is for clang {other}, and this is" in done.stderr
    assert version in done.stderr and "tunepass clang-plugin --compiler COMPILER" in done.stderr


@pytest.mark.slow
def test_the_command_builds_the_optimised_plugin(clang: LoadingCompiler, tmp_path: Path) -> None:
    expected = clang.object("-O2", *WORDS)
    (tmp_path / "optimised").mkdir()
    build_by_command("clang", tmp_path / "optimised")
    assert clang.object("-O2", f"-fplugin={tmp_path / 'optimised' / building.NAME}") == expected


def test_headers_of_another_clang_are_none(clang: LoadingCompiler, monkeypatch: pytest.MonkeyPatch) -> None:
    version = clang.call("-dumpversion").stdout.strip()
    assert building.clang_headers("clang", version) is not None
    assert building.clang_headers("clang", f"{version}0") is None
    monkeypatch.setattr(building, "clang_headers", lambda compiler, version: None)
    with pytest.raises(ToolError, match=f"clang {version} has no headers for plugins here"):
        building.build_plugin("clang", "clang", clang.folder / building.NAME)
