"""What a deep-learning model is read from besides its source: kept by the lock, and stale once it changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frontends.onnx.encoding import model, node, value, weight
from tunepass.cli import main

MODEL = """# tunepass input x: float32[2, 8]
# tunepass param width: ordinal(2, 4, 8) = 4
import torch.nn as nn
from parts import head
width = 4
model = nn.Sequential(nn.Linear(8, width), head(width))
"""
PARTS = "import torch.nn as nn\ndef head(n):\n    return nn.Linear(n, 2)\n"
OWN = "resources: {energy: of one inference}\nHead:\n  inputs: [x]\n  output: x\n  weights: 3 * x[1]\n  energy: 2 * n\n"
USING_OWN = MODEL.replace("from parts import head", "from fancy import Head").replace("head(width)", "Head()")
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command in a folder whose `models` has the source."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "net.py").write_text(MODEL)
    (tmp_path / "models" / "parts.py").write_text(PARTS)
    (tmp_path / "own.yaml").write_text(OWN)

    def call(*words: str) -> tuple[int, str]:
        status = main(list(words))
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return call


def built(run: Run, *words: str) -> None:
    status, printed = run("build", "models/net.py", "-o", "out", *words)
    assert status == 0, printed


def test_a_limit_on_an_unknown_resource_is_told_at_its_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "models" / "net.py").write_text(MODEL + "# tunepass limit weigths <= 9\n")
    status, printed = run("estimate", "models/net.py")
    assert status == 2 and "models/net.py:7:18: error: there is no resource `weigths`" in printed
    assert printed.count("error:") == 1 and "did you mean `weights`?" in printed


def test_an_imported_file_that_changes_makes_the_lock_stale(run: Run, tmp_path: Path) -> None:
    built(run)
    assert run("verify", "models") == (0, "net.py::model: fits\n")
    (tmp_path / "models" / "parts.py").write_text(PARTS.replace("n, 2", "n, 3"))
    status, printed = run("verify", "models")
    assert status == 3 and "source changed: parts.py" in printed


def test_files_that_are_not_imported_may_change(run: Run, tmp_path: Path) -> None:
    built(run)
    (tmp_path / "models" / "other.py").write_text("x = 1\n")
    assert run("verify", "models")[0] == 0


def test_the_users_operators_are_kept_by_the_lock(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "models" / "net.py"
    source.write_text(USING_OWN)
    status, printed = run("estimate", "models/net.py")
    assert status == 2 and "`fancy.Head` is not followed" in printed
    built(run, "--operators", "own.yaml", "--objective", "energy")
    for words in (("verify", "models"), ("explain", "models/net.py"), ("estimate", "models/net.py")):
        status, printed = run(*words)
        assert status == 0, printed
    monkeypatch.chdir(source.parent)
    assert run("verify", "net.py")[0] == 0
    (tmp_path / "own.yaml").write_text(OWN.replace("3 * x[1]", "4 * x[1]"))
    status, printed = run("verify", "net.py")
    assert status == 3 and "own.yaml" in printed
    (tmp_path / "own.yaml").unlink()
    status, printed = run("verify", ".")
    assert status == 3 and "own.yaml" in printed


def test_operators_that_the_command_line_names_come_before_those_of_the_lock(run: Run, tmp_path: Path) -> None:
    (tmp_path / "models" / "net.py").write_text(USING_OWN)
    built(run, "--operators", "own.yaml")
    (tmp_path / "other.yaml").write_text(OWN.replace("3 * x[1]", "5 * x[1]"))
    before = run("estimate", "models/net.py", "--format", "json")[1]
    after = run("estimate", "models/net.py", "--format", "json", "--operators", "other.yaml")[1]
    assert '"weights": 48' in before.replace("48.0", "48") and '"weights": 56' in after.replace("56.0", "56")


def test_a_described_onnx_model_that_changes_makes_the_lock_stale(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "models"

    def write(width: int) -> None:
        made = node("MatMul", ["x", "w"], ["y"])
        text = value(11, "x", ["N", 8]) + weight("w", 8, width) + made + value(12, "y", ["N", width])
        (folder / "net.onnx").write_bytes(model(text))

    write(3)
    (folder / "tune.yaml").write_text("onnx: net.onnx\nparameters:\n  N: ordinal(1, 2, 4) = 1\n")
    status, printed = run("build", "models/tune.yaml", "-o", "out")
    assert status == 0, printed
    assert run("verify", "models")[0] == 0
    write(4)
    status, printed = run("verify", "models")
    assert status == 3 and "net.onnx" in printed
