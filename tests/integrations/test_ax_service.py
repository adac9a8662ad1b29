"""The client of Ax's service API, and its loop."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import tunepass as tp
from tunepass.diagnostics import StudyError
from tunepass.integrations.ax import AxClient, Client, ObjectiveProperties, RangeParameterConfig, optimize

X = {"name": "x", "type": "range", "bounds": [0.0, 4.0]}
PARAMETERS = [
    X,
    {"name": "rate", "type": "range", "bounds": [1e-4, 1], "value_type": "float", "log_scale": True},
    {"name": "n", "type": "range", "bounds": [1, 9]},
    {"name": "width", "type": "choice", "values": [16, 32, 64], "is_ordered": True},
    {"name": "kind", "type": "choice", "values": ["a", "b"]},
    {"name": "fixed", "type": "fixed", "value": 0.5},
    {"name": "share", "type": "range", "bounds": [0.0, 1.0], "digits": 1},
]


def client_of(parameters: Any = (X,), **options: Any) -> AxClient:
    client = AxClient(random_seed=0)
    client.create_experiment(list(parameters), **{"objectives": {"loss": ObjectiveProperties(True)}, **options})
    return client


def test_dictionaries_are_the_parameters_of_the_newer_client() -> None:
    client = client_of(PARAMETERS, parameter_constraints=["x + 0.5*n <= 5.0"])
    for number in range(6):
        p, index = client.get_next_trial()
        assert index == number and list(p) == [str(each["name"]) for each in PARAMETERS]
        assert [type(value) for value in p.values()] == [float, float, int, int, str, float, float]
        assert (
            p["fixed"] == 0.5 and p["x"] + 0.5 * p["n"] <= 5 and math.isclose(p["share"] * 10, round(p["share"] * 10))
        )
        client.complete_trial(trial_index=index, raw_data={"loss": (p["x"] ** 2 + p["n"], 0.1)})
    newer = Client(random_seed=0)
    newer.configure_experiment([RangeParameterConfig("x", (0.0, 4.0), "float")])
    newer.configure_optimization("-loss")
    older = client_of()
    for _ in range(6):
        ((index, p),) = newer.get_next_trials(max_trials=1).items()
        assert older.get_next_trial() == (p, index)
        newer.complete_trial(index, {"loss": (p["x"] - 1) ** 2})
        older.complete_trial(index, (p["x"] - 1) ** 2)


@pytest.mark.parametrize(
    ("raw_data", "mean", "variance"),
    [
        (2.5, 2.5, 0.0),
        ((2.5, 0.5), 2.5, 0.25),
        ({"loss": 2.5}, 2.5, 0.0),
        ({"loss": (2.5, 0.5), "other": 1.0}, 2.5, 0.25),
        ([(1, {"loss": 9.0}), (2, {"loss": (2.5, 0.5)})], 2.5, 0.25),
    ],
)
def test_forms_of_raw_data(raw_data: object, mean: float, variance: float) -> None:
    client = client_of()
    assert client.get_best_parameters() is None and client.get_best_trial() is None
    parameters, index = client.get_next_trial()
    client.complete_trial(index, raw_data)
    best = client.get_best_parameters()
    assert best is not None and best[0] == parameters
    means, covariances = best[1]
    assert means["loss"] == mean and covariances["loss"]["loss"] == variance
    assert client.get_best_trial() == (index, *best)


def test_without_objectives_the_metric_objective_is_maximised() -> None:
    client = AxClient(random_seed=0)
    client.create_experiment([X])
    for value in (1.0, 3.0, 2.0):
        client.complete_trial(client.get_next_trial()[1], value)
    best = client.get_best_trial()
    assert best is not None and best[0] == 1 and client.objective_names == ["objective"]
    older = AxClient(random_seed=0)
    older.create_experiment([X], objective_name="loss", minimize=True)
    assert older.objective_name == "loss" and not older.study.objectives[0].maximise


def test_several_objectives_with_thresholds_and_names_that_are_no_identifiers(tmp_path: Path) -> None:
    objectives = {"eval/loss": ObjectiveProperties(True, threshold=4.0), "gain": ObjectiveProperties(False)}
    client = client_of(objectives=objectives, outcome_constraints=["eval/time <= 9"])
    assert [(o.maximise, o.reference) for o in client.study.objectives] == [(False, 4.0), (True, None)]
    for loss, gain in ((1.0, 2.0), (2.0, 3.0), (3.0, 2.5)):
        client.complete_trial(client.get_next_trial()[1], {"eval/loss": loss, "gain": gain, "eval/time": 3.0})
    front = client.get_pareto_optimal_parameters()
    assert sorted(front) == [0, 1] and front[1][1][0]["eval/loss"] == 2.0
    with pytest.raises(StudyError, match="raw_data maps metrics to numbers where there are 2 objectives"):
        client.complete_trial(client.get_next_trial()[1], 1.0)
    client.save_to_json_file(str(tmp_path / "client.json"))
    again = AxClient.load_from_json_file(str(tmp_path / "client.json"))
    assert again.objective_names == ["eval/loss", "gain"] and again.get_pareto_optimal_parameters() == front


def test_constraints_in_percent_are_about_the_status_quo() -> None:
    client = client_of(outcome_constraints=["qps >= -10%"], status_quo={"x": 2.0})
    client.complete_trial(0, {"loss": 3.0, "qps": 100.0})
    for loss, qps in ((1.0, 89.0), (2.0, 91.0)):
        client.complete_trial(client.get_next_trial()[1], {"loss": loss, "qps": qps})
    best = client.get_best_trial()
    assert best is not None and best[0] == 2


def test_trials_that_fail_stop_or_are_attached() -> None:
    client = client_of()
    given, index = client.attach_trial({"x": 1.0})
    client.complete_trial(index, 1.0)
    client.log_trial_failure(client.get_next_trial()[1], {"error": "out of memory"})
    client.abandon_trial(client.get_next_trial()[1])
    stopped = client.get_next_trial()[1]
    client.update_running_trial_with_intermediate_data(stopped, {"loss": 7.0})
    client.stop_trial_early(stopped)
    outcomes = [trial.outcome for trial in client.study.trials]
    assert given == {"x": 1.0} == client.get_trial_parameters(0)
    assert outcomes[1] == tp.Failed("run", "error: out of memory") and outcomes[2].censored  # type: ignore[union-attr]
    assert client.get_max_parallelism() == [(-1, -1)] and client.should_stop_trials_early([0]) == {}


def test_a_small_search_space_ends() -> None:
    client = client_of([{"name": "x", "type": "range", "bounds": [0, 2]}])
    trials, complete = client.get_next_trials(2)
    assert len(trials) == 2 and not complete
    for index, p in (trials | client.get_next_trials(1)[0]).items():
        client.complete_trial(index, float(p["x"]))  # type: ignore[arg-type]
    assert client.get_next_trials(1) == ({}, True)
    with pytest.raises(StudyError, match="nothing is left of the search space"):
        client.get_next_trial()


def test_the_loop() -> None:
    ranges = [{"name": name, "type": "range", "bounds": [0, 9]} for name in ("a", "b")]
    best, (means, _), study, model = optimize(
        ranges,
        lambda p: {"cost": (abs(p["a"] - 4) + p["b"], 0.0)},
        objective_name="cost",
        minimize=True,
        total_trials=30,
        random_seed=0,
    )
    assert best == {"a": 4, "b": 0} and means == {"cost": 0.0} and len(study.trials) == 30 and model is None
    with pytest.raises(StudyError, match="none of 2 trials has a value"):
        optimize(ranges, lambda p: {"other": 1.0}, total_trials=2, random_seed=0)


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("x", "a parameter is a dictionary with its name"),
        ({"type": "range", "bounds": [0, 1]}, "a parameter is a dictionary with its name"),
        ({"name": "x", "type": "range"}, "parameter x: bounds are two numbers"),
        ({"name": "x", "type": "range", "bounds": [0, 1, 2]}, "parameter x: bounds are two numbers"),
        ({"name": "x", "type": "range", "bounds": ["0", "1"]}, "parameter x: a range has two numbers"),
        ({"name": "x", "type": "range", "bounds": [1.0, 0.0]}, "parameter x"),
        ({"name": "x", "type": "ranges", "bounds": [0, 1]}, "parameter x: it has no values of the type 'ranges'"),
        ({"name": "x", "type": "choice", "values": []}, "parameter x: it has no values"),
        ({"name": "x", "type": "choice", "values": [1, 2], "is_fidelity": True}, "is_fidelity is not searched"),
        ({"name": "x", "type": "choice", "values": ["a", "b"], "is_task": True}, "is_task is not searched"),
        ({"name": "x", "type": "derived", "expression_str": "open('f')", "value_type": "float"}, "parameter x: "),
    ],
)
def test_parameters_that_cannot_be_searched(parameter: Any, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        client_of([parameter, {**X, "name": "other"}])


def test_arguments_that_break_a_rule(tmp_path: Path) -> None:
    client = client_of()
    mark = tmp_path / "mark"
    code = f"__import__('pathlib').Path({str(mark)!r}).touch()"
    for options, message in (
        ({"objectives": {}}, "objectives are a mapping"),
        ({"objective_name": "loss"}, "exclude each other"),
        ({"outcome_constraints": [3]}, "an outcome constraint is text"),
        ({"outcome_constraints": [f"{code} + loss <= 1"]}, "an outcome constraint"),
        ({"parameter_constraints": [f"{code} <= 1"]}, "cannot be used"),
        ({"status_quo": {"y": 1.0}}, "there is no parameter 'y'"),
    ):
        with pytest.raises(StudyError, match=message):
            client_of(**options)  # type: ignore[arg-type]
    assert not mark.exists()
    with pytest.raises(StudyError, match="configured already"):
        client.create_experiment([X])
    client.create_experiment([{**X, "name": "y"}], overwrite_existing_experiment=True, objective_name="z")
    assert list(client.get_next_trial()[0]) == ["y"]
    with pytest.raises(StudyError, match="a client has no database here"):
        AxClient(db_settings=object())
    with pytest.raises(StudyError, match="fixed parameters"):
        client.get_next_trial(fixed_features=object())
    with pytest.raises(StudyError, match="there is no trial 99"):
        client.get_trial_parameters(99)
    with pytest.warns(UserWarning, match="does not use Ax's generation strategies"):
        AxClient(generation_strategy=object())
    for raw in ("1", None, {"z": "1"}, [1, 2, 3]):
        with pytest.raises(StudyError, match="is a number, or a number and its standard error"):
            client.complete_trial(0, raw)
    with pytest.raises(StudyError, match="arms_per_trial is 1"):
        optimize([X], lambda p: 0.0, arms_per_trial=2)
