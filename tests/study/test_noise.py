"""Measurements with noise: deviations, repeats, what is recommended, what is measured again."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.study.studies import RATE, TIME, Shuffled
from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Ordinal
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, mean_of
from tunepass.study.results.recommendation import Beliefs, gain_of_measuring_again
from tunepass.study.storage.store import Store
from tunepass.study.study import Study
from tunepass.study.trial import Trial


def wide_space() -> Space:
    return Space([Ordinal("tile", [1, 2, 4, 8, 16, 32, 64, 128], log=True, default=1), Integer("unroll", 1, 16)])


def true_time(c: Configuration) -> float:
    tile, unroll = c["tile"], c["unroll"]
    assert isinstance(tile, int) and isinstance(unroll, int)
    return 10.0 + abs(math.log2(tile) - 5) + 0.3 * abs(unroll - 11)


def searched(seed: int, noise: float, most: int = 40, store: str | None = None, objective: Objective = TIME) -> Study:
    """A study that measures what is worth it again."""
    study = Study(wide_space(), [objective], seed=seed, max_evals=most, store=store)
    rng = np.random.default_rng(seed)
    while not study.finished:
        for c in study.again() or study.suggest():
            value = true_time(c) * float(np.exp(noise * rng.normal()))
            study.observe(c, Measured({objective.name: 1000 / value if objective.maximise else value}))
    return study


def test_a_mean_weighs_what_is_surer_more() -> None:
    plain = mean_of([Measured({"time": 1.0}), Measured({"time": 3.0})])
    assert plain.values == {"time": 2.0} and not plain.deviation
    assert plain.repeats == ({"time": 1.0}, {"time": 3.0})
    third = mean_of([plain, Measured({"time": 5.0})])
    assert third.values == {"time": 3.0} and len(third.measurements) == 3
    sure = mean_of([Measured({"time": 1.0}, deviation={"time": 0.1}), Measured({"time": 3.0}, deviation={"time": 0.2})])
    assert sure.values["time"] == pytest.approx(1.4)
    assert sure.deviation["time"] == pytest.approx(1 / math.sqrt(100 + 25))


def test_what_was_cut_short_does_not_count_beside_whole_measurements() -> None:
    whole, cut = Measured({"time": 2.0}), Measured({"time": 9.0}, (9.0,), censored=True)
    assert mean_of([cut, whole]) == whole and mean_of([cut]) == cut


@pytest.mark.parametrize(
    ("deviation", "message"),
    [
        ({"tme": 0.1}, "a deviation is of a measured value, and tme is none; there are time"),
        ({"time": -1.0}, "the deviation of a value is a finite number >= 0, got -1.0"),
        ({"time": math.nan}, "the deviation of a value is a finite number >= 0, got nan"),
    ],
)
def test_deviations_that_make_no_sense(deviation: dict[str, float], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        Measured({"time": 1.0}, deviation=deviation)


def test_measuring_again_costs_an_evaluation_and_keeps_the_trial() -> None:
    study = Study(wide_space(), [TIME], strategy=Shuffled, max_evals=4)
    first = study.space.default
    study.observe(first, Measured({"time": 2.0}), seconds={"measure": 1.0})
    with pytest.raises(StudyError, match=r"trial 0 already(.|\n)*again=True"):
        study.observe(first, Measured({"time": 4.0}))
    study.observe(first, Measured({"time": 4.0}), again=True, seconds={"measure": 2.0})
    (trial,) = study.trials
    assert trial.outcome == Measured({"time": 3.0}, repeats=({"time": 2.0}, {"time": 4.0}))
    assert trial.seconds == {"measure": 3.0}
    assert study.spent == 2 and len(study.suggest(9)) == 2


def test_a_repeat_that_fails_makes_the_trial_a_failed_one() -> None:
    study = Study(wide_space(), [TIME], max_evals=9)
    first = study.suggest()[0]
    study.observe(first, Measured({"time": 2.0}))
    study.observe(first, Failed("crash", "now and then"), again=True)
    assert study.best is None and study.failures == {"crash": 1}


def test_without_a_budget_the_best_is_measured_twice_before_the_search_goes_on() -> None:
    study, rng = Study(wide_space(), [TIME], seed=2), np.random.default_rng(2)
    while study.spent < 25:
        for c in study.again() or study.suggest():
            study.observe(c, Measured({"time": true_time(c) * float(np.exp(0.1 * rng.normal()))}))
    while due := study.again():
        study.observe(due[0], Measured({"time": true_time(due[0]) * float(np.exp(0.1 * rng.normal()))}))
    recommended = study.recommended
    assert recommended is not None and recommended.trial.measured_again


def test_a_study_without_noise_measures_one_configuration_again_and_recommends_the_best() -> None:
    study = searched(0, 0.0)
    assert study.spent == 40 and len(study.trials) == 39
    recommended, best = study.recommended, study.best
    assert recommended is not None and best is not None
    assert recommended.trial == best
    assert recommended.value == pytest.approx(best.outcome.values["time"])  # type: ignore[union-attr]
    assert recommended.interval == pytest.approx((recommended.value, recommended.value))


def test_nothing_known_of_the_noise_recommends_the_best_as_it_is() -> None:
    study = Study(wide_space(), [RATE], max_evals=9)
    assert study.recommended is None and study.again() == []
    first = study.suggest()[0]
    study.observe(first, Measured({"rate": 2.0}))
    recommended = study.recommended
    assert recommended is not None and recommended.trial == study.trials[0]
    assert (recommended.value, recommended.interval) == (2.0, (2.0, 2.0))


@pytest.mark.parametrize("objective", [TIME, RATE])
@pytest.mark.slow_but(2)
def test_noise_is_found_out_and_the_interval_holds_the_truth(objective: Objective) -> None:
    inside = 0
    for seed in range(6):
        study = searched(seed, 0.1, objective=objective)
        recommended = study.recommended
        assert recommended is not None and study.spent == 40 and len(study.trials) < 38
        truth = true_time(recommended.trial.configuration)
        lo, hi = recommended.interval
        assert lo < recommended.value < hi
        inside += lo <= (1000 / truth if objective.maximise else truth) <= hi
    assert inside >= 4


def test_a_lucky_measurement_is_not_recommended_over_a_sure_one() -> None:
    study = Study(wide_space(), [TIME], max_evals=40)
    for number, c in enumerate(study.space.sample(12, np.random.default_rng(0))):
        sure = number == 3
        value = 10.0 if sure else 9.5 if number == 7 else 14.0 + number
        study.observe(c, Measured({"time": value}, deviation={"time": 0.1 if sure else 4.0}))
    recommended = study.recommended
    assert recommended is not None and recommended.trial.number == 3
    best = study.best
    assert best is not None and best.number == 7


def test_a_resumed_study_goes_on_as_an_undisturbed_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'noisy.db'}"
    undisturbed = searched(3, 0.1)
    whole = searched(3, 0.1, most=24, store=url)
    whole.close()
    resumed = Study(wide_space(), [TIME], seed=3, max_evals=24, store=url)
    assert resumed.trials == whole.trials and resumed.spent == whole.spent == 24
    again = Study(wide_space(), [TIME], seed=3, max_evals=40)
    for trial in resumed.trials:
        again.observe(trial.configuration, trial.outcome)
    twin = Study(wide_space(), [TIME], seed=3, max_evals=40)
    for trial in resumed.trials:
        assert isinstance(trial.outcome, Measured)
        for values in trial.outcome.measurements:
            twin.observe(trial.configuration, Measured(values), again=trial.number < len(twin.trials))
    assert twin.trials == again.trials
    assert (twin.again(), twin.suggest()) == (again.again(), again.suggest())
    assert undisturbed.spent == 40


def test_repeats_and_deviations_are_in_the_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    study = Study(wide_space(), [TIME], name="a", store=url)
    first = study.suggest()[0]
    study.observe(first, Measured({"time": 2.0}, deviation={"time": 0.5}))
    study.observe(first, Measured({"time": 3.0}, deviation={"time": 0.5}), again=True)
    study.close()
    with Store(url) as store:
        record = store.study("a")
        assert record is not None
        (trial,) = store.trials(record)
    assert isinstance(trial.outcome, Measured)
    assert trial.outcome.values == {"time": 2.5} and trial.outcome.deviation["time"] == pytest.approx(
        0.5 / math.sqrt(2)
    )
    assert trial.outcome.repeats == ({"time": 2.0}, {"time": 3.0})


def test_a_strategy_without_beliefs_has_those_of_auto() -> None:
    study = Study(wide_space(), [TIME], strategy="random", seed=1, max_evals=30)
    rng = np.random.default_rng(1)
    while not study.finished:
        for c in study.again() or study.suggest():
            study.observe(c, Measured({"time": true_time(c) * float(np.exp(0.1 * rng.normal()))}))
    recommended = study.recommended
    assert recommended is not None and recommended.interval[0] < recommended.interval[1]
    assert any(t.measured_again for t in study.trials)


def test_the_knowledge_gradient_asks_for_close_rivals_and_for_what_is_uncertain() -> None:
    beliefs = Beliefs(
        mean=np.array([1.0, 1.1, 3.0, 1.1]), variance=np.array([0.01, 0.2, 0.2, 0.01]), single=0.2, sign=0
    )
    gain = gain_of_measuring_again(beliefs)
    assert gain.argmax() == 1 and gain[2] < gain[3] < gain[1]
    rng = np.random.default_rng(0)  # by drawing the mean that one more measurement of trial 1 leads to
    moved = 0.2 / math.sqrt(0.4)
    drawn = np.minimum(1.0, 1.1 + moved * rng.normal(size=400_000))
    assert gain[1] == pytest.approx(1.0 - drawn.mean(), rel=0.02)


def test_several_objectives_have_no_recommendation() -> None:
    study = Study(wide_space(), [TIME, RATE])
    with pytest.raises(StudyError, match="`recommended` needs a single objective"):
        _ = study.recommended
    with pytest.raises(StudyError, match="`again` needs a single objective"):
        study.again()


def test_trials_know_how_often_they_were_measured_again() -> None:
    c = Configuration({"tile": 1})
    assert Trial(0, c, Failed("crash")).measured_again == 0
    assert Trial(0, c, mean_of([Measured({"time": 1.0})] * 3)).measured_again == 2


def suggested(seed: int, noise: float, most: int | None, count: int = 100, **settings: bool) -> tuple[Study, list[int]]:
    """A study that only suggests, and the places among its measurements of those of known configurations."""
    study = Study(wide_space(), [TIME], seed=seed, max_evals=most, **settings)
    rng = np.random.default_rng(seed)
    repeats, seen = list[int](), set[Configuration]()
    for place in range(count):
        for c in study.suggest():
            repeats += [place] * (c in seen)
            seen.add(c)
            study.observe(c, Measured({"time": true_time(c) * float(np.exp(noise * rng.normal()))}))
    return study, repeats


def test_a_study_that_measures_the_same_twice_repeats_nothing_more() -> None:
    study, repeats = suggested(1, 0.0, 100)
    assert repeats == [80] and len(study.trials) == 99 and study.finished
    once, repeats = suggested(1, 0.0, 100, repeats=False)
    assert repeats == [] and [t.configuration for t in study.trials] == [t.configuration for t in once.trials[:99]]
    assert suggested(1, 0.0, None)[1] == [80]
    assert suggested(1, 0.0, 79, 79)[1] == []  # a small budget has none to spare
    assert suggested(1, 0.15, 100, repeats=False)[1] == []


def test_noise_that_one_repeat_shows_is_repeated_unasked() -> None:
    study, repeats = suggested(2, 0.15, 100)
    assert repeats[0] == 80 and len(repeats) >= 5 and study.finished
    assert sum(len(t.outcome.repeats) for t in study.trials if isinstance(t.outcome, Measured)) > len(repeats)
    assert study.recommended is not None and study.recommended.trial.measured_again > 0


def test_batches_and_several_workers_do_not_repeat_one_configuration_twice() -> None:
    study = suggested(2, 0.15, 100, 81)[0]
    first, second = study.suggest(2), study.suggest(2)
    assert len({*first, *second}) == len(first) + len(second)


def test_a_study_with_a_pruner_or_several_objectives_repeats_nothing() -> None:
    several = Study(wide_space(), [TIME, RATE], seed=1, max_evals=80)
    while not several.finished:
        for c in several.suggest():
            several.observe(c, Measured({"time": true_time(c), "rate": 1.0}))
    assert len(several.trials) == 80
    with pytest.raises(StudyError, match="repeats is True or False, got 3"):
        Study(wide_space(), [TIME], repeats=3)  # type: ignore[arg-type]
