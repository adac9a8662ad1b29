"""Costs that reports correct: a GPU kernel's registers by those that a compiler reported."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.backends.gpu_kernels import CUDA, fake_nvcc
from tunepass.backends.base import Backend, Target, backend_for
from tunepass.backends.correction import by_residuals, terms_of
from tunepass.evaluators.capabilities import Remembers, ReportsQuantities
from tunepass.expr import algebra as alg
from tunepass.expr.numpy_eval import evaluate
from tunepass.hwmodels.base import Costs
from tunepass.jobs.reading import load
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation
from tunepass.space.space import Space
from tunepass.study.trial import Trial

MATMUL = Path(__file__).parents[2] / "samples" / "cuda" / "matmul.cu"


def registers(costs: Costs, configurations: list[Configuration], space: Space) -> np.ndarray:
    columns = space.columns(configurations)
    return np.asarray(evaluate(costs.values["registers"], columns, len(configurations)).values, float)


def test_registers_that_were_reported_teach_those_of_others() -> None:
    backend = backend_for(load(MATMUL), Target(device="a100", generator="model"))
    space = Space(backend.kernel.parameters, backend.kernel.constraints)
    configurations = space.sample(60, np.random.default_rng(0))
    costs = backend.costs()
    assert costs is not None
    truth = np.minimum(255, np.round(1.4 * registers(costs, configurations, space) + 6))
    amounts = [{"registers": float(n), "spill_byte": 0.0} for n in truth]
    reported = dict(zip(configurations[:20], amounts))
    corrected = backend.corrected(reported)
    assert corrected is not None and corrected.sentence.startswith("registers corrected by 20 reports: off by ")
    errors = [np.abs(registers(c, configurations[20:], space) - truth[20:]).mean() for c in (corrected.costs, costs)]
    assert errors[0] < errors[1] / 2
    assert backend.corrected(dict(list(reported.items())[:5])) is None


def test_reports_of_an_earlier_session_are_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TUNEPASS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{fake_nvcc(tmp_path / 'bin').parent}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "scale.cu").write_text(CUDA)

    def backend() -> Backend:
        return backend_for(load("scale.cu"), Target(device="a100"))

    default = Space(backend().kernel.parameters, backend().kernel.constraints).default
    with backend().evaluator() or pytest.fail("no evaluator") as evaluate:
        outcome = evaluate(default).outcome
        assert isinstance(evaluate, ReportsQuantities) and set(evaluate.reported[default]) == {
            "registers",
            "spill_byte",
        }
    with backend().evaluator() or pytest.fail("no evaluator") as evaluate:
        assert isinstance(evaluate, Remembers) and isinstance(evaluate, ReportsQuantities)
        evaluate.remember([Trial(0, default, outcome)])
        assert list(evaluate.reported) == [default]


def test_any_kind_of_parameter_may_tell_of_a_quantity() -> None:
    parameters = (
        Integer("n", 1, 64),
        Ordinal("few", [3, 4, 5]),
        Categorical("how", ["off", "plain", "flatten"]),
        Categorical("wide", [False, True]),
        Permutation("order", 3),
    )
    assert len(list(terms_of(parameters))) == 5
    costs = Costs({"cycles": alg.lift(1000.0)}, {}, alg.lift(True), {})
    space = Space(parameters)
    configurations = space.sample(40, np.random.default_rng(1))
    factor = {"off": 4.0, "plain": 2.0, "flatten": 1.0}
    reported = {c: {"cycles": 1000 * factor[str(c["how"])], "other": 3.0} for c in configurations[:20]}
    found = by_residuals(costs, parameters, reported)
    assert found is not None and found.sentence.startswith("corrected by 20 reports: cycles off by")
    values = evaluate(found.costs.values["cycles"], space.columns(configurations[20:]), 20).values
    assert values == pytest.approx([1000 * factor[str(c["how"])] for c in configurations[20:]], rel=0.2)
