"""Every source in docs/pragmas.md is read by its frontend without a warning, and compiles untouched."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.gpu.frontend import GpuFrontend

TEXT = (Path(__file__).parents[1] / "docs" / "pragmas.md").read_text()
BLOCKS = re.findall(r"^```(c|cpp)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
GPU_BLOCKS = re.findall(r"^```(cuda|opencl)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
COMPILERS = {"c": ["gcc"], "cpp": ["g++", "-std=c++20"]}


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block(number: int, tmp_path: Path) -> None:
    suffix, text = BLOCKS[number]
    parsed = CFrontend().parse(Source(f"pragmas.{suffix}", text))
    assert parsed.kernels and not parsed.warnings
    compiler = COMPILERS[suffix]
    if shutil.which(compiler[0]):
        (tmp_path / f"block.{suffix}").write_text(text)
        words = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only", f"block.{suffix}"]
        subprocess.run([*compiler, *words], cwd=tmp_path, check=True, timeout=60)


@pytest.mark.parametrize("number", range(len(GPU_BLOCKS)))
def test_gpu_block(number: int, tmp_path: Path) -> None:
    language, text = GPU_BLOCKS[number]
    parsed = GpuFrontend().parse(Source("pragmas.cu" if language == "cuda" else "pragmas.cl", text))
    assert parsed.kernels and not parsed.warnings
    if language == "cuda" and shutil.which("nvcc"):
        (tmp_path / "block.cu").write_text(text)
        subprocess.run(["nvcc", "-ptx", "block.cu"], cwd=tmp_path, check=True, timeout=120, capture_output=True)


@pytest.mark.parametrize("form", re.findall(r"^\| `?(?:\w+)`? \| [^|]* \| (`.*`) \|$", TEXT, re.MULTILINE))
def test_forms_in_the_table_of_kinds(form: str) -> None:
    for values in re.findall(r"`([^`]+)`", form):
        items = re.findall(r"\w+", values)
        uses = " + ".join(["P", *(f"P_{item}" for item in (items[1:] if items[0] == "permutation" else []))])
        text = (
            f"#pragma tunepass param P: {values}\n#pragma tunepass kernel f(y: out double[8])\n"
            f"void f(double *y) {{ y[0] = {uses} + P_0; }}\n"
        )
        assert CFrontend().parse(Source("t.c", text)).kernels
