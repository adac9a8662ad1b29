"""docs/halide.md and samples/halide: the examples run, and the benchmark's pipelines have spaces."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("halide", reason="needs the extra halide")

from tests.benchmarks.halide.apps import APPS
from tests.program import run_python
from tunepass.integrations import halide

ROOT = Path(__file__).parents[3]
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/halide.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "written"), [(0, ["blur_y_schedule.h", "blur_y_schedule.py"]), (1, [])], ids=["schedule", "generator"]
)
def test_the_examples_run(tmp_path: Path, number: int, written: list[str]) -> None:
    shutil.copytree(ROOT / "samples/halide", tmp_path / "samples/halide")
    program = tmp_path / "example.py"
    program.write_text(re.sub(r"max_evals=\d+", "max_evals=2", BLOCKS[number]))
    done = run_python(program, tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.glob("blur_y_schedule.*")) == written
    assert number == 0 or "lanes=" in done.stdout


def test_the_document_has_two_examples() -> None:
    assert len(BLOCKS) == 2


def test_the_benchmark_s_matrix_product_orders_its_reduction() -> None:
    problem = halide.Problem(APPS["matmul"]())
    assert "order_product_1" in {parameter.name for parameter in problem.kernel.parameters}
