"""tunepass as a tuner of NNI: its search spaces, results, and ends of trials."""

from __future__ import annotations

import json

import pytest

import tunepass as tp

pytest.importorskip("nni", reason="needs the extra nni")

import nni

from tunepass.integrations.nni import TunepassTuner

NESTED = {
    "layer": {
        "_type": "choice",
        "_value": [
            {"_name": "Empty"},
            {"_name": "Conv", "size": {"_type": "choice", "_value": [1, 2, 3, 5]}},
            {"_name": "Pool", "kind": {"_type": "choice", "_value": ["max", "mean"]}},
        ],
    },
    "batch-size": {"_type": "randint", "_value": [4, 9]},
    "rate": {"_type": "loguniform", "_value": [1e-4, 0.1]},
    "drop": {"_type": "quniform", "_value": [0.1, 0.9, 0.25]},
    "bias": {"_type": "choice", "_value": [True, False]},
}


def tuner_of(space: object, mode: str = "minimize", **options: object) -> TunepassTuner:
    tuner = TunepassTuner(mode, seed=0, **options)  # type: ignore[arg-type]
    tuner.update_search_space(space)  # type: ignore[arg-type]
    return tuner


def test_nested_choices_have_their_own_parameters_inside() -> None:
    tuner, seen = tuner_of(NESTED), set()
    for number in range(24):
        parameters = json.loads(json.dumps(tuner.generate_parameters(number)))
        layer = parameters.pop("layer")
        seen.add((layer["_name"], *sorted(set(layer) - {"_name"})))
        assert set(parameters) == {"batch-size", "rate", "drop", "bias"}
        assert 4 <= parameters["batch-size"] < 9 and parameters["drop"] in (0.1, 0.25, 0.5, 0.75, 0.9)
        tuner.receive_trial_result(number, parameters, parameters["rate"])
    assert seen == {("Empty",), ("Conv", "size"), ("Pool", "kind")}


@pytest.mark.parametrize(("mode", "best"), [("minimize", 1), ("maximize", 8)])
def test_the_best_result_is_found(mode: str, best: int) -> None:
    tuner = tuner_of({"tile": {"_type": "randint", "_value": [1, 9]}}, mode)
    for number in range(8):
        parameters = tuner.generate_parameters(number)
        tuner.receive_trial_result(number, parameters, {"default": parameters["tile"], "memory": 3})
        tuner.trial_end(number, True)
    assert tuner.study.best.configuration["tile"] == best
    with pytest.raises(nni.NoMoreTrialError):
        tuner.generate_parameters(8)


def test_a_trial_without_a_result_is_a_failure() -> None:
    tuner = tuner_of(NESTED)
    for number, value in enumerate([1.0, float("nan"), "much"]):
        parameters = tuner.generate_parameters(number)
        tuner.receive_trial_result(number, parameters, value)
    tuner.generate_parameters(3)
    tuner.trial_end(3, False)
    tuner.trial_end(3, False)
    assert [trial.measured for trial in tuner.study.trials] == [True, False, False, False]


def test_constraints_and_other_search_spaces_keep_what_fits() -> None:
    space = {name: {"_type": "randint", "_value": [1, 9]} for name in ("tile", "unroll")}
    tuner = tuner_of(space, constraints=["tile % unroll == 0"])
    tuner.import_data(
        [{"parameter": {"tile": 8, "unroll": 4}, "value": 3.0}, {"parameter": {"tile": 2, "unroll": 1}, "value": 5}]
    )
    for number in range(6):
        parameters = tuner.generate_parameters(number)
        assert parameters["tile"] % parameters["unroll"] == 0
        tuner.receive_trial_result(number, parameters, 1.0)
    tuner.update_search_space({**space, "tile": {"_type": "randint", "_value": [8, 9]}})
    assert {trial.configuration["tile"] for trial in tuner.study.trials} == {8}


# --- bad input


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ({}, "a search space has parameters"),
        ({"a": 1}, "parameter a is 1"),
        ({1: {"_type": "uniform", "_value": [0, 1]}}, "a parameter's name is text, got 1"),
        ({"a": {"_type": "normal", "_value": [0, 1]}}, "`normal` is not searched"),
        ({"a": {"_type": "chioce", "_value": [0, 1]}}, "did you mean `choice`"),
        ({"a": {"_type": "uniform", "_value": [0]}}, r"the `_value` of uniform is \[low, high\]"),
        ({"a": {"_type": "uniform", "_value": ["x", 1]}}, r"the `_value` of uniform is \[low, high\]"),
        ({"a": {"_type": "quniform", "_value": [0, 1, 0]}}, "q is above 0"),
        ({"a": {"_type": "choice", "_value": []}}, "at least one value is needed"),
    ],
)
def test_a_parameter_without_a_counterpart_is_told(space: object, message: str) -> None:
    with pytest.raises(tp.StudyError, match=message):
        tuner_of(space)


def test_what_is_said_too_early_or_wrongly_is_told() -> None:
    with pytest.raises(tp.StudyError, match="optimize_mode is maximize or minimize"):
        TunepassTuner("least")
    with pytest.raises(tp.StudyError, match="there is no search space yet"):
        TunepassTuner().generate_parameters(0)
    tuner = tuner_of({"tile": {"_type": "choice", "_value": [1, 2]}})
    with pytest.raises(tp.StudyError, match="tile: 3 is not one of its values"):
        tuner.import_data([{"parameter": {"tile": 1}, "value": 1}, {"parameter": {"tile": 3}, "value": 1}])
    assert not tuner.study.trials


@pytest.mark.parametrize("data", ["x", [1], [{"parameter": {"a": 2}}], [{"parameter": 3, "value": 1}], None])
def test_results_of_another_form_are_told(data: object) -> None:
    tuner = TunepassTuner("minimize", seed=0)
    tuner.update_search_space({"a": {"_type": "randint", "_value": [1, 5]}})
    with pytest.raises(tp.StudyError, match="data are a list of"):
        tuner.import_data(data)  # type: ignore[arg-type]
    assert not tuner.study.trials
