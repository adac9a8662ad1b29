from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from tunepass.diagnostics import StudyError
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.study import Study
from tunepass.study.trust import rank_correlation


def test_rank_correlation_is_spearman_s_also_with_ties() -> None:
    rng = np.random.default_rng(0)
    for high in (3, 1000):
        a, b = rng.integers(0, high, 40), rng.integers(0, high, 40)
        assert rank_correlation(a, b) == pytest.approx(spearmanr(a, b).statistic)
    assert rank_correlation([1.0, 1.0], [1.0, 2.0]) == 0.0
    assert rank_correlation([], []) == rank_correlation([1.0], [2.0]) == 0.0


def studied(text: str, maximise: bool = False) -> Study:
    space = Space([Integer("x", 0, 40), Integer("y", 0, 5)])
    objective = Objective("speed" if maximise else "time", maximise=maximise)
    study = Study(space, [objective], prior_mean=PriorMean.from_expression(text), max_evals=15)
    while not study.finished:
        for c in study.suggest(1):
            x, y = c["x"], c["y"]
            assert isinstance(x, int) and isinstance(y, int)
            time = 1.0 + (x - 30) ** 2 + y
            value = Measured({objective.name: 1 / time if maximise else time})
            study.observe(c, Failed("compile", "") if y == 5 else value)
    return study


def test_trust_is_measured_and_shown() -> None:
    right, wrong = studied("(x - 30) ** 2 + y + 10"), studied("2000 - (x - 30) ** 2")
    assert right.trust is not None and wrong.trust is not None and right.best is not None
    assert right.trust.rank_correlation > 0.9 and right.trust.trials <= 15
    assert right.trust.weight is not None and right.trust.weight > 0.5
    assert wrong.trust.rank_correlation < 0
    assert right.best.configuration["x"] == 30


def test_a_maximised_objective_has_a_prior_of_the_same_direction() -> None:
    study = studied("1 / (1 + (x - 30) ** 2)", maximise=True)
    assert study.trust is not None and study.trust.rank_correlation > 0.5
    assert study.best is not None and study.best.configuration["x"] == 30


def test_the_recall_of_feasible_trials_is_shown_once_something_failed() -> None:
    space = Space([Integer("x", 0, 40), Integer("y", 0, 5)])
    for strategy, shown in (("auto", True), ("bayesian", True), ("hypermapper", True), ("random", False)):
        study = Study(space, [Objective("time")], strategy=strategy, max_evals=24)
        assert study.feasible_recall is None
        while not study.finished:
            for c in study.suggest(1):
                x = c["x"]
                assert isinstance(x, int)
                study.observe(c, Failed("compile", "") if x < 8 or c["y"] == 5 else Measured({"time": 1.0 + x}))
        assert (study.feasible_recall is not None) == (shown and "compile" in study.failures)
        assert study.feasible_recall is None or 0.5 < study.feasible_recall <= 1


def test_without_a_prior_mean_there_is_no_trust_and_with_several_objectives_no_prior_mean() -> None:
    space = Space([Integer("x", 0, 4)])
    assert Study(space, [Objective("time")]).trust is None
    with pytest.raises(StudyError, match="single objective"):
        Study(space, [Objective("time"), Objective("area")], prior_mean=PriorMean.from_expression("x"))
    fresh = Study(space, [Objective("time")], prior_mean=PriorMean.from_expression("x"))
    assert fresh.trust is not None and fresh.trust.trials == 0
