"""tunepass as a search algorithm of Ray Tune: what it reads, suggests, takes in, saves; no cluster is started."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import tunepass as tp

pytest.importorskip("ray.tune", reason="needs the extra ray")

from ray import tune

from tunepass.integrations.ray import TunepassSearch, read_config

SPACE = tp.Space(
    [tp.Integer("tile", 1, 16), tp.Integer("unroll", 1, 16), tp.Permutation("order", 3)],
    constraints=["tile % unroll == 0"],
)


def config() -> dict[str, object]:
    return {
        "rate": tune.loguniform(1e-4, 1.0),
        "batch": tune.randint(1, 10),
        "model": {"act": tune.choice([["relu"], ["tanh"]]), "drop": tune.quniform(0, 1, 0.1), "layers": 3},
        "lines": tune.qlograndint(8, 64, 8),
        "scale": tune.qloguniform(0.5, 4, 0.5),
    }


def search_of(param_space: dict[str, object], **options: object) -> TunepassSearch:
    search = TunepassSearch(seed=0, **options)  # type: ignore[arg-type]
    assert search.set_search_properties("loss", "min", param_space)
    return search


def test_domains_become_parameters_at_their_places() -> None:
    domains, fixed = read_config(config())
    found = {"/".join(path): str(domain.parameter) for path, domain in domains.items()}
    assert found["rate"] == "real(0.0001..1)" and found["batch"] == "integer(1..9)"
    assert found["model/drop"] == "real(0..1 step 0.1)"
    lines, scale = (domains[name,].parameter for name in ("lines", "scale"))
    assert lines.domain == (8, 16, 24, 32, 40, 48, 56, 64)  # type: ignore[union-attr]
    assert scale.domain == (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)  # type: ignore[union-attr]
    assert fixed == {("model", "layers"): 3}


def test_configs_are_nested_and_their_results_are_learnt_from() -> None:
    search = search_of(config())
    for number in range(12):
        suggested = search.suggest(f"t{number}")
        assert isinstance(suggested, dict) and suggested["model"]["layers"] == 3
        assert suggested["model"]["act"] in (["relu"], ["tanh"]) and 1 <= suggested["batch"] < 10
        search.on_trial_complete(f"t{number}", {"loss": suggested["batch"] + suggested["rate"]})
        search.on_trial_complete(f"t{number}", {"loss": 0.0})  # told twice
    assert len(search.study.trials) == 12 and search.study.best.configuration["batch"] <= 2


def test_errors_and_values_that_are_not_finite_are_failures() -> None:
    search = search_of(config())
    for number, (result, error) in enumerate(
        [({"loss": 1.0}, False), (None, True), ({"loss": float("nan")}, False), ({}, False)]
    ):
        search.suggest(str(number))
        search.on_trial_complete(str(number), result, error)
    assert [trial.measured for trial in search.study.trials] == [True, False, False, False]


def test_a_space_of_tunepass_has_constraints_orders_and_several_metrics() -> None:
    search = TunepassSearch(SPACE, metric=["time", "memory"], mode=["min", "max"], seed=0)
    for number in range(10):
        suggested = search.suggest(str(number))
        assert isinstance(suggested, dict)
        assert suggested["tile"] % suggested["unroll"] == 0 and sorted(suggested["order"]) == [0, 1, 2]
        search.on_trial_complete(str(number), {"time": suggested["tile"], "memory": suggested["unroll"]})
    assert search.study.pareto and not search.set_search_properties("time", "min", config())


def test_nothing_left_is_finished_and_nothing_yet_is_none() -> None:
    search = search_of({"batch": tune.choice([1, 2])})
    assert search.suggest("a") and search.suggest("b") and search.suggest("c") is None
    search.on_trial_complete("a", {"loss": 1.0})
    search.on_trial_complete("b", {"loss": 1.0})
    assert search.suggest("c") == search.FINISHED


@pytest.mark.parametrize("way", ["saved", "copied"])
def test_a_state_goes_on_from_its_trials(way: str, tmp_path: Path) -> None:
    search = search_of(config())
    for number in range(5):
        suggested = search.suggest(str(number))
        search.on_trial_complete(str(number), {"loss": suggested["batch"]} if number else None, error=not number)  # type: ignore[index]
    under = search.suggest("under")
    if way == "saved":
        search.save(str(tmp_path / "state"))
        other = search_of(config())
        other.restore(str(tmp_path / "state"))
    else:
        other = pickle.loads(pickle.dumps(search))  # noqa: S301  # as Ray does with its own objects
    assert [t.configuration for t in other.study.trials] == [t.configuration for t in search.study.trials]
    assert [t.measured for t in other.study.trials] == [False, True, True, True, True] and other.suggest(
        "under"
    ) == under


def test_earlier_points_are_taken_in() -> None:
    search = search_of({"batch": tune.randint(1, 10), "act": tune.choice([["relu"], ["tanh"]])})
    search.add_evaluated_point({"batch": 3, "act": ["tanh"]}, 4.0)
    search.add_evaluated_point({"batch": 4, "act": ["relu"]}, 0.0, error=True)
    search.add_evaluated_point({"batch": 5, "act": ["relu"]}, 0.0, pruned=True)
    assert [trial.measured for trial in search.study.trials] == [True, False]


# --- bad input


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        (lambda: tune.grid_search([1, 2]), "a grid is not searched"),
        (lambda: tune.sample_from(lambda spec: 1), "it is no range and no choice"),
        (lambda: tune.randn(0, 1), "a normal distribution has no ends"),
    ],
)
def test_a_domain_without_a_parameter_is_told(domain: object, message: str) -> None:
    with pytest.raises(tp.StudyError, match=f"^error: outer/inner.*{message}"):
        read_config({"outer": {"inner": domain()}})  # type: ignore[operator]


def test_what_is_missing_or_wrong_is_told(tmp_path: Path) -> None:
    with pytest.raises(tp.StudyError, match="the search needs a param_space"):
        TunepassSearch(metric="loss", mode="min").suggest("a")
    with pytest.raises(tp.StudyError, match=r"(?s)the search needs a metric and a mode.*give them to TunepassSearch"):
        TunepassSearch(SPACE).suggest("a")
    with pytest.raises(tp.StudyError, match="space is a Space of tunepass"):
        TunepassSearch([1])  # type: ignore[arg-type]
    with pytest.raises(tp.StudyError, match="space has no domain of Ray Tune"):
        TunepassSearch({"a": 1})
    with pytest.raises(tp.StudyError, match="points_to_evaluate is a list of configs"):
        TunepassSearch(points_to_evaluate=[3])  # type: ignore[list-item]
    with pytest.raises(tp.StudyError, match="a value for each point, got 2 for 1"):
        TunepassSearch(points_to_evaluate=[{"batch": 3}], evaluated_rewards=[1.0, 2.0])
    (tmp_path / "state").write_text('{"seed": 0, "trials": [[{"batch": 77}, {"values": {"loss": 1}}]]}')
    with pytest.raises(tp.StudyError):
        search_of({"batch": tune.randint(1, 10)}).restore(str(tmp_path / "state"))
    (tmp_path / "state").write_text("[1]")
    with pytest.raises(tp.StudyError, match="is no state of TunepassSearch"):
        search_of({"batch": tune.randint(1, 10)}).restore(str(tmp_path / "state"))


def test_points_come_first_and_those_with_rewards_are_known() -> None:
    points = [{"batch": 7, "model": {"drop": 0.5}}, {"batch": 2}]
    search = search_of(config(), points_to_evaluate=points)
    first = search.suggest("a")
    copy = pickle.loads(pickle.dumps(search))  # noqa: S301
    assert isinstance(first, dict) and first["batch"] == 7 and first["model"]["drop"] == 0.5
    for each in (search, copy):  # a copy, as Ray makes it, has the points that are left
        second = each.suggest("b")
        assert isinstance(second, dict) and second["batch"] == 2, "what it lacks is the default"
        third = each.suggest("c")
        assert (isinstance(third, dict) and third["batch"] not in (7, 2)) or third["rate"] != second["rate"]
    known = search_of(config(), points_to_evaluate=points, evaluated_rewards=[3.0, 1.0])
    assert [t.outcome.values["loss"] for t in known.study.trials] == [3.0, 1.0]
    with pytest.raises(tp.StudyError, match="batch"):
        search_of(config(), points_to_evaluate=[{"batch": 77}])


def test_a_dictionary_of_domains_is_the_space() -> None:
    search = TunepassSearch({"width": tune.uniform(0, 20), "steps": 100}, metric="loss", mode="min", seed=0)
    assert not search.set_search_properties(config={"steps": 100}), "the tuner's own constants are Ray's to add"
    suggested = search.suggest("a")
    assert isinstance(suggested, dict) and suggested["steps"] == 100 and 0 <= suggested["width"] <= 20
