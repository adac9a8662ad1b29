"""The client with the shape of Ax's."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tunepass as tp
from tunepass.diagnostics import StudyError
from tunepass.integrations.ax import (
    ChoiceParameterConfig,
    Client,
    DerivedParameterConfig,
    RangeParameterConfig,
    TrialStatus,
)

PARAMETERS = [
    RangeParameterConfig(name="x", bounds=(-2.0, 2.0), parameter_type="float"),
    RangeParameterConfig(name="rate", bounds=(1e-4, 1.0), parameter_type="float", scaling="log"),
    RangeParameterConfig(name="n.layers", bounds=(1, 9), parameter_type="int"),
    ChoiceParameterConfig(name="width", values=[16, 32, 64], parameter_type="int", is_ordered=True),
    ChoiceParameterConfig(name="kind", values=["a", "b"], parameter_type="str"),
    ChoiceParameterConfig(name="wide", values=[True, False], parameter_type="bool"),
]


def client_of(objective: str = "-loss", constraints: Any = None, **options: Any) -> Client:
    client = Client(random_seed=options.pop("seed", 0), **options)
    client.configure_experiment(parameters=PARAMETERS, parameter_constraints=constraints)
    client.configure_optimization(objective=objective)
    return client


def loss(p: dict[str, Any]) -> float:
    return float(p["x"] ** 2 + abs(p["n.layers"] - 3) + (p["kind"] == "a") + p["width"] / 64)


def test_a_loop_finds_what_a_native_study_finds() -> None:
    client = client_of()
    parameters = [
        *(tp.Real("x", -2.0, 2.0), tp.Real("rate", 1e-4, 1.0, log=True), tp.Integer("n_layers", 1, 9)),
        *(tp.Ordinal("width", [16, 32, 64]), tp.Categorical("kind", ["a", "b"]), tp.Categorical("wide", [True, False])),
    ]
    study = tp.Study(tp.Space(parameters), [tp.Objective("loss")], seed=0, repeats=False)
    for number in range(12):
        ((index, given),) = client.get_next_trials(max_trials=1).items()
        (configuration,) = study.suggest()
        assert index == number and list(given.values()) == list(configuration.values())
        assert [type(value) for value in given.values()] == [float, float, int, int, str, bool]
        assert client.complete_trial(trial_index=index, raw_data={"loss": (loss(given), 0.1)}) == TrialStatus.COMPLETED
        study.observe(configuration, tp.Measured({"loss": loss(given)}))
    best, metrics, index, arm = client.get_best_parameterization()
    assert metrics == {"loss": (loss(best), 0.1)} and loss(best) == study.best.outcome.values["loss"]  # type: ignore[union-attr]
    assert arm == f"{index}_0" and len(client.study.trials) == 12


def test_a_metric_without_a_minus_is_maximised() -> None:
    client = client_of("2 * gain")
    for value in (1.0, 3.0, 2.0):
        (index,) = client.get_next_trials(max_trials=1)
        client.complete_trial(index, {"gain": value})
    _, metrics, index, _ = client.get_best_parameterization(use_model_predictions=False)
    assert index == 1 and metrics["gain"][0] == 3.0 and math.isnan(metrics["gain"][1])


def test_a_batch_has_distinct_trials_and_a_small_space_ends() -> None:
    client = Client(random_seed=0)
    client.configure_experiment([RangeParameterConfig("x", (0, 4), "int")], ["x <= 2"])
    client.configure_optimization("-loss")
    trials = client.get_next_trials(max_trials=10)
    assert sorted(p["x"] for p in trials.values()) == [0, 1, 2] and not client.get_next_trials(max_trials=1)


@pytest.mark.parametrize(
    ("texts", "holds"),
    [
        (["x + 2 * y <= 3"], lambda p: p["x"] + 2 * p["y"] <= 3),
        (["x - y >= 0", "y >= 0.5*x"], lambda p: p["y"] <= p["x"] <= 2 * p["y"]),
        (["x*1e0 + y <= 2", "x <= 1"], lambda p: p["x"] + p["y"] <= 2 and p["x"] <= 1),
    ],
)
def test_parameter_constraints_hold(texts: list[str], holds: Any) -> None:
    client = Client(random_seed=3)
    ranges = [RangeParameterConfig("x", (0.0, 4.0), "float"), RangeParameterConfig("y", (0.0, 4.0), "float")]
    client.configure_experiment(ranges, texts)
    client.configure_optimization("-loss")
    for _ in range(6):
        for index, p in client.get_next_trials(max_trials=2).items():
            assert holds(p)
            client.complete_trial(index, {"loss": p["x"] - p["y"]})


def test_code_in_a_constraint_is_refused_and_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    text = f"__import__('pathlib').Path({str(mark)!r}).touch() <= 2"
    with pytest.raises(StudyError, match="the search space cannot be used"):
        client_of(constraints=[text])
    with pytest.raises(StudyError, match="an objective"):
        client_of(f"-loss + __import__('pathlib').Path({str(mark)!r}).touch()")
    assert not mark.exists()


def test_parameters_that_depend_on_a_choice() -> None:
    configs = [
        RangeParameterConfig("depth", (1, 12), "int"),
        ChoiceParameterConfig("grower", ["leaf", "level"], "str", dependent_parameters={"leaf": ["leaves"]}),
        ChoiceParameterConfig(
            "model", ["tree", "linear"], "str", dependent_parameters={"tree": ["depth", "grower"], "linear": ["l2"]}
        ),
        RangeParameterConfig("leaves", (2, 64), "int"),
        RangeParameterConfig("l2", (1e-6, 1.0), "float", scaling="log"),
        RangeParameterConfig("step", (0.0, 1.0), "float", step_size=0.25),
    ]
    client = Client(random_seed=0)
    client.configure_experiment(configs)
    client.configure_optimization("-loss")
    names, steps = set(), set()
    for _ in range(24):
        for index, p in client.get_next_trials(max_trials=1).items():
            names.add((*sorted(p),))
            steps.add(p["step"])
            assert ("l2" in p) == (p["model"] == "linear") and ("depth" in p) == (p["model"] == "tree")
            assert ("leaves" in p) == (p.get("grower") == "leaf")
            client.complete_trial(index, {"loss": p["step"] + p.get("depth", 3)})
    assert len(names) == 3 and steps <= {0.0, 0.25, 0.5, 0.75, 1.0}
    index = client.attach_trial({"model": "linear", "l2": 0.5, "step": 0.5})
    assert client.complete_trial(index, {"loss": -5.0}) and client.get_best_parameterization()[2] == index
    with pytest.raises(StudyError):
        client.attach_trial({"model": "linear", "depth": 3, "step": 0.5})


def test_a_derived_parameter_follows() -> None:
    client = Client(random_seed=0)
    sides = [RangeParameterConfig(name, (1, 4), "int") for name in ("a", "b")]
    client.configure_experiment([*sides, DerivedParameterConfig("area", "a * b", "int")])
    client.configure_optimization("area_error")
    for p in client.get_next_trials(max_trials=5).values():
        assert p["area"] == p["a"] * p["b"] and type(p["area"]) is int
    assert client.attach_trial({"a": 2, "b": 3, "area": 6}) == 5


def test_failures_abandoned_and_stopped_trials() -> None:
    client = client_of()
    indices = list(client.get_next_trials(max_trials=6))
    client.mark_trial_failed(indices[0], "out of memory")
    client.complete_trial(indices[1], {"loss": float("nan")})
    client.complete_trial(indices[2], {"other": 1.0})
    client.mark_trial_abandoned(indices[3])
    client.complete_trial(indices[4], {"loss": 0.25})
    client.attach_data(indices[5], {"loss": 7.0}, progression=1)
    assert client.should_stop_trial_early(indices[5]) is False
    client.mark_trial_early_stopped(indices[5])
    outcomes = [trial.outcome for trial in client.study.trials]
    assert [type(outcome).__name__ for outcome in outcomes] == ["Failed", "Failed", "Failed", "Measured", "Measured"]
    assert outcomes[0] == tp.Failed("run", "out of memory") and outcomes[4].censored  # type: ignore[union-attr]
    assert client.get_best_parameterization()[2] == indices[4]
    for index, word in ((0, "FAILED"), (3, "ABANDONED"), (4, "COMPLETED"), (5, "EARLY_STOPPED")):
        with pytest.raises(StudyError, match=f"trial {indices[index]} is {word} already"):
            client.complete_trial(indices[index], {"loss": 0.0})
    for unknown in (99, -1, "0", None):
        with pytest.raises(StudyError, match="there is no trial"):
            client.complete_trial(unknown, {"loss": 0.0})  # type: ignore[arg-type]


def test_outcome_constraints_and_a_baseline() -> None:
    client = Client(random_seed=0)
    client.configure_experiment(PARAMETERS)
    client.configure_optimization("-loss", ["qps >= 0.9 * baseline", "0.5*m1 + m2 <= 1.5e1"])
    given = {"x": 0.0, "rate": 0.1, "n.layers": 3, "width": 16, "kind": "b", "wide": False}
    base = client.attach_baseline(given)
    client.complete_trial(base, {"loss": 3.0, "qps": 100.0, "m1": 0.0, "m2": 0.0})
    rows = [(1.0, 80.0, 0.0, 0.0), (1.5, 95.0, 20.0, 6.0), (2.0, 95.0, 20.0, 5.0)]
    for values in rows:
        (index,) = client.get_next_trials(max_trials=1)
        client.complete_trial(index, dict(zip(("loss", "qps", "m1", "m2"), values)))
    outcomes = [trial.outcome for trial in client.study.trials]
    assert outcomes[1:3] == [tp.Infeasible("qps >= 0.9 * baseline"), tp.Infeasible("0.5*m1 + m2 <= 1.5e1")]
    assert client.get_best_parameterization()[1]["loss"][0] == 2.0


def test_several_objectives_with_thresholds_and_a_weighted_sum() -> None:
    client = Client(random_seed=0)
    client.configure_experiment(PARAMETERS)
    client.configure_optimization("-loss, gain", ["loss <= 4", "gain >= 1"])
    assert [(o.name, o.maximise, o.reference) for o in client.study.objectives] == [
        ("loss", False, 4.0),
        ("gain", True, 1.0),
    ]
    for values in ((1.0, 2.0), (2.0, 3.0), (3.0, 2.5)):
        (index,) = client.get_next_trials(max_trials=1)
        client.complete_trial(index, dict(zip(("loss", "gain"), values)))
    assert sorted(point[2] for point in client.get_pareto_frontier()) == [0, 1]
    with pytest.raises(StudyError, match="several objectives have no best trial"):
        client.get_best_parameterization()
    summed = client_of("ne1 - 2*ne2")
    for values in ((1.0, 1.0), (3.0, 1.5), (5.0, 4.0)):
        (index,) = summed.get_next_trials(max_trials=1)
        summed.complete_trial(index, dict(zip(("ne1", "ne2"), values)))
    assert summed.get_best_parameterization()[2] == 1
    assert [list(t.outcome.values.values()) for t in summed.study.trials] == [[-1.0], [0.0], [-3.0]]  # type: ignore[union-attr]


def test_a_client_is_kept_in_a_file_and_goes_on(tmp_path: Path) -> None:
    path = str(tmp_path / "client.json")
    client = client_of(constraints=["x <= 1.5"])
    for index, p in client.get_next_trials(max_trials=4).items():
        if index < 3:
            client.complete_trial(index, {"loss": (loss(p), 0.5)})
    client.mark_trial_failed(client.attach_trial(client.get_next_trials(max_trials=1)[4]))
    client.save_to_json_file(path)
    other = Client.load_from_json_file(path)
    assert other.get_best_parameterization() == client.get_best_parameterization()
    assert [t.outcome for t in other.study.trials] == [t.outcome for t in client.study.trials]
    assert other.complete_trial(3, {"loss": 1.0}) == TrialStatus.COMPLETED and 6 in other.get_next_trials(max_trials=1)
    for text in ("", "[]", "{}", '{"format": "tunepass-ax-client/1"}', json.dumps({"_type": "Experiment"}), "[" * 9999):
        Path(path).write_text(text)
        with pytest.raises(StudyError, match="is no client that tunepass saved"):
            Client.load_from_json_file(path)


def test_a_summary_has_a_row_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    client = client_of()
    (index,) = client.get_next_trials(max_trials=1)
    client.complete_trial(index, {"loss": 2.0})
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    (row,) = client.summarize()
    assert [*row.items()][:4] == [
        *(("trial_index", 0), ("arm_name", "0_0"), ("trial_status", "COMPLETED"), ("loss", 2.0)),
    ]
    assert row["kind"] == "a"
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(StudyError, match="pandas, which is not installed"):
        client.summarize()
    with pytest.warns(UserWarning, match="none of Ax's analyses"):
        assert client.compute_analyses() == []


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ([], "parameters are a list of configs"),
        ({"x": 1}, "parameters are a list of configs"),
        ([RangeParameterConfig("x", (0, 1), "int"), RangeParameterConfig("x", (0, 1), "int")], "a name of its own"),
        ([RangeParameterConfig("x", (3, 1), "int")], "parameter x: "),
        ([RangeParameterConfig("x", (0, 1), "str")], "parameter x: "),  # type: ignore[arg-type]
        ([RangeParameterConfig("x", (0, 1), "float", step_size=0.0)], "parameter x: step_size is above 0"),
        ([RangeParameterConfig("x", (0, 1), "float", scaling="log")], "parameter x: "),
        ([ChoiceParameterConfig("x", [], "int")], "parameter x: "),
        ([ChoiceParameterConfig("x", [1, 2], "number")], "parameter x: its parameter_type is one of"),  # type: ignore[arg-type]
        ([ChoiceParameterConfig("x", [1, 2], "int", dependent_parameters={3: ["x"]})], "none of its values"),
        ([ChoiceParameterConfig("x", [1, 2], "int", dependent_parameters={2: ["y"]})], "there is no parameter 'y'"),
        ([ChoiceParameterConfig("x", [1, 2], "int", dependent_parameters={2: ["x"]})], "x depends on itself"),
        ([RangeParameterConfig("x", (0, 1), "int"), DerivedParameterConfig("y", "x +", "int")], "parameter y: "),
        ([object()], "a name of its own"),
    ],
)
def test_parameters_that_cannot_be_searched(parameters: Any, text: str) -> None:
    with pytest.raises(StudyError) as raised:
        Client(random_seed=0).configure_experiment(parameters)
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("objective", "constraints", "text"),
    [
        ("", None, "an objective is text such as"),
        ("loss *", None, "cannot be read"),
        ("loss * gain", None, "is no weighted sum"),
        ("loss + 1", None, "is no weighted sum"),
        ("3", None, "an objective names metrics"),
        ("loss <= 1", None, "is a condition, not a number"),
        ("loss", ["qps"], "is no comparison of metrics with a number"),
        ("loss", ["qps >= x"], "is no number, nor a share of `baseline`"),
        ("loss", ["loss >= 1"], "is about the objective loss"),
        ("loss, gain", ["loss <= 1"], "is no threshold of the objective loss"),
    ],
)
def test_goals_that_say_something_else(objective: str, constraints: Any, text: str) -> None:
    client = Client(random_seed=0)
    with pytest.raises(StudyError, match="there is no experiment yet"):
        client.configure_optimization("loss")
    client.configure_experiment(PARAMETERS)
    with pytest.raises(StudyError, match="there is no objective yet"):
        client.get_next_trials(max_trials=1)
    with pytest.raises(StudyError) as raised:
        client.configure_optimization(objective, constraints)
    assert text in str(raised.value)


def test_arguments_that_break_a_rule() -> None:
    with pytest.raises(StudyError, match="no database"):
        Client(storage_config=object())
    client = client_of()
    with pytest.raises(StudyError, match="configured already"):
        client.configure_experiment(PARAMETERS)
    with pytest.raises(StudyError, match="method is one of"):
        client.configure_generation_strategy(method="slow")
    with pytest.raises(StudyError, match="fixed parameters"):
        client.get_next_trials(max_trials=1, fixed_parameters={"x": 1.0})
    with pytest.raises(StudyError, match="there is no parameter 'z'"):
        client.attach_trial({"z": 1})
    (index,) = client.get_next_trials(max_trials=1)
    for raw in ({"loss": "low"}, {"loss": (1.0, "x")}, 3.0):
        with pytest.raises(StudyError):
            client.complete_trial(index, raw)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="does not use Ax's generation strategies"):
        client.set_generation_strategy(object())
    client.configure_generation_strategy(method="random_search")
    assert client.complete_trial(index, {"loss": 1.0}) and len(client.study.trials) == 1
