"""The backend of deep-learning models: what is searched for, and a sample that is trained."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tunepass import load
from tunepass.backends.base import Target, default_of
from tunepass.backends.graph import GraphBackend
from tunepass.diagnostics import TunepassError
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space
from tunepass.study.outcome import Infeasible, Measured
from tunepass.testing.backend import BackendContract

SAMPLES = Path(__file__).parents[2] / "samples" / "dnn"


def sample(*objectives: str) -> GraphBackend:
    return GraphBackend(load(SAMPLES / "digits_keras.py"), Target(objectives=objectives))


class TestContract(BackendContract):
    @pytest.fixture
    def kernel(self) -> Kernel:
        return load(SAMPLES / "digits_keras.py")

    @pytest.fixture
    def target(self) -> Target:
        return Target()


def test_metrics_are_searched_for_and_what_the_model_knows_may_be_too() -> None:
    assert [objective.name for objective in sample().objectives()] == ["loss"]
    assert [(o.name, o.unit) for o in sample("loss", "flops").objectives()] == [("loss", ""), ("flops", "FLOP")]
    with pytest.raises(TunepassError, match="has 'los'") as raised:
        sample("los").objectives()
    assert raised.value.diagnostics[0].hint == "did you mean 'loss'?"


def test_the_sample_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    made = sample("loss", "weights")
    evaluator = made.evaluator()
    assert evaluator is not None
    default = default_of(made.kernel)
    with evaluator as run:
        outcome = run(default).outcome
        large = run(default.replace(units1=128)).outcome
    assert isinstance(outcome, Measured) and 2 < outcome.values["loss"] < 3 and outcome.values["weights"] == 1210
    assert isinstance(large, Infeasible)


def test_what_is_too_large_is_no_part_of_the_search() -> None:
    made = sample()
    limits = made.limits()
    assert [limit.text for limit in limits] == ["weight_byte <= 8 kB"]
    assert Space(made.kernel.parameters, limits).size == 1344
