"""TunepassTechnique in pyATF's tuner."""

from __future__ import annotations

import pytest

pytest.importorskip("pyatf", reason="pyATF is not installed: pip install 'tunepass[pyatf]'")

from pyatf import TP, Interval, Tuner
from pyatf import Set as Values
from pyatf.abort_conditions import Evaluations
from pyatf.search_space import SearchSpace
from pyatf.tuning_data import CostFunctionError

import tunepass as tp
from tunepass.integrations.pyatf import TunepassTechnique

PARAMETERS = (
    TP("tile", Interval(1, 24)),
    TP("unroll", Interval(1, 24), lambda unroll, tile: tile % unroll == 0),
    TP("layout", Values("rows", "columns")),
)


def cost(configuration: dict[str, object]) -> float:
    if configuration["unroll"] == 12:
        raise CostFunctionError("too many registers")
    return (
        abs(int(str(configuration["tile"])) - 18)
        + int(str(configuration["unroll"])) / 4
        + (configuration["layout"] == "rows")
    )


def tuned(technique: TunepassTechnique, evaluations: int) -> tuple[dict[str, object], float]:
    tuner = Tuner().tuning_parameters(*PARAMETERS).search_technique(technique).verbosity(0)
    configuration, lowest, _ = tuner.tune(cost, Evaluations(evaluations))
    return configuration, lowest


def test_the_tuner_searches_as_a_native_study() -> None:
    space = SearchSpace(*PARAMETERS, enable_1d_access=True, verbosity=0)
    technique = TunepassTechnique(space, seed=0)
    configuration, lowest = tuned(technique, 25)
    assert lowest == 0.25 and configuration == {"tile": 18, "unroll": 1, "layout": "columns"}
    native = tp.Study(technique.study.space, [tp.Objective("cost")], seed=0)
    for trial in technique.study.trials:
        (suggested,) = native.suggest()
        assert suggested == trial.configuration
        native.observe(suggested, trial.outcome)


def test_invalid_costs_are_failures_and_points_come_again_at_the_end() -> None:
    few = SearchSpace(TP("unroll", Interval(11, 13)), enable_1d_access=True, verbosity=0)
    technique = TunepassTechnique(few, seed=0)
    technique.initialize(3)
    technique.report_costs({})
    for _ in range(5):
        (index,) = technique.get_next_indices()
        technique.report_costs({index: None if few.get_configuration(index)["unroll"] == 12 else 1.0})
    assert len(technique.study.trials) == 3 and technique.study.failures == {"run": 1}


def test_what_does_not_fit() -> None:
    with pytest.raises(tp.StudyError, match="parameters or a search space of pyATF"):
        TunepassTechnique(7)  # type: ignore[arg-type]
    technique = TunepassTechnique(SearchSpace(PARAMETERS[0], enable_1d_access=True, verbosity=0))
    with pytest.raises(tp.StudyError, match="searches 84 points, the technique 24"):
        technique.initialize(84)
    with pytest.raises(tp.StudyError, match="the search space has no points"):
        TunepassTechnique([TP("tile", Interval(1, 4), lambda tile: tile > 4)])


def test_parameters_are_enough_and_lists_are_values() -> None:
    orders = TP("order", Values([0, 1], [1, 0]))
    technique = TunepassTechnique([*PARAMETERS, orders], seed=0)
    tuner = Tuner().tuning_parameters(*PARAMETERS, orders).search_technique(technique).verbosity(0)
    configuration, _, _ = tuner.tune(lambda c: cost(c) + c["order"][0], Evaluations(20))
    assert configuration["order"] == [0, 1]


def test_of_a_large_space_points_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tunepass.integrations.pyatf.MOST_POINTS", 50)
    with pytest.warns(UserWarning, match="of 168 points 50 are searched, which are drawn at random"):
        technique = TunepassTechnique(PARAMETERS, seed=0)
    assert technique.study.space.size == 50
    with pytest.warns(UserWarning):
        assert TunepassTechnique(PARAMETERS, seed=0).study.space.size == 50
    configuration, lowest = tuned(technique, 25)
    assert lowest < 5 and configuration["tile"] % configuration["unroll"] == 0  # type: ignore[operator]
