"""Contract of evaluators. A test class inherits this and supplies the `evaluator`, `good` and `bad` fixtures."""

from __future__ import annotations

import math
import os
import tempfile
from pathlib import Path

import pytest

from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.process.workspace import PREFIX
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Infeasible, Measured


class EvaluatorContract:
    @pytest.fixture
    def evaluator(self) -> Evaluator:
        raise NotImplementedError("supply a fixture that gives a fresh evaluator")

    @pytest.fixture
    def good(self) -> Configuration:
        raise NotImplementedError("supply a configuration that is measured")

    @pytest.fixture
    def bad(self) -> Configuration:
        raise NotImplementedError("supply a configuration that fails")

    def test_a_good_configuration_is_measured(self, evaluator: Evaluator, good: Configuration) -> None:
        with evaluator:
            evaluation = evaluator.evaluate(good)
        assert isinstance(evaluation, Evaluation) and isinstance(evaluation.outcome, Measured)
        assert evaluation.outcome.values and all(math.isfinite(v) for v in evaluation.outcome.values.values())
        assert all(seconds >= 0 for seconds in evaluation.seconds.values())

    def test_a_bad_configuration_is_an_outcome_that_harms_no_other_and_leaves_nothing(
        self, evaluator: Evaluator, good: Configuration, bad: Configuration
    ) -> None:
        with evaluator:
            failed, after = evaluator.evaluate(bad), evaluator(good)
        evaluator.close()  # again
        assert isinstance(failed.outcome, (Failed, Infeasible)) and isinstance(after.outcome, Measured)
        pattern = f"{PREFIX}{os.getpid()}-*"
        assert not any(list(folder.iterdir()) for folder in Path(tempfile.gettempdir()).glob(pattern))
