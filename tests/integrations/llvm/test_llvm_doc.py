"""docs/llvm.md and samples/llvm: the example runs, and the sample's module is read."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import tunepass as tp

pytest.importorskip("llvmlite", reason="needs the extra llvm")

from tests.program import run_python
from tunepass.integrations import llvm

ROOT = Path(__file__).parents[3]
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/llvm.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_example_runs(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples/llvm", tmp_path / "samples/llvm")
    (block,) = BLOCKS
    program = tmp_path / "example.py"
    program.write_text(block.replace("max_evals=40", "max_evals=2"))
    done = run_python(program, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "matmul.tuned.py").exists() and (tmp_path / "matmul.tuned.ll").exists()


def test_the_module_of_the_sample_has_its_function() -> None:
    array = llvm.Array("double", "n * n")
    source = tp.Source("matmul.ll", (ROOT / "samples/llvm/matmul.ll").read_text())
    function = llvm.Function(source, "matmul", {"n": llvm.Scalar(8), "a": array, "b": array, "c": array})
    assert function.call.prototype == "void matmul(int n, double *a, double *b, double *c)"
