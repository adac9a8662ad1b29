"""docs/mlir.md and samples/mlir: the example runs, the sample is read, and measured where MLIR is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("xdsl", reason="needs the extra xdsl")

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.parser import Parser

from tests.program import run_python
from tunepass.integrations.xdsl.constraints import read_constraints
from tunepass.integrations.xdsl.knobs import read_knobs

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "samples/mlir"
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/mlir.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_examples_run(number: int, tmp_path: Path) -> None:
    program = tmp_path / "example.py"
    program.write_text(BLOCKS[number])
    done = run_python(program, tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_sample_has_three_knobs_and_a_constraint() -> None:
    context = Context(allow_unregistered=True)
    for name, dialect in get_all_dialects().items():
        context.register_dialect(name, dialect)
    module = Parser(context, (SAMPLE / "matmul.mlir").read_text()).parse_module()
    knobs = read_knobs(module)
    assert {p.name: p.default for p in knobs.parameters} == {"tile_m": 4, "tile_n": 8, "tile_k": 8}
    assert [text for _, text in read_constraints(module, knobs)] == ["(tile_m * tile_n) <= 512"]


@pytest.mark.slow
def test_the_sample_is_measured() -> None:
    """Lowered, run and compared with NumPy by MLIR."""
    pytest.importorskip("torch_mlir", reason="needs MLIR: pip install torch-mlir --no-deps")
    words = [sys.executable, SAMPLE / "price.py", SAMPLE / "matmul.mlir"]
    assert float(subprocess.run(words, capture_output=True, text=True, check=True).stdout) > 0
