"""The samples: read without a warning, compiled untouched and with every parameter away from its default."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import defines
from tunepass.ir.c_kernel import CKernel
from tunepass.space.configuration import Configuration

SAMPLES = sorted((Path(__file__).parents[3] / "samples" / "c").glob("*.c*"))


def compiles(path: Path, *arguments: str) -> None:
    compiler = "gcc" if path.suffix == ".c" else "g++"
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    command = [compiler, "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror", "-fopenmp", "-fsyntax-only"]
    found = subprocess.run([*command, *arguments, str(path)], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.name)
def test_sample(path: Path) -> None:
    parsed = CFrontend().parse(Source(str(path), path.read_text()))
    assert parsed.kernels and not parsed.warnings
    compiles(path)
    for kernel in parsed.kernels:
        last = Configuration({p.name: p.domain[-1] for p in kernel.parameters})
        compiles(path, *defines(kernel, last))


def test_there_are_four_kinds() -> None:
    kernels = [CFrontend().parse(Source(p.name, p.read_text())).kernels[0] for p in SAMPLES]
    assert len(kernels) >= 4 and any(k.body_as(CKernel).run for k in kernels)
    assert any("#pragma omp" in p.read_text() for p in SAMPLES)
