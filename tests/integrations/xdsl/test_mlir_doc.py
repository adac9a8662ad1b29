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
from tunepass.integrations.mlir.constraints import read_constraints
from tunepass.integrations.mlir.knobs import read_knobs
from tunepass.integrations.xdsl.reader import XdslReader

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "samples/mlir"
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/mlir.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_examples_run(number: int, tmp_path: Path) -> None:
    if "torch_mlir" in BLOCKS[number]:
        pytest.importorskip("torch_mlir", reason="needs the extra mlir")
    program = tmp_path / "example.py"
    program.write_text(BLOCKS[number])
    done = run_python(program, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "defaults", "constraints"),
    [
        ("matmul", {"tile_m": 2, "tile_n": 8, "tile_k": 1}, ["(tile_m * tile_n) <= 512"]),
        ("stencil", {"rows": 1, "width": 4, "order": 0, "factor": 1}, []),
    ],
)
def test_the_samples_have_knobs_and_constraints(name: str, defaults: dict[str, int], constraints: list[str]) -> None:
    context = Context(allow_unregistered=True)
    for known, dialect in get_all_dialects().items():
        context.register_dialect(known, dialect)
    module = Parser(context, (SAMPLE / f"{name}.mlir").read_text()).parse_module()
    knobs = read_knobs(module, XdslReader())
    assert {p.name: p.default for p in knobs.parameters} == defaults
    assert [text for _, text in read_constraints(module, knobs)] == constraints


@pytest.mark.slow
@pytest.mark.parametrize("name", ["matmul", "stencil"])
def test_the_samples_are_measured(name: str) -> None:
    """Lowered, run and compared with NumPy by MLIR."""
    pytest.importorskip("torch_mlir", reason="needs the extra mlir")
    words = [sys.executable, SAMPLE / "price.py", SAMPLE / f"{name}.mlir"]
    assert float(subprocess.run(words, capture_output=True, text=True, check=True).stdout) > 0
