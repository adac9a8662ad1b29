"""TunepassSampler in studies of Optuna: the search is tunepass's own, and nothing that Optuna knows is lost."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

pytest.importorskip("optuna", minversion="5.0", reason="Optuna is not installed: pip install 'tunepass[optuna]'")

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

import tunepass as tp
from tunepass.integrations.optuna import TunepassSampler, suggest

optuna.logging.set_verbosity(optuna.logging.WARNING)

PLAIN = [
    [tp.Real("x", -5.0, 5.0), tp.Integer("n", 1, 20), tp.Categorical("k", ["a", "b", "c"])],
    [tp.Real("x", 1e-4, 1.0, log=True), tp.Real("y", 0.0, 1.0, step=0.1)],
    [tp.Integer("n", 1, 64, log=True), tp.Integer("m", 0, 12, step=3), tp.Categorical("flag", [False, True])],
    [tp.Categorical("depth", [None, 3, 5]), tp.Categorical("size", [16, 32, 64]), tp.Real("x", 0.0, 1.0)],
]
STATED = [
    tp.Space(
        [
            tp.Ordinal("tile", [4, 8, 16, 32, 64], log=True),
            tp.Integer("unroll", 1, 16),
            tp.Categorical("schedule", ["static", "dynamic"]),
            tp.Permutation("order", 4),
        ],
        ["tile % unroll == 0", "order[3] == 3"],
    ),
    tp.Space(
        [
            tp.Categorical("kernel", ["linear", "rbf", "poly"]),
            tp.Real("gamma", 0.01, 10.0, log=True, when="kernel == 'rbf'"),
            tp.Integer("degree", 2, 4, when="kernel == 'poly'"),
        ]
    ),
    tp.Space([tp.Permutation("loops", ["i", "j", "k"]), tp.Integer("a", 1, 8), tp.Integer("b", 1, 8)], ["a * b <= 16"]),
    *(tp.Space(parameters) for parameters in PLAIN),
]


def loss(values: Mapping[str, object]) -> float:
    """A smooth function of any values, the same for equal ones."""
    total = 0.0
    for place, (name, value) in enumerate(sorted(values.items())):
        items = value if isinstance(value, tuple) else (value,)
        for item in items:
            number = item if isinstance(item, int | float) and item is not None else len(str(item)) + ord(str(item)[0])
            total = 0.7 * total + (float(number) - place - len(name)) ** 2 / 100
    return total


def native(space: tp.Space, trials: int, seed: int, objective: tp.Objective | None = None) -> list[dict[str, object]]:
    study = tp.Study(space, [objective or tp.Objective("value")], seed=seed)
    for _ in range(trials):
        for configuration in study.suggest():
            value = loss(configuration)
            study.observe(configuration, tp.Measured({"value": value}) if value < 40 else tp.Failed("run"))
    return [dict(trial.configuration) for trial in study.trials]


def measured(configuration: Mapping[str, object]) -> float:
    value = loss(configuration)
    if value >= 40:
        raise MemoryError
    return value


@pytest.mark.parametrize("place", range(len(STATED)))
def test_a_given_space_is_searched_as_by_a_native_study(place: int) -> None:
    space, tried = STATED[place], []

    def objective(trial: optuna.Trial) -> float:
        tried.append(dict(suggest(trial, space)))
        return measured(tried[-1])

    study = optuna.create_study(sampler=TunepassSampler(space, seed=place))
    study.optimize(objective, n_trials=15, catch=MemoryError)
    assert tried == native(space, 15, place)[:15]


@pytest.mark.parametrize("place", range(len(PLAIN)))
def test_an_inferred_space_is_searched_as_by_a_native_study(place: int) -> None:
    space = tp.Space(PLAIN[place])
    study = optuna.create_study(sampler=TunepassSampler(seed=place))
    study.optimize(lambda trial: measured(suggest(trial, space)), n_trials=15, catch=MemoryError)
    assert [trial.params for trial in study.trials] == native(space, 15, place)


def test_a_maximised_objective_and_announced_trials_are_those_of_a_native_study() -> None:
    space = tp.Space([tp.Integer("n", 1, 12)])
    study = optuna.create_study(direction="maximize", sampler=TunepassSampler(seed=0, max_evals=12))
    study.optimize(lambda trial: -abs(trial.suggest_int("n", 1, 12) - 7), n_trials=12)
    assert sorted(trial.params["n"] for trial in study.trials) == list(range(1, 13)), "listed"
    study.optimize(lambda trial: -abs(trial.suggest_int("n", 1, 12) - 7), n_trials=2)
    assert len(study.trials) == 14, "values come again where all were tried"
    assert study.best_params == {"n": 7} and space.contains(study.best_params)


def branches(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("model", ["tree", "svm", "none"]) == "svm":
        if trial.suggest_categorical("kernel", ["rbf", "linear"]) == "rbf":
            return abs(trial.suggest_float("gamma", 0.01, 1.0, log=True) - 0.1)
        return 1.0
    layers = trial.suggest_int("layers", 1, 3)
    return 1.0 + sum(trial.suggest_int(f"units {layer}", 1, 8) for layer in range(layers)) / 10


def test_conditions_are_inferred_from_what_trials_suggest() -> None:
    sampler = TunepassSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    for values in ({"model": "tree", "layers": 3}, {"model": "none", "layers": 1}, {"model": "none", "layers": 2}):
        study.enqueue_trial(values)
    study.optimize(branches, n_trials=16)
    native_study = sampler.native_study(study)
    assert native_study is not None
    conditions = {p.name: str(p.when) for p in native_study.space.parameters if p.when is not None}
    assert conditions["kernel"] == 'model == "svm"' and conditions["gamma"] == 'kernel == "rbf"'
    assert conditions["units_1"] == "layers >= 2" and conditions["units_2"] == "layers >= 3"
    assert len(native_study.trials) == 16 and study.best_value < 0.2


def test_a_parameter_may_depend_on_one_value_of_a_real_one() -> None:
    def at_half(trial: optuna.Trial) -> float:
        rate = trial.suggest_float("rate", 0.0, 1.0)
        return trial.suggest_float("momentum", 0.0, 1.0) if rate == 0.5 else 2.0 + rate

    sampler = TunepassSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    for rate in (0.25, 0.5, 0.75):
        study.enqueue_trial({"rate": rate})
    study.optimize(at_half, n_trials=6)
    native_study = sampler.native_study(study)
    assert native_study is not None and len(native_study.trials) == 6
    assert [str(p.when) for p in native_study.space.parameters if p.when is not None] == ["rate == 0.5"]


def test_values_of_a_real_that_are_apart_by_chance_are_no_condition() -> None:
    def asked(trial: optuna.Trial) -> float:
        kernel, cost = trial.suggest_categorical("kernel", ["linear", "poly"]), trial.suggest_float("cost", 0.0, 1.0)
        degree = trial.suggest_int("degree", 2, 5) if kernel == "poly" else 0
        return cost + (trial.suggest_float("shift", 0.0, 1.0) if degree > 3 else 1.0)

    sampler = TunepassSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(asked, n_trials=20)
    native_study = sampler.native_study(study)
    assert native_study is not None
    conditions = {p.name: str(p.when) for p in native_study.space.parameters if p.when is not None}
    assert conditions == {"degree": 'kernel == "poly"', "shift": "degree >= 4"}


def test_failed_pruned_and_infeasible_trials_teach() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0.0, 1.0)
        match trial.number % 5:
            case 1:
                raise MemoryError
            case 2:
                trial.report(x, step=0)
                raise optuna.TrialPruned
            case 3:
                raise optuna.TrialPruned
            case 4:
                trial.set_constraint("memory", 2.0)
        return x if trial.number != 5 else float("nan")

    sampler = TunepassSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=6, catch=MemoryError)
    native_study = sampler.native_study(study)
    assert native_study is not None
    outcomes = [trial.outcome for trial in native_study.trials]
    best = study.trials[0].values[0]
    assert [type(outcome).__name__ for outcome in outcomes] == [
        *("Measured", "Failed", "Measured", "Infeasible", "Infeasible", "Failed")
    ]
    assert outcomes[2] == tp.Measured({"value": best}, censored=True)
    assert outcomes[3:5] == [tp.Infeasible("pruned"), tp.Infeasible("memory")]


def test_constraints_as_samplers_of_optuna_4_take_them() -> None:
    sampler = TunepassSampler(seed=0, constraints_func=lambda trial: [trial.params["x"] - 0.4])
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: -trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    native_study = sampler.native_study(study)
    assert native_study is not None and native_study.best is not None
    assert native_study.best.configuration["x"] <= 0.4
    assert native_study.failures["infeasible"] == sum(trial.params["x"] > 0.4 for trial in study.trials)
    nan = optuna.create_study(sampler=TunepassSampler(constraints_func=lambda trial: [float("nan")]))
    with pytest.raises(tp.StudyError, match="constraint values are numbers"):
        nan.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=1)


def test_several_objectives_of_both_directions() -> None:
    sampler = TunepassSampler(seed=0, objectives=[tp.Objective("time"), tp.Objective("rate", maximise=True)])
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler)

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        n = trial.suggest_int("n", 1, 30)
        return n, n * trial.suggest_float("x", 0.0, 1.0)

    study.optimize(objective, n_trials=10)
    native_study = sampler.native_study(study)
    assert native_study is not None and len(native_study.trials) == 10
    front = {trial.configuration["n"] for trial in native_study.pareto}
    assert front == {trial.params["n"] for trial in study.best_trials}
    other = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
    with pytest.raises(tp.StudyError, match=r"min time, max rate, the study's directions minimize, minimize"):
        other.optimize(objective, n_trials=1)


@pytest.mark.parametrize("kind", [pytest.param("rdb", marks=pytest.mark.slow), "journal"])
def test_workers_believe_what_others_evaluate(kind: str, tmp_path: Path) -> None:
    def storage() -> optuna.storages.BaseStorage:
        if kind == "rdb":
            return optuna.storages.RDBStorage(f"sqlite:///{tmp_path / 'runs.db'}")
        backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "runs.log"))
        return optuna.storages.JournalStorage(backend)

    def worker(seed: int) -> optuna.Study:
        return optuna.create_study(
            study_name="shared", storage=storage(), load_if_exists=True, sampler=TunepassSampler(seed=seed)
        )

    def point(trial: optuna.Trial) -> tuple[int, str]:
        return trial.suggest_int("n", 1, 3), trial.suggest_categorical("k", ["a", "b"])

    first, second = worker(7), worker(7)  # the same seed: only what runs elsewhere keeps them apart
    begun = [first.ask()]
    first.tell(begun[0], float(point(begun[0])[0]))
    trials = [study.ask() for study in (second, first, second, first, second)]
    points = [point(trial) for trial in trials]
    assert len({*points, point(begun[0])}) == 6, "all configurations once"
    for trial, study in zip(trials, (first, second, first, second, first)):
        study.tell(trial.number, float(trial.params["n"]))
    assert len(worker(1).trials) == 6


def test_threads_share_a_sampler() -> None:
    sampler = TunepassSampler(STATED[0], seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: loss(suggest(trial, STATED[0])), n_trials=12, n_jobs=3)
    assert len({tuple(sorted(trial.params.items())) for trial in study.trials}) == 12


def test_enqueued_and_fixed_values_are_completed_within_the_space() -> None:
    space = STATED[0]
    sampler = TunepassSampler(space, seed=0)
    study = optuna.create_study(sampler=sampler)
    study.enqueue_trial({"unroll": 8, "order[0]": 2})
    configurations = []

    def objective(trial: optuna.Trial) -> float:
        configurations.append(suggest(trial, space))
        return loss(configurations[-1])

    study.optimize(objective, n_trials=3)
    assert configurations[0]["unroll"] == 8 and configurations[0]["tile"] % 8 == 0
    assert configurations[0]["order"][0] == 2 and configurations[1] == space.default
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.sampler = optuna.samplers.PartialFixedSampler({"unroll": 4, "schedule": "dynamic"}, sampler)
    study.optimize(objective, n_trials=4)
    assert all(c["unroll"] == 4 and c["schedule"] == "dynamic" and space.contains(c) for c in configurations[3:])
    assert len(set(configurations)) == 7
    study.enqueue_trial({"tile": 4, "unroll": 16})
    with pytest.raises(tp.StudyError, match="no configuration of the space has tile=4, unroll=16"):
        study.sampler = sampler
        study.optimize(objective, n_trials=1)


def test_values_enqueued_into_an_inferred_space_are_kept() -> None:
    study = optuna.create_study(sampler=TunepassSampler(seed=0))
    study.enqueue_trial({"x": 0.25})
    study.enqueue_trial({"x": 0.75, "n": 3})
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + trial.suggest_int("n", 1, 9), n_trials=4)
    assert [trial.params["x"] for trial in study.trials][:2] == [0.25, 0.75] and study.trials[1].params["n"] == 3


def test_any_choices_ranges_that_change_and_names_that_are_no_identifiers() -> None:
    def objective(trial: optuna.Trial) -> float:
        high = trial.suggest_int("model/high", 2, 9)
        choice = trial.suggest_categorical("a choice", [1, "1", None, True, 2.5])
        single = trial.suggest_categorical("and", ["only"])
        return trial.suggest_float("lambda", 0.0, high) + (choice == "1") + len(single)

    sampler = TunepassSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=12)
    native_study = sampler.native_study(study)
    assert native_study is not None
    assert sum(trial.measured for trial in native_study.trials) == 12
    assert set(native_study.failures) <= {"infeasible"}, "values planned beyond a trial's range"
    assert [p.name for p in native_study.space.parameters] == ["model_high", "a_choice", "lambda"]
    assert {type(trial.params["a choice"]) for trial in study.trials} == {int, str, type(None), float}, (
        "1 and True are one"
    )


def test_steps_that_tunepass_does_not_count_are_drawn() -> None:
    study = optuna.create_study(sampler=TunepassSampler(seed=0))
    study.optimize(lambda t: t.suggest_float("x", 0, 1e9, step=0.5) + t.suggest_int("n", 0, 2**70), n_trials=3)
    assert len({trial.params["x"] for trial in study.trials}) == 3


def test_a_sampler_is_pickled_and_goes_on() -> None:
    sampler = TunepassSampler(seed=5)
    study = optuna.create_study(sampler=sampler)
    objective: Callable[[optuna.Trial], float] = lambda trial: trial.suggest_float("x", 0, 1)  # noqa: E731
    study.optimize(objective, n_trials=6)
    again = optuna.create_study(sampler=pickle.loads(pickle.dumps(sampler)))  # noqa: S301
    again.optimize(objective, n_trials=3)
    again.sampler = pickle.loads(pickle.dumps(sampler))  # noqa: S301
    again.optimize(objective, n_trials=3)
    assert [trial.params for trial in again.trials] == [trial.params for trial in study.trials]


def test_any_distribution_that_has_the_values_fits_a_given_space() -> None:
    space = tp.Space([tp.Ordinal("tile", [4, 8, 16]), tp.Permutation("order", 3)])
    study = optuna.create_study(sampler=TunepassSampler(space, seed=0))

    def objective(trial: optuna.Trial) -> float:
        orders = ["0 1 2", "0 2 1", "1 0 2", "1 2 0", "2 0 1", "2 1 0"]
        return trial.suggest_int("tile", 1, 64) + int(trial.suggest_categorical("order", orders)[0])

    study.optimize(objective, n_trials=18)
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 18
    assert {trial.params["tile"] for trial in study.trials} == {4, 8, 16}


@pytest.mark.parametrize(
    ("name", "distribution", "message"),
    [
        ("tiles", IntDistribution(1, 64), "suggests 'tiles', which the space does not have"),
        ("tile", IntDistribution(5, 7), "suggests 'tile' by IntDistribution.*, which lacks its value 4"),
        ("tile", CategoricalDistribution(["4"]), None),
        ("tile", CategoricalDistribution(["4", "8"]), "which lacks its value 4"),
        ("gamma", FloatDistribution(0, 1), "suggests 'gamma', which is inactive: it is active when fast"),
    ],
)
def test_suggestions_that_do_not_fit_the_space(
    name: str, distribution: optuna.distributions.BaseDistribution, message: str | None
) -> None:
    space = tp.Space(
        [tp.Ordinal("tile", [4, 8]), tp.Categorical("fast", [False, True]), tp.Real("gamma", 0, 1, when="fast")]
    )
    study = optuna.create_study(sampler=TunepassSampler(space, seed=0))
    if message is None:  # Optuna asks no sampler for a single value
        assert study.ask({name: distribution}).params == {"tile": "4"}
        return
    with pytest.raises(tp.StudyError, match=message):
        study.ask({name: distribution})


def test_trials_outside_the_space_are_named() -> None:
    study = optuna.create_study(sampler=TunepassSampler(STATED[0], seed=0))
    study.add_trial(optuna.create_trial(params={"tile": 5}, distributions={"tile": IntDistribution(1, 9)}, value=1.0))
    with pytest.warns(UserWarning, match="1 trials of the study are not in the space .* trial 0: tile=5"):
        suggest(study.ask(), STATED[0])


def test_another_sampler_leaves_the_space() -> None:
    space = tp.Space([tp.Integer("a", 1, 9), tp.Integer("b", 1, 9)], ["a < b"])
    study = optuna.create_study(sampler=TunepassSampler(space, seed=0))
    study.enqueue_trial({"a": 5, "b": 5})
    with pytest.warns(UserWarning, match="1 trials of the study are not in the space"):
        study.optimize(lambda trial: suggest(trial, space)["a"], n_trials=2)
    assert [trial.state.name for trial in study.trials] == ["PRUNED", "COMPLETE"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"space": [1]}, "a study searches a Space"),
        ({"seed": -1}, "a seed is a whole number >= 0"),
        ({"max_evals": 0}, "max_evals is at least 1"),
        ({"objectives": []}, "objectives with distinct names"),
        ({"constraints_func": 3}, "constraints_func is a function of a trial"),
        ({"prior_mean": 3}, "a prior mean is a PriorMean"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(tp.StudyError, match=message):
        TunepassSampler(**arguments)  # type: ignore[arg-type]
