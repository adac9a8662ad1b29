"""Trials as a table, and the importance of parameters."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import tunepass as tp
from tests.study.studies import RATE, TIME, Shuffled, space, study
from tunepass.study.results.importance import importance_of_values
from tunepass.study.study import Study


def some_trials() -> Study:
    some = study()
    first, second, third, fourth = some.suggest(4)
    some.observe(first, tp.Measured({"time": 2.0}), seconds={"compile": 1.0, "measure": 0.5})
    some.observe(second, tp.Measured({"time": 3.0}, censored=True))
    some.observe(third, tp.Failed("crash"))
    some.observe(fourth, tp.Infeasible("fits"))
    return some


def test_columns_have_one_entry_a_trial() -> None:
    columns = some_trials().trials_columns()
    assert list(columns) == [
        *("number", "values_time", "params_tile", "params_unroll", "params_opt", "state", "reason", "seconds")
    ]
    assert columns["values_time"] == [2.0, 3.0, None, None]
    assert columns["state"] == ["measured", "censored", "failed", "infeasible"]
    assert columns["reason"] == [None, None, "crash", "fits"]
    assert columns["seconds"] == [1.5, 0, 0, 0] and columns["params_tile"][0] == 16


def test_an_objective_and_a_parameter_of_one_name_are_two_columns() -> None:
    some = Study(tp.Space([tp.Integer("time", 1, 3)]), [TIME, RATE])
    some.observe({"time": 2}, tp.Measured({"time": 0.5, "rate": 7.0}))
    columns = some.trials_columns()
    assert (columns["values_time"], columns["values_rate"], columns["params_time"]) == ([0.5], [7.0], [2])


def test_the_dataframe_is_of_pandas_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    some, pandas = some_trials(), ModuleType("pandas")
    pandas.DataFrame = lambda columns: ("frame", columns)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert some.trials_dataframe() == ("frame", some.trials_columns())
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert some.trials_dataframe() == some.trials_columns()


def test_the_parameter_that_decides_is_the_most_important() -> None:
    some = study()
    some.optimize(lambda trial: 2.0 if trial["opt"] == "-O2" else 1.0)
    shares = some.importance()
    assert next(iter(shares)) == "opt" and set(shares) == {"opt", "tile", "unroll"}
    assert all(0 <= share <= 1 for share in shares.values()) and list(shares.values()) == sorted(
        shares.values(), reverse=True
    )
    assert some.importance("time") == shares


def test_importance_is_that_of_one_objective_and_needs_five_trials() -> None:
    some = Study(space(), [TIME, RATE], strategy=Shuffled)
    some.optimize(lambda trial: (float(trial["tile"]), float(trial["unroll"])), n_trials=4)  # type: ignore[arg-type]
    assert some.importance("rate") == {}
    some.optimize(lambda trial: (float(trial["tile"]), float(trial["unroll"])))  # type: ignore[arg-type]
    assert next(iter(some.importance("time"))) == "tile" and next(iter(some.importance("rate"))) == "unroll"
    with pytest.raises(tp.StudyError, match="single objective"):
        some.importance()
    with pytest.raises(tp.StudyError, match="no objective 'tim'"):
        some.importance("tim")


def test_importance_without_a_space_is_that_of_the_values_that_occur() -> None:
    parameters = [
        tp.Real("x", 0.0, 1.0),
        tp.Categorical("kind", ["a", None, "b"]),
        tp.Categorical("flag", [True, False]),
        tp.Permutation("order", ["i", "j"]),
        tp.Permutation("places", 3),
        tp.Integer("fixed", 1, 9),
    ]
    some = Study(tp.Space(parameters, ["fixed == 3"]), [TIME], strategy="random")
    some.optimize(lambda trial: 1.0 if trial["x"] < 0.3 else 2.0, n_trials=60)  # type: ignore[operator]
    shares = importance_of_values(TIME, some.trials)
    assert next(iter(shares)) == "x" and set(shares) == {"x", "kind", "flag", "order", "places"}
    assert importance_of_values(TIME, []) == {} == importance_of_values(TIME, some.trials[:3])
