from __future__ import annotations

import numpy as np
import pytest

from tunepass.space.columns import Columns
from tunepass.space.configuration import Configuration
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Categorical, Integer
from tunepass.space.space import Space
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.strategies.bo.one_at_a_time import change_one_parameter, only_change
from tunepass.study.outcome import Measured, Outcome
from tunepass.surrogates.base import Floats
from tunepass.testing.strategy import Build, StrategyContract, drive, task

SPACE = Space([Integer("x", 0, 9), Categorical("a", ["p", "q", "r"]), Categorical("b", [False, True])])
BEST = Configuration({"x": 4, "a": "p", "b": False})


def near_nine(columns: Columns) -> Floats:
    return np.asarray(columns["x"], dtype=np.float64)


@pytest.mark.slow_tests("exhaust")
class TestProbing(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Bayesian(t, BayesianSettings(surrogate="mixed", derived=True, one_at_a_time=2))


def changed(**values: int | str | bool) -> Configuration:
    return Configuration({**BEST, **values})


def test_only_change() -> None:
    assert only_change(BEST, changed(x=5)) == "x"
    assert only_change(BEST, BEST) is None and only_change(BEST, changed(x=5, b=True)) is None


def test_the_most_useful_change_of_a_parameter_not_changed_alone_yet() -> None:
    around = Neighbourhood(SPACE)
    assert change_one_parameter(BEST, {BEST}, around, near_nine) == changed(x=9)
    second = change_one_parameter(BEST, {BEST, changed(x=5)}, around, near_nine)
    assert second is not None and only_change(BEST, second) in ("a", "b")
    assert change_one_parameter(
        BEST, {BEST, changed(x=5), changed(a="q"), changed(b=True, x=3)}, around, near_nine
    ) == changed(b=True)


def test_numbers_go_to_the_ends_of_their_feasible_range_once_all_were_changed() -> None:
    around, taken = Neighbourhood(SPACE), {BEST, changed(x=5), changed(a="q"), changed(b=True)}
    assert change_one_parameter(BEST, taken, around, near_nine) == changed(x=9)
    assert change_one_parameter(BEST, {*taken, changed(x=9)}, around, near_nine) == changed(x=0)
    assert change_one_parameter(BEST, {*taken, changed(x=9), changed(x=0)}, around, near_nine) is None
    narrow = Neighbourhood(Space(SPACE.parameters, ["x <= 7 or b", "x >= 2"]))
    assert change_one_parameter(BEST, taken, narrow, near_nine) == changed(x=7)
    assert change_one_parameter(BEST, {*taken, changed(x=7)}, narrow, near_nine) == changed(x=2)


def test_nothing_that_has_no_utility() -> None:
    assert (
        change_one_parameter(BEST, {BEST}, Neighbourhood(SPACE), lambda columns: np.full(len(columns["x"]), -np.inf))
        is None
    )


def test_a_switch_that_helps_the_best_alone_is_found() -> None:
    space = Space([Integer("x", 0, 31), Integer("y", 0, 31), Categorical("shared", [True, False])])

    def run(c: Configuration) -> Outcome:
        x, y = int(str(c["x"])), int(str(c["y"]))
        far = abs(x - 25) + abs(y - 6)
        return Measured({"time": 10.0 + far + (0 if c["shared"] else (30 if far > 4 else -9))})

    def least(every: int, seed: int) -> float:
        settings = BayesianSettings(surrogate="mixed", one_at_a_time=every)
        seen = drive(Bayesian(task(space, seed=seed, max_evals=25), settings), 25, run)
        return min(o.values["time"] for c in seen if isinstance(o := run(c), Measured))

    assert np.mean([least(3, seed) for seed in range(4)]) <= np.mean([least(0, seed) for seed in range(4)])
