"""Losses near the ends of what a float holds, and ranges there: searched without a warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tests.study.studies import TIME
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Parameter, Real
from tunepass.space.space import Space
from tunepass.strategies.base import Task
from tunepass.strategies.history import TrialHistory
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.study import Study
from tunepass.study.trial import Trial

REALS: list[Parameter] = [Real("x", 0.0, 1.0), Real("y", 0.0, 1.0)]
MIXED: list[Parameter] = [Real("x", 0.0, 1.0), Integer("y", 1, 9)]
TINY: list[Parameter] = [Real("x", 5e-324, 1e-310), Real("y", 1e-300, 1e300, log=True)]


def searched(
    parameters: list[Parameter], factor: float, objectives: int = 1, constraints: tuple[str, ...] = ()
) -> Study:
    names = ["a", "b", "c", "d"][:objectives]
    some = Study(Space(parameters, constraints), [Objective(name) for name in names], max_evals=13)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        while not some.finished:
            for c in some.suggest():
                x, y = c["x"], c["y"]
                assert isinstance(x, float) and isinstance(y, (int, float))
                value = factor * (x - 0.5) if factor > 1 else factor * int(100 * x)
                some.observe(c, Measured({name: value * (k + 1) / 3 for k, name in enumerate(names)}))
    return some


@pytest.mark.parametrize("factor", [1e200, 1.5e308, 5e-324])
@pytest.mark.parametrize("parameters", [REALS, MIXED], ids=["reals", "mixed"])
@pytest.mark.each_value
def test_extreme_losses(parameters: list[Parameter], factor: float) -> None:
    some = searched(parameters, factor)
    assert some.best is not None and some.recommended is not None


@pytest.mark.parametrize("factor", [1e200, 5e-324])
def test_extreme_losses_of_several_objectives(factor: float) -> None:
    assert searched(MIXED, factor, 2).pareto and searched(REALS, factor, 3).pareto
    assert searched(REALS, factor, 4).pareto and searched(MIXED, factor, 4).pareto


def test_extreme_ranges_and_constraints() -> None:
    assert len(searched(TINY, 1.0).trials) == 13
    wide: list[Parameter] = [Real("x", 0.0, 1e200), Real("y", 0.0, 1e200)]
    assert len(searched(wide, 1.0, constraints=("x * y <= 1e210",)).trials) == 13


def test_losses_are_told_in_units_only_where_they_are_extreme() -> None:
    def history(*values: float) -> TrialHistory:
        kept = TrialHistory(Task(space=Space([Integer("a", 0, 9)]), objectives=(TIME,)))
        for n, value in enumerate(values):
            kept.observe(Trial(n, Configuration({"a": n}), Measured({"time": value}, deviation={"time": value / 10})))
        return kept

    plain = history(1e-90, 3.0, 1e90)
    assert plain.units.tolist() == [1.0] and plain.losses[:, 0].tolist() == [1e-90, 3.0, 1e90]
    large = history(3e200, 1e200)
    ratio = large.losses[0, 0] / large.losses[1, 0]
    assert np.frexp(large.units[0])[0] == 0.5 and ratio == 3e200 / 1e200 and large.losses.max() < 1e101
    assert large.measurements[0].deviation["time"] == 3e199 / large.units[0]
