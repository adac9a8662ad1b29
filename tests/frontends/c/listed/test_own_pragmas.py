"""A source's own pragmas in nests that are rewritten, and the bounds that its declarations name."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.frontends.c.listed.test_rewrite import kernel, scheduled
from tunepass.diagnostics import SourceError
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower
from tunepass.ir.kernel import Kernel

HEAD = """\
#pragma tunepass param T: ordinal(1, 8)
#pragma tunepass param U: ordinal(1, 2)
#pragma tunepass kernel f(n = 64, x: in int[n*n], y: inout int[n*n])
"""
NEST = """\
void f(int n, const int *x, int *y)
{
#pragma tunepass loop(i, j) tile(i: T, j: T) unroll(j: U)
#pragma omp parallel for \\
    schedule(static)
    for (int i = 0; i < n; i++)
#pragma GCC ivdep
        for (int j = 0; j < n; j++) {
            #pragma omp atomic
            y[i*n + j] += x[i*n + j];
        }
}
"""


def emitted(k: Kernel, **values: int) -> list[str]:
    text = CFrontend().emit((scheduled(k, **values),))[0].text
    return [line.strip() for line in text[text.index("void f") :].splitlines()]


def after(lines: list[str], pragma: str) -> list[str]:
    return [lines[i + 1].split(" = ")[0] for i, line in enumerate(lines) if line.startswith(pragma)]


def test_pragmas_stay_with_their_loops() -> None:
    lines = emitted(kernel(NEST, HEAD), T=8, U=2)
    assert after(lines, "#pragma omp parallel for") == ["for (int i_tile"]
    assert after(lines, "#pragma GCC ivdep") == ["for (int j", "for (int j"]  # of whole pairs, and what is left
    assert lines.count("#pragma omp atomic") == 3
    assert "#pragma omp parallel for      schedule(static)" in lines


def test_without_tiles_they_stand_before_the_loop_itself() -> None:
    lines = emitted(kernel(NEST, HEAD), T=1, U=2)
    assert after(lines, "#pragma omp parallel for") == ["for (int i"]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("values", [{"T": 8, "U": 1}, {"T": 1, "U": 2}, {"T": 8, "U": 2}])
def test_rewritten_with_their_pragmas_they_compute_the_same(values: dict[str, int], tmp_path: Path) -> None:
    text = lower(*chosen_of(kernel(NEST, HEAD), values)).text
    assert text is not None
    main = (
        "\nint main(void)\n{\n    static int x[361], y[361];\n"
        "    for (int i = 0; i < 361; i++) x[i] = i, y[i] = 2 * i;\n"
        "    f(19, x, y);\n    for (int i = 0; i < 361; i++) if (y[i] != 3 * i) return 1;\n    return 0;\n}\n"
    )
    (tmp_path / "f.c").write_text(text + main)
    words = ["gcc", "-Wall", "-Werror", "-Wno-unknown-pragmas", "-fopenmp", "-O2", "f.c", "-o", "f"]
    if subprocess.run(words, cwd=tmp_path, capture_output=True, check=False).returncode:
        words.remove("-fopenmp")
        subprocess.run(words, cwd=tmp_path, check=True)
    subprocess.run(["./f"], cwd=tmp_path, check=True)


def chosen_of(k: Kernel, values: dict[str, int]):  # type: ignore[no-untyped-def]
    done = scheduled(k, **values)
    return done, chosen(done)


def test_a_pragma_of_the_body_that_names_an_index_keeps_it() -> None:
    text = NEST.replace("#pragma omp atomic", "#pragma omp critical(j)").replace("unroll(j: U)", "unroll(j: U)")
    assert any(line.startswith("const int j_now = j + 1") for line in emitted(kernel(text, HEAD), T=1, U=2))


@pytest.mark.parametrize(
    "old,new,message",
    [
        ("schedule(static)", "collapse(2)", "`collapse` means something else once this nest is rewritten"),
        ("#pragma GCC ivdep", "#pragma omp simd safelen(4)", "`safelen` means something else"),
        ("#pragma GCC ivdep", "#pragma omp unroll", "`unroll` means something else"),
        (
            "unroll(j: U)",
            "unroll(j: U) parallel(i)",
            "this loop has an OpenMP pragma, and `parallel` or `vectorize` writes another",
        ),
        ("#pragma GCC ivdep", "#undef NAME", "`#undef` inside a nest that is rewritten"),
        ("#pragma omp atomic", "#pragma pack(1)", "`#pragma` inside a nest that is rewritten"),
    ],
)
def test_what_cannot_stay_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        kernel(NEST.replace(old, new), HEAD)
    assert message in str(caught.value)


@pytest.mark.parametrize("condition", ["0", "defined(_OPENMP)"])
def test_a_pragma_that_is_left_out_of_the_source_is_no_part_of_its_nest(condition: str) -> None:
    written = "#pragma omp parallel for \\\n    schedule(static)\n"
    left_out = f"#if {condition}\n#pragma omp parallel for collapse(2)\n#endif\n"
    lines = emitted(kernel(NEST.replace(written, left_out), HEAD), T=8, U=2)
    assert not any("parallel" in line for line in lines)


def test_a_bound_declared_after_another_is_a_variable_of_the_function() -> None:
    declared = "    const image *a = &b; const int w = a->w, h = a->h;\n#pragma tunepass loop"
    text = NEST.replace("#pragma tunepass loop", declared).replace("i < n", "i < h").replace("j < n", "j < w")
    text = text.replace("x[i*n + j];", "g(x[i*n + j]);")
    made = kernel("typedef struct { int w, h; } image;\nint g(int);\nimage b = {64, 64};\n" + text, HEAD)
    assert "for (int i_tile = 0; i_tile < h; i_tile += 8) {" in emitted(made, T=8, U=1)
