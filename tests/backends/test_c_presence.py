"""Kernels with a macro that is defined or not: what they are judged by, and what their locks depend on."""

from __future__ import annotations

from pathlib import Path

from tunepass.backends.base import Target
from tunepass.backends.c.backend import TIME, CBackend
from tunepass.backends.c.tasks import call_task
from tunepass.diagnostics import Source
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space

ASKS = "#ifdef X\n*y += 2;\n#else\n*y += 1;\n#endif\n"
USES = "#ifndef X\n#define X 0\n#endif\n*y += X;\n"


def kernel_of(folder: Path, body: str) -> Kernel:
    head = "#pragma tunepass param X: categorical(false, true) = false\n#pragma tunepass kernel f(y: inout int[1])\n"
    path = folder / "f.c"
    path.write_text(f"{head}void f(int *y) {{\n{body}}}\n")
    return CFrontend().parse(Source(str(path), path.read_text())).kernels[0]


def test_the_reference_leaves_it_undefined_as_the_default_does(tmp_path: Path) -> None:
    kernel = kernel_of(tmp_path, ASKS)
    call = kernel.body_as(CKernel).call
    assert call is not None
    assert call_task(kernel, call, ("gcc", "-O2"), TIME).reference.defines == ("-UX",)


def test_results_of_other_words_for_false_are_not_taken_over(tmp_path: Path) -> None:
    versions = []
    for body in (ASKS, USES):
        kernel = kernel_of(tmp_path, body)
        backend = CBackend(kernel, Target(compiler=("gcc", "-O2")))
        versions.append(backend.identity(Space(kernel.parameters)).harness)
    asked, used = versions
    assert asked == f"{used} presence"
