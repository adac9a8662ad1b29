"""Models that are trained by the user's own command."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tunepass import load
from tunepass.backends.base import Target, default_of
from tunepass.backends.graph import GraphBackend
from tunepass.diagnostics import SourceError, ToolError
from tunepass.evaluators.training import TrainingRun
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.testing.evaluator import EvaluatorContract

SOURCE = """
# tunepass param units: ordinal(2, 4, 8, 1000) = 4
# tunepass param rate: real(0.0..1.0) = 0.5
# tunepass limit weights <= 100
# tunepass run "PYTHON fit.py {source} --rate {rate}" metric "loss: {loss}" limit 20 s
from tensorflow import keras
from tensorflow.keras import layers
units = 4
model = keras.Sequential([keras.Input((3,)), layers.Dense(units)])
"""
FIT = """
import sys
from helper import loss
text = open(sys.argv[1]).read()
units = int(text.split("\\nunits = ")[1].split()[0])
if units == 8:
    sys.exit("no")
print("loss:", loss(units, float(sys.argv[3])) if units != 2 else "none")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(SOURCE.replace("PYTHON", sys.executable))
    (tmp_path / "fit.py").write_text(dedent(FIT))
    (tmp_path / "helper.py").write_text("def loss(units, rate):\n    return units + rate\n")
    return tmp_path


def backend(folder: Path, *objectives: str) -> GraphBackend:
    return GraphBackend(load(folder / "model.py"), Target(objectives=objectives))


def trainer(folder: Path, *objectives: str) -> TrainingRun:
    made = backend(folder, *objectives).evaluator()
    assert isinstance(made, TrainingRun)
    return made


class TestContract(EvaluatorContract):
    @pytest.fixture
    def evaluator(self, folder: Path) -> TrainingRun:
        return trainer(folder)

    @pytest.fixture
    def good(self) -> Configuration:
        return Configuration({"units": 4, "rate": 0.5})

    @pytest.fixture
    def bad(self) -> Configuration:
        return Configuration({"units": 8, "rate": 0.5})


def test_the_numbers_are_those_that_the_command_prints_and_those_that_the_model_knows(folder: Path) -> None:
    with trainer(folder, "loss", "weights") as run:
        outcome = run(Configuration({"units": 4, "rate": 0.25})).outcome
    assert outcome == Measured({"loss": 4.25, "weights": 16}, (4.25,))
    assert not (folder / "__pycache__").exists()


def test_what_is_too_large_is_not_trained(folder: Path) -> None:
    (folder / "fit.py").write_text("open('mark', 'w')\n")
    with trainer(folder) as run:
        assert isinstance(run(Configuration({"units": 1000, "rate": 0.5})).outcome, Infeasible)
    assert not (folder / "mark").exists()


def test_a_command_that_fails_and_one_that_prints_no_number_are_failures(folder: Path) -> None:
    with trainer(folder) as run:
        failed, silent = (run(Configuration({"units": units, "rate": 0.5})).outcome for units in (8, 2))
    assert isinstance(failed, Failed) and failed.stage == "run" and "no" in failed.log
    assert isinstance(silent, Failed) and silent.stage == "metric"


def test_a_default_that_cannot_be_trained_is_the_machines_fault(folder: Path) -> None:
    with trainer(folder) as run:
        run.set_up_again()
        assert run.is_set_up
        (folder / "fit.py").unlink()
        with pytest.raises(SourceError, match=r"fit\.py vanished"):
            run.set_up_again()
    with trainer(folder) as run, pytest.raises(ToolError, match="the default cannot be trained"):
        run.set_up_again()


def test_the_files_that_the_command_reads_are_part_of_the_identity(folder: Path) -> None:
    from tunepass.space.space import Space

    def identity() -> object:
        made = backend(folder)
        return made.identity(Space(made.kernel.parameters, made.kernel.constraints))

    before = identity()
    assert before == identity()
    (folder / "helper.py").write_text("def loss(units, rate):\n    return units\n")
    assert before != identity()
    assert {part.name for manifest in backend(folder).manifests().values() for part in manifest.parts} == {
        "fit.py",
        "helper.py",
    }


def test_the_default_is_that_of_the_source(folder: Path) -> None:
    assert default_of(backend(folder).kernel) == Configuration({"units": 4, "rate": 0.5})
