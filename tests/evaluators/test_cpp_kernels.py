"""Kernels of C++ in their harness: what they throw, and how they are called."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluators.kernels import QUICK
from tunepass.backends.c import TIME
from tunepass.backends.c_tasks import call_task
from tunepass.diagnostics import Source
from tunepass.evaluators.compile_run import CompileRun, KernelTask
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
    path = folder / "kernel.cpp"
    path.write_text(text)
    kernel = CFrontend().parse(Source(str(path), text)).kernels[0]
    call = kernel.body_as(CKernel).call
    assert call is not None
    return replace(call_task(kernel, call, command or ("g++", "-O2"), TIME), plan=QUICK)


def outcomes(task: KernelTask, *configurations: dict[str, object]) -> list[Outcome]:
    with CompileRun(task) as evaluator:
        return [evaluator.evaluate(Configuration(c)).outcome for c in configurations]  # type: ignore[arg-type]


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
def test_what_a_kernel_throws_fails_it_alone(tmp_path: Path) -> None:
    shapes = [{"SHAPE": shape} for shape in (1, 2, 3, 4, 0)]
    error, number, memory, ended, honest = outcomes(task_of(tmp_path, THROWS), *shapes)
    assert isinstance(error, Failed) and error.stage == "crash"
    assert error.log.endswith("an exception left the kernel: std::runtime_error: too far")
    assert isinstance(number, Failed) and number.stage == "crash" and "left the kernel: int" in number.log
    assert isinstance(memory, Failed) and memory.stage == "memory"
    assert isinstance(ended, Failed) and ended.stage == "crash" and "SIGABRT" in ended.log and "never" in ended.log
    assert isinstance(honest, Measured)
