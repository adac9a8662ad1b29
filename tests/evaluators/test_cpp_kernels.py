"""Kernels of C++ in their harness: what they throw, and how they are called."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluators.kernels import QUICK
from tunepass.backends.c.backend import TIME
from tunepass.backends.c.tasks import call_task
from tunepass.diagnostics import Source
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured, Outcome

THROWS = """\
#include <new>
#include <stdexcept>
#pragma tunepass param SHAPE: integer(0..4) = 0
#pragma tunepass kernel f(n = 100, x: in double[n], y: out double[n])
#ifndef SHAPE
#define SHAPE 0
#endif
static void check(int n) noexcept(SHAPE == 4)
{
    if (SHAPE == 1) throw std::runtime_error("too\\nfar");
    if (SHAPE == 2) throw n;
    if (SHAPE == 3) throw std::bad_alloc();
    if (SHAPE == 4) throw std::logic_error("never");
}
void f(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
    check(n);
}
"""


def task_of(folder: Path, text: str, *command: str) -> KernelTask:
    path = folder / ("kernel.c" if command[:1] == ("gcc",) else "kernel.cpp")
    path.write_text(text)
    kernel = CFrontend().parse(Source(str(path), text)).kernels[0]
    call = kernel.body_as(CKernel).call
    assert call is not None
    return replace(call_task(kernel, call, command or ("g++", "-O2"), TIME), plan=QUICK)


def outcomes(task: KernelTask, *configurations: dict[str, object]) -> list[Outcome]:
    with CompileRun(task) as evaluator:
        return [evaluator.evaluate(Configuration(c)).outcome for c in configurations]  # type: ignore[arg-type]


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
@pytest.mark.slow
def test_what_a_kernel_throws_fails_it_alone(tmp_path: Path) -> None:
    shapes = [{"SHAPE": shape} for shape in (1, 2, 3, 4, 0)]
    error, number, memory, ended, honest = outcomes(task_of(tmp_path, THROWS), *shapes)
    assert isinstance(error, Failed) and error.stage == "crash"
    assert error.log.endswith("an exception left the kernel: std::runtime_error: too far")
    assert isinstance(number, Failed) and number.stage == "crash" and "left the kernel: int" in number.log
    assert isinstance(memory, Failed) and memory.stage == "memory"
    assert isinstance(ended, Failed) and ended.stage == "crash" and "SIGABRT" in ended.log and "never" in ended.log
    assert isinstance(honest, Measured)


@pytest.mark.slow
def test_a_resized_vector_is_compared_with_its_length(tmp_path: Path) -> None:
    text = (
        "#include <vector>\n#pragma tunepass param WRONG: integer(0..1) = 0\n"
        "#pragma tunepass kernel positive(x: in double[1000], y: out double[1000])\n"
        "#ifndef WRONG\n#define WRONG 0\n#endif\n"
        "static void positive(const std::vector<double> &x, std::vector<double> &y) {\n"
        "    y.clear(); for (double v : x) if (v > 0) y.push_back(v); if (WRONG && !y.empty()) y.pop_back(); }\n"
    )
    right, wrong = outcomes(task_of(tmp_path, text), {"WRONG": 0}, {"WRONG": 1})
    assert isinstance(right, Measured) and isinstance(wrong, Failed) and "y.size()" in wrong.log


@pytest.mark.slow
def test_a_static_function_of_c(tmp_path: Path) -> None:
    text = (
        "#pragma tunepass param WRONG: integer(0..1) = 0\n"
        "#pragma tunepass kernel f(n = 7, A: inout double[n*n])\n#ifndef WRONG\n#define WRONG 0\n#endif\n"
        "static int f(short n, double A[n][n]) { A[1][2] = WRONG; return n; }\n"
    )
    right, wrong = outcomes(task_of(tmp_path, text, "gcc", "-O2"), {"WRONG": 0}, {"WRONG": 1})
    assert isinstance(right, Measured) and isinstance(wrong, Failed) and wrong.stage == "wrong_result"


def test_the_ends_of_a_vector_are_watched(tmp_path: Path) -> None:
    text = (
        "#include <vector>\n#pragma tunepass param PAST: integer(0..1) = 0\n"
        "#pragma tunepass kernel f(x: in int[1000], y: out int[1000])\n#ifndef PAST\n#define PAST 0\n#endif\n"
        "void f(const std::vector<int> &x, std::vector<int> &y) { y[0] = 1; for (int i = 0; i < 1000; i++) "
        "y[i + PAST * 64] = x[i]; }\n"
    )
    right, past = outcomes(task_of(tmp_path, text), {"PAST": 0}, {"PAST": 1})
    assert isinstance(right, Measured) and isinstance(past, Failed) and past.stage == "out_of_bounds", past


@pytest.mark.slow
def test_a_source_whose_types_and_variables_are_needed_keeps_its_standard(tmp_path: Path) -> None:
    text = (
        "#include <concepts>\n#include <vector>\n#pragma tunepass param WRONG: integer(0..1) = 0\n"
        "#pragma tunepass kernel own::f<real>(x: inout real[100])\n#ifndef WRONG\n#define WRONG 0\n#endif\n"
        "using real = float;\nnamespace { int calls; }\n"
        "namespace own { template <std::floating_point T> void f(std::vector<T> &x) {\n"
        "    x[0] += 1; calls += 1 + WRONG; } }\n"
    )
    right, wrong = outcomes(task_of(tmp_path, text, "g++", "-O2", "-std=c++20"), {"WRONG": 0}, {"WRONG": 1})
    assert isinstance(right, Measured) and isinstance(wrong, Failed) and "calls" in wrong.log, (right, wrong)


def test_of_two_specialisations_the_one_that_is_named_is_called(tmp_path: Path) -> None:
    text = (
        "namespace lib { enum class Level { NONE, WIDE };\ntemplate <Level L> void fill(int n, double *x);\n"
        "#pragma tunepass param WRONG: integer(0..1) = 0\n"
        "#pragma tunepass kernel fill<lib::Level::WIDE>(n = 64, x: out double[n])\n"
        "#ifndef WRONG\n#define WRONG 0\n#endif\n"
        "template <> void fill<Level::NONE>(int n, double *x) { x[n] = 1; }\n"
        "template <> void fill<Level::WIDE>(int n, double *x) { for (int i = 0; i < n; i++) x[i] = i + WRONG; } }\n"
    )
    right, wrong = outcomes(task_of(tmp_path, text), {"WRONG": 0}, {"WRONG": 1})
    assert isinstance(right, Measured) and isinstance(wrong, Failed) and wrong.stage == "wrong_result"


HEAD = """\
#pragma tunepass param WRONG: integer(0..1) = 0
#pragma tunepass kernel Grid::dot(n = 100, x: in double[n])
#ifndef WRONG
#define WRONG 0
#endif
"""
DECLARED = "static double dot(int n, const double *x)"
DOT = "{ double s = WRONG; for (int i = 0; i < n; i++) s += x[i]; return s; }"
OUTSIDE = f"double Grid::dot(int n, const double *x) {DOT}\n"


@pytest.mark.parametrize(
    "code",
    [
        f"class Grid {{ {DECLARED}; }};\n{OUTSIDE}",
        f"class Grid {{ protected: {DECLARED}; }};\n{OUTSIDE}",
        f"class Grid {{ {DECLARED} {DOT} }};\n",
    ],
    ids=["private", "protected", "in the class"],
)
def test_a_static_method_is_called_whoever_may_call_it(tmp_path: Path, code: str) -> None:
    right, wrong = outcomes(task_of(tmp_path, HEAD + code), {"WRONG": 0}, {"WRONG": 1})
    assert isinstance(right, Measured) and isinstance(wrong, Failed) and wrong.stage == "wrong_result"
