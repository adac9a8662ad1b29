"""The user's own operators and resources, for models in Python and in ONNX."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.cli import main
from tunepass.diagnostics import Source, TunepassError
from tunepass.expr import algebra
from tunepass.frontends.base import OPERATORS
from tunepass.graphs.values import GraphError
from tunepass.hwmodels.dnn.model import priced
from tunepass.ir.graph import Graph
from tunepass.jobs.reading import parse

TABLE = """
resources: {energy: picojoules of one inference}
FancyNorm:
  inputs: [x]
  attributes: {groups: size = 4}
  requires: {"x[1] % groups == 0": groups have to divide the channels}
  output: x
  weights: 3 * x[1]
  energy: 2 * n
"""
MODEL = """
# tunepass input x: float32[2, 8]
# tunepass param g: ordinal(2, 3, 4) = 2
import torch.nn as nn
import fancy
g = 2
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = fancy.FancyNorm(groups=g)
    def forward(self, x):
        return self.norm(x)
"""
LISTED = """opset 17
input x: float32[2, 8]
weight w: float32[3, 8]
y = fancy.FancyNorm(x, w, groups=2)
output y
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.yaml").write_text(TABLE)
    (tmp_path / "plain.py").write_text(MODEL)
    (tmp_path / "stated.py").write_text('# tunepass operators "own.yaml"' + MODEL)
    return tmp_path


@pytest.mark.parametrize(("name", "words"), [("stated.py", ()), ("plain.py", ("own.yaml",))])
def test_a_layer_of_the_users(folder: Path, name: str, words: tuple[str, ...]) -> None:
    given = [f"{OPERATORS}{folder / word}" for word in words]
    (kernel,) = parse(folder / name, words=given).kernels
    costs = priced(kernel.body_as(Graph), None)
    assert algebra.number(costs.values["weights"]) == 24 and algebra.number(costs.values["energy"]) == 32
    assert len(kernel.constraints) == 1  # 3 groups do not divide 8 channels


def test_an_onnx_operator_of_the_users(folder: Path) -> None:
    """Inputs beyond the row's are its weights."""
    source = Source(str(folder / "net.onnx"), LISTED)
    (kernel,) = parse(source, words=[f"{OPERATORS}{folder / 'own.yaml'}"]).kernels
    assert algebra.number(priced(kernel.body_as(Graph), None).values["weights"]) == 24


def test_the_command_line_names_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", str(folder / "plain.py"), "--operators", str(folder / "own.yaml")]) == 0
    out = capsys.readouterr().out
    assert "energy          32" in out and "weights         24" in out


def test_without_the_table_the_layer_is_not_known(folder: Path) -> None:
    with pytest.raises(TunepassError, match="not followed"):
        parse(folder / "plain.py")


def test_what_is_wrong_with_the_table_is_told_there(folder: Path) -> None:
    (folder / "own.yaml").write_text(TABLE.replace("output: x", "output: x +"))
    with pytest.raises(GraphError, match=r"own\.yaml:7:11"):
        parse(folder / "stated.py")


@pytest.mark.parametrize("name", ["../own.yaml", "/etc/passwd"])
def test_a_source_names_no_file_elsewhere(folder: Path, name: str) -> None:
    (folder / "stated.py").write_text(f'# tunepass operators "{name}"' + MODEL)
    with pytest.raises(TunepassError, match="in its folder, or below"):
        parse(folder / "stated.py")


def test_other_sources_have_no_operators(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text("// tunepass kernel\nvoid f(void) {}\n")
    with pytest.raises(TunepassError, match="about deep-learning models"):
        parse(tmp_path / "k.c", words=[f"{OPERATORS}own.yaml"])
