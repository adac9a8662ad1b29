"""`hint unroll(U) vectorize(V)`: what the compiler is asked to do with a loop."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.emission.files import scheduled_text
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower
from tunepass.ir.kernel import Choice, Kernel
from tunepass.space.configuration import Configuration

SOURCE = """\
#pragma tunepass param U: ordinal(0, 2, 8) = 2
#pragma tunepass param V: categorical(false, true) = true
#pragma tunepass kernel f(n = 64, x: inout double[n])
void f(int n, double *x)
{
#pragma tunepass hint unroll(U) \\
    vectorize(V)
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i];
}
"""


def kernel(text: str = SOURCE) -> Kernel:
    (read,) = CFrontend().parse(Source("f.c", text)).kernels
    return read


def lowered(**values: int | bool) -> str:
    text = lower(kernel(), Configuration(values)).text
    assert text is not None
    return text


def test_each_compiler_gets_its_own_pragma_on_the_same_line() -> None:
    text = lowered(U=8, V=False)
    assert '_Pragma("clang loop vectorize(disable)") _Pragma("GCC unroll 8")' in text.splitlines()[5]
    assert text.splitlines()[7:] == SOURCE.splitlines()[7:]
    assert 'vectorize(enable)") _Pragma("GCC unroll 1")' in lowered(U=0, V=True)


def test_parameters_of_hints_alone_are_no_macros() -> None:
    candidate = lower(kernel(), Configuration({"U": 2, "V": True}))
    assert candidate.text_but_hints is None  # nothing else was rewritten
    values = {"U": Choice("U", 8), "V": Choice("V", True)}
    scheduled = replace(kernel(), schedule=tuple(values.values()))
    emitted = scheduled_text([scheduled])
    assert "GCC unroll 8" in emitted and "tunepass hint" not in emitted and "define U" not in emitted


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compilers_take_what_is_written(compiler: str, tmp_path: Path) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "f.c").write_text(lowered(U=8, V=True))
    # gcc does not know clang's pragma, and says so under -Wunknown-pragmas, which tunepass turns off
    words = [compiler, "-Wall", "-Werror", "-Wno-unknown-pragmas", "-O2", "-c", "f.c"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=60)


USED = SOURCE.replace("2 * x[i]", "U * x[i] + V")
WRONG = [
    ("hint unrol(2)", "did you mean `unroll`", "unrol"),
    ("hint unroll 2", "expected `(`", "2"),
    ("hint unroll(2) unroll(4)", "`unroll` is given twice", "unroll(4)"),
    ("hint unroll(70000)", "a loop is unrolled 0 to 65534 times, got 70000", "70000"),
    ("hint vectorize(2)", "`vectorize` is 0 or 1, got 2", "2"),
    ("hint", "expected what is to be done with the loop", ""),
    ("hint unroll(W)", "`W` is no parameter", "W"),
    ("hint vectorize(U)", "`U` does not fit: `vectorize` is 0 or 1, got 2", "U"),
]


@pytest.mark.parametrize(("pragma", "message", "caret"), WRONG)
def test_a_wrong_hint_is_told_at_its_place(pragma: str, message: str, caret: str) -> None:
    text = USED.replace("hint unroll(U) \\\n    vectorize(V)", pragma)
    with pytest.raises(SourceError) as raised:
        kernel(text)
    (diagnostic,) = raised.value.diagnostics
    assert message in str(raised.value) and diagnostic.span is not None
    assert diagnostic.span.line == 6
    line = "#pragma tunepass " + pragma
    assert diagnostic.span.column - 1 == line.rindex(caret)  # an empty one: behind the line


def test_a_hint_stands_before_its_loop() -> None:
    with pytest.raises(SourceError, match="no loop follows this hint"):
        kernel(SOURCE.replace("    for (int i", "    x[0] = 1;\n    for (int i"))


@pytest.mark.parametrize(
    "pragmas",
    [
        "#pragma tunepass loop(i, j) tile(i: TI)\n#pragma tunepass hint unroll(2)\n    for (int i",
        "#pragma tunepass hint unroll(2)\n#pragma tunepass loop(i, j) tile(i: TI)\n    for (int i",
        "#pragma tunepass loop(i, j) tile(i: TI)\n    for (int i = 0; i < n; i++)\n"
        "#pragma tunepass hint unroll(2)\n    for (int j",
    ],
)
def test_a_loop_that_is_written_anew_takes_no_hint(pragmas: str) -> None:
    loops = pragmas if "for (int j" in pragmas else f"{pragmas} = 0; i < n; i++)\n    for (int j"
    text = (
        "#pragma tunepass param TI: ordinal(1, 8)\n#pragma tunepass kernel f(n = 64, x: inout double[n*n])\n"
        f"void f(int n, double *x)\n{{\n{loops} = 0; j < n; j++)\n        x[i * n + j] *= 2;\n}}\n"
    )
    with pytest.raises(SourceError, match="this hint is for a loop that is written anew"):
        kernel(text)
