"""Our client beside the real one of Ax, where that is installed (it needs torch): the same calls, the same answers."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tunepass.integrations import ax as ours

pytest.importorskip("ax.api.client", reason="Ax, which needs torch, is not installed: pip install ax-platform")

from ax.api import configs as theirs
from ax.api.client import Client as AxClient
from ax.service import ax_client as service


def clients(objective: str, constraints: Any = None, outcomes: Any = None, *, conditional: bool = False) -> list[Any]:
    """Both, with Ax's objects for parameters: ours takes them as well as its own."""
    pair = []
    for kind in (AxClient, ours.Client):
        configs = theirs
        parameters = [
            configs.RangeParameterConfig(name="x", bounds=(0.0, 4.0), parameter_type="float"),
            configs.RangeParameterConfig(name="n", bounds=(1, 8), parameter_type="int"),
            configs.ChoiceParameterConfig(
                name="kind",
                values=["a", "b"],
                parameter_type="str",
                is_ordered=False,
                dependent_parameters={"a": ["w"]} if conditional else None,
            ),
            configs.ChoiceParameterConfig(name="w", values=[1, 2, 4], parameter_type="int", is_ordered=True),
        ]
        client = kind(random_seed=0)
        client.configure_experiment(parameters=parameters, parameter_constraints=constraints)
        client.configure_optimization(objective=objective, outcome_constraints=outcomes)
        pair.append(client)
    return pair


POINTS = [
    {"x": 0.5, "n": 3, "kind": "b", "w": 1},
    {"x": 1.5, "n": 2, "kind": "a", "w": 2},
    {"x": 2.0, "n": 1, "kind": "a", "w": 4},
    {"x": 1.0, "n": 6, "kind": "b", "w": 2},
]


def told(client: Any, values: list[dict[str, float]]) -> list[Any]:
    found: list[Any] = []
    for point, raw in zip(POINTS, values):
        index = client.attach_trial(parameters=point)
        found.append((index, client.complete_trial(trial_index=index, raw_data=raw).name))
    return found


def plain(point: tuple[Any, ...]) -> tuple[Any, ...]:
    """Parameters, means, index."""
    parameters, metrics, index, _ = point
    means = {name: value[0] if isinstance(value, tuple) else value for name, value in metrics.items()}
    return dict(parameters), means, index


@pytest.mark.parametrize("objective", ["loss", "-loss", "-2 * loss + gain"])
def test_the_best_trial(objective: str) -> None:
    values = [{"loss": v, "gain": g} for v, g in ((3.0, 1.0), (1.0, 2.0), (2.0, 9.0), (4.0, 0.0))]
    real, own = clients(objective)
    assert told(real, values) == told(own, values)
    best = [plain(client.get_best_parameterization(use_model_predictions=False)) for client in (real, own)]
    assert best[0][0] == best[1][0] and best[0][2] == best[1][2]
    assert all(math.isclose(best[1][1][name], mean) for name, mean in best[0][1].items())


def test_the_front() -> None:
    values = [{"loss": v, "gain": g} for v, g in ((3.0, 1.0), (1.0, 2.0), (2.0, 9.0), (4.0, 0.0))]
    real, own = clients("-loss, gain", None, ["loss <= 5", "gain >= -1"])
    fronts = []
    for client in (real, own):
        told(client, values)
        client.get_next_trials(max_trials=1)
        fronts.append(sorted(p[2] for p in client.get_pareto_frontier(use_model_predictions=False)))
    assert fronts[0] == fronts[1] == [1, 2]


def test_an_outcome_constraint() -> None:
    values = [{"loss": v, "qps": q} for v, q in ((1.0, 10.0), (2.0, 50.0), (3.0, 90.0), (4.0, 99.0))]
    real, own = clients("-loss", None, ["qps >= 40"])
    for client in (real, own):
        told(client, values)
    assert [c.get_best_parameterization(use_model_predictions=False)[2] for c in (real, own)] == [1, 1]


def test_suggestions_are_of_the_same_space_and_types() -> None:
    for client in clients("-loss", ["x + 0.5*n <= 4"], conditional=True):
        for index, p in client.get_next_trials(max_trials=4).items():
            assert 0 <= p["x"] <= 4 and p["n"] in range(1, 9) and p["x"] + 0.5 * p["n"] <= 4 + 1e-6
            assert ("w" in p) == (p["kind"] == "a") and p.get("w", 1) in (1, 2, 4)
            assert [type(p[name]) for name in ("x", "n", "kind")] == [float, int, str]
            assert client.complete_trial(trial_index=index, raw_data={"loss": (p["x"], 0.1)}).name == "COMPLETED"


def test_both_refuse_the_same() -> None:
    for client in clients("-loss"):
        index = client.attach_trial(parameters=POINTS[0])
        client.complete_trial(trial_index=index, raw_data={"loss": 1.0})
        for again in (
            lambda: client.mark_trial_failed(trial_index=index),  # noqa: B023
            lambda: client.complete_trial(trial_index=99, raw_data={"loss": 1.0}),  # noqa: B023
            lambda: client.configure_experiment(parameters=[]),  # noqa: B023
            lambda: client.attach_trial(parameters={"x": 1.0}),  # noqa: B023
            client.get_pareto_frontier,
        ):
            with pytest.raises(Exception):  # noqa: B017  # of other classes
                again()


def test_the_summary() -> None:
    for client in clients("-loss"):
        told(client, [{"loss": 3.0}, {"loss": 1.0}])
        frame = client.summarize()
        assert frame["trial_status"].tolist() == ["COMPLETED"] * 2 and frame["loss"].tolist() == [3.0, 1.0]
        assert {"trial_index", "arm_name", "x", "n", "kind", "w"} <= {*frame.columns}


def service_clients(**options: Any) -> list[Any]:
    """Both of the service API, with the same dictionaries."""
    parameters = [
        {"name": "x", "type": "range", "bounds": [0.0, 4.0]},
        {"name": "n", "type": "range", "bounds": [1, 8]},
        {"name": "kind", "type": "choice", "values": ["a", "b"]},
        {"name": "w", "type": "fixed", "value": 2},
    ]
    pair = []
    for module in (service, ours):
        client = module.AxClient(random_seed=0, verbose_logging=False)
        objectives = {
            name: module.ObjectiveProperties(minimize=name == "loss") for name in options.get("objectives", ["loss"])
        }
        client.create_experiment(parameters, **{**options, "objectives": objectives})
        pair.append(client)
    return pair


def service_told(client: Any, rows: list[Any]) -> None:
    for number, raw in enumerate(rows):
        given, index = client.attach_trial(
            parameters={"x": number / 2, "n": number + 1, "kind": "ab"[number % 2], "w": 2}
        )
        assert index == number and given["n"] == number + 1
        client.complete_trial(trial_index=index, raw_data=raw)


@pytest.mark.parametrize("rows", [[3.0, 1.0, 2.0], [(3.0, 0.5), (1.0, 0.5), (2.0, 0.0)], [{"loss": (1.0, 0.5)}]])
def test_the_best_trial_of_the_service_api(rows: list[Any]) -> None:
    best = []
    for client in service_clients():
        service_told(client, rows)
        index, parameters, (means, covariances) = client.get_best_trial(use_model_predictions=False)
        assert client.get_best_parameters(use_model_predictions=False)[0] == parameters
        deviation = covariances["loss"]["loss"]
        best.append((index, dict(parameters), dict(means), 0.0 if math.isnan(deviation) else deviation))
    assert best[0] == best[1]


def test_the_front_of_the_service_api() -> None:
    rows = [{"loss": v, "gain": g} for v, g in ((3.0, 1.0), (1.0, 2.0), (2.0, 9.0), (4.0, 0.0))]
    fronts = []
    for client in service_clients(objectives=["loss", "gain"]):
        service_told(client, rows)
        front = client.get_pareto_optimal_parameters(use_model_predictions=False)
        fronts.append({index: (dict(p), dict(means)) for index, (p, (means, _)) in front.items()})
    assert set(fronts[1]) == {1, 2}
    assert all(fronts[0][index] == fronts[1][index] for index in fronts[0])


def test_suggestions_of_the_service_api_are_of_the_same_space_and_types() -> None:
    for client in service_clients(parameter_constraints=["x + 0.5*n <= 4"]):
        trials, complete = client.get_next_trials(3)
        assert not complete
        for index, p in [*trials.items(), client.get_next_trial()[::-1]]:
            assert 0 <= p["x"] <= 4 and p["x"] + 0.5 * p["n"] <= 4 + 1e-6 and p["w"] == 2
            assert [type(p[name]) for name in ("x", "n", "kind", "w")] == [float, int, str, int]
            client.complete_trial(index, p["x"])
        client.log_trial_failure(client.get_next_trial()[1])
        assert len(client.get_trials_data_frame()) == 5
