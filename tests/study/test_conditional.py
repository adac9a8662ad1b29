"""Studies of spaces whose parameters have conditions: trials are distinct as programs, for every strategy."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from tunepass.diagnostics import StudyError
from tunepass.search.finalists.simplify import simpler
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space
from tunepass.strategies.density_ratio import importance
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.results.distance import distance_from_default
from tunepass.study.study import Study
from tunepass.study.trial import Trial

TIME = [Objective("time")]
ALGORITHMS = "ABC"
TILES = [1, 2, 4, 8, 16]


def tiled() -> Space:
    tiles = [Ordinal(f"{a}{i}", TILES, log=True, when=f"alg == '{a}'") for a in ALGORITHMS for i in range(2)]
    return Space([Categorical("alg", list(ALGORITHMS)), *tiles])


def mixed() -> Space:
    return Space(
        [
            Categorical("alg", list(ALGORITHMS)),
            Real("rate", 0.0, 1.0, when="alg == 'A'"),
            Permutation("order", 3, when="alg == 'A'"),
            Integer("depth", 1, 6, when="alg == 'B'"),
            Categorical("deep", [False, True], when="depth > 3"),
        ]
    )


def time_of(c: Configuration) -> float:
    numbers = [v for name, v in c.items() if isinstance(v, (int, float)) and name != "deep"]
    return 1 + ALGORITHMS.index(str(c["alg"])) / 10 + sum(abs(math.log2(1 + v) - 2) for v in numbers) / 5


def outcome_of(c: Configuration) -> Outcome:
    return Failed("run", "") if c["alg"] == "C" and len(c) == 1 else Measured({"time": time_of(c)})


def run(study: Study, outcome: Callable[[Configuration], Outcome] = outcome_of, stop: int | None = None) -> list[Trial]:
    while not study.finished and (stop is None or len(study.trials) < stop):
        for configuration in study.suggest():
            study.observe(configuration, outcome(configuration))
    return study.trials


@pytest.mark.parametrize("strategy", ["auto", "random", "density_ratio", "hypermapper"])
@pytest.mark.parametrize("space", [tiled, mixed], ids=["tiled", "mixed"])
def test_trials_are_distinct_programs(space: Callable[[], Space], strategy: str) -> None:
    trial_space = space()
    trials = run(Study(trial_space, TIME, strategy=strategy, max_evals=24))
    assert len({t.configuration for t in trials}) == len(trials) == 24
    assert all(trial_space.contains(t.configuration) for t in trials)


@pytest.mark.parametrize("strategy", ["auto", "random", "exhaustive", "density_ratio"])
def test_a_study_ends_when_all_programs_are_tried(strategy: str) -> None:
    space = Space([Categorical("alg", list(ALGORITHMS)), Integer("depth", 1, 4, when="alg == 'B'")])
    study = Study(space, TIME, strategy=strategy)
    assert len(run(study)) == space.size == 6
    assert study.exhausted


def test_two_objectives() -> None:
    study = Study(mixed(), [Objective("time"), Objective("size")], max_evals=24)
    trials = run(study, lambda c: Measured({"time": time_of(c), "size": float(len(c))}))
    assert len({t.configuration for t in trials}) == 24 and study.pareto


def test_a_resumed_study_goes_on_as_an_undisturbed_one(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    undisturbed = [t.configuration for t in run(Study(mixed(), TIME, max_evals=20))]
    first = Study(mixed(), TIME, max_evals=20, store=store)
    run(first, stop=11)
    first.close()
    second = Study(mixed(), TIME, max_evals=20, store=store)
    assert [t.configuration for t in second.trials] == undisturbed[:11]
    assert [t.configuration for t in run(second)] == undisturbed


def test_a_value_of_an_inactive_parameter_does_not_count() -> None:
    study = Study(mixed(), TIME)
    trial = study.observe({"alg": "C", "rate": 0.5}, Measured({"time": 1.0}))
    assert trial.configuration == Configuration({"alg": "C"})
    with pytest.raises(StudyError, match=r"missing: depth, which is active when alg == 'B'"):
        study.observe({"alg": "B"}, Measured({"time": 1.0}))
    with pytest.raises(StudyError, match="missing: alg"):
        study.observe({"rate": 0.5}, Measured({"time": 1.0}))
    with pytest.raises(StudyError, match="this configuration is trial 0 already"):
        study.observe({"alg": "C", "rate": 0.25}, Measured({"time": 2.0}))


def test_another_condition_is_another_space(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    alg = Categorical("alg", list(ALGORITHMS))
    Study(Space([alg, Integer("depth", 1, 4, when="alg == 'B'")]), TIME, store=store, name="s").close()
    with pytest.raises(StudyError, match=r"parameter depth: .*alg == 'B'.* -> .*alg == 'A'"):
        Study(Space([alg, Integer("depth", 1, 4, when="alg == 'A'")]), TIME, store=store, name="s")


def test_importance_of_a_parameter_is_over_the_trials_in_which_it_is_active() -> None:
    active = "alg == 'A'"
    matters, idle = (Ordinal(name, TILES, when=active) for name in ("matters", "idle"))
    space = Space([Categorical("alg", ["A", "B"]), matters, idle])
    trials = [
        Trial(i, c, Measured({"time": float(c.get("matters", 100))}))  # type: ignore[arg-type]
        for i, c in enumerate(space.enumerate())
    ]
    shares = importance(space, TIME[0], trials)
    assert shares["matters"] > 3 * shares["idle"]


def test_a_parameter_has_no_importance_where_all_trials_with_it_are_equal() -> None:
    space = Space([Categorical("alg", ["A", "B"]), Ordinal("idle", TILES, when="alg == 'A'")])
    study = Study(space, TIME)
    for value in TILES[:5]:  # not all of them, so that they differ from a uniform distribution
        study.observe({"alg": "A", "idle": value}, Measured({"time": 1.0}))
    study.observe({"alg": "B"}, Measured({"time": 2.0}))
    shares = study.importance()
    assert shares["idle"] == 0.0 and shares["alg"] > 0.0


def test_the_best_trial_is_tried_with_less() -> None:
    space = tiled()
    best = Trial(0, Configuration({"alg": "B", "B0": 4, "B1": 1}), Measured({"time": 1.0}))
    assert set(simpler(best, [best], TIME[0], space)) == {
        Configuration({"alg": "A", "A0": 1, "A1": 1}),
        Configuration({"alg": "B", "B0": 1, "B1": 1}),
    }


def test_inactive_parameters_are_no_distance_from_the_default() -> None:
    assert distance_from_default(tiled(), Configuration({"alg": "B", "B0": 1, "B1": 1})) == (1, 1.0)


def test_an_earlier_study_of_a_conditional_space_is_a_prior_mean() -> None:
    space = tiled()
    programs = list(space.enumerate())
    prior = PriorMean.from_observations(programs, [time_of(c) for c in programs])
    assert prior.values(space, space.columns(programs)) == pytest.approx([time_of(c) for c in programs])
    study = Study(space, TIME, prior_mean=prior, max_evals=4)
    run(study, lambda c: Measured({"time": time_of(c)}))
    assert min(t.outcome.values["time"] for t in study.trials if isinstance(t.outcome, Measured)) == min(
        map(time_of, programs)
    )
