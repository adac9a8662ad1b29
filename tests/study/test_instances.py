"""Studies on several instances: how values are one, and which configurations leave the race."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import tunepass as tp
from tests.study.studies import RATE, TIME, space
from tunepass.diagnostics import StudyError
from tunepass.study.comparison.instances import Instance, Instances
from tunepass.study.optimize.running_trial import RunningTrial
from tunepass.study.study import Study

SIZES = [1000, 2000, 4000, 8000]


def on(*instances: Instance, **settings: object) -> Instances:
    return Instances(instances, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("across", "losses", "judged"),
    [
        ("mean", [1.0, 3.0, 8.0], 4.0),
        ("worst", [1.0, 3.0, 8.0], 8.0),
        ("worst", [-1.0, -3.0, -8.0], -1.0),  # of rates, the lowest one
        ("geometric mean", [1.0, 4.0, 16.0], 4.0),
        ("geometric mean", [-1.0, -4.0, -16.0], -4.0),
    ],
)
def test_losses_as_one(across: str, losses: list[float], judged: float) -> None:
    assert on("a", "b", "c", across=across).judged(losses) == pytest.approx(judged)


@pytest.mark.parametrize("losses", [[1.0, 0.0], [1.0, -1.0]])
def test_a_geometric_mean_of_several_signs(losses: list[float]) -> None:
    with pytest.raises(StudyError, match=r'geometric mean is of positive values(.|\n)*across="mean"'):
        on("a", "b", across="geometric mean").judged(losses)


def test_the_prediction_follows_the_incumbent() -> None:
    three = on("a", "b", "c")
    assert three.predicted([2.0], [1.0, 5.0, 6.0]) == pytest.approx((2 + 10 + 12) / 3)  # twice as slow
    assert three.predicted([2.0], [1.0, -5.0, 6.0]) == pytest.approx((2 - 4 + 7) / 3)  # one slower
    assert on("a", "b", "c", across="worst").predicted([2.0], [1.0, 5.0, 6.0]) == pytest.approx(12.0)
    assert on("a", "b", "c", across="geometric mean").predicted([2.0], [1.0, 2.0, 4.0]) == pytest.approx(4.0)
    assert three.predicted([-2.0], [-1.0, -5.0, -6.0]) == pytest.approx(-8.0)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_end_of_a_prediction_is_students(sign: int) -> None:
    """By the formula of the module: two seen of four, no earlier configurations: one degree of freedom."""
    best, seen = [1.0, 1.0, 1.0, 1.0], [1.1, 1.3]
    four = on(*SIZES, across="geometric mean", confidence=0.9)
    g = np.log(seen)
    reach = 3.0776835 * g.std(ddof=1) * math.sqrt(1 / 2 + 1 / 2)  # Student's t, 0.9, one degree
    rest = math.exp(g.mean() - sign * reach)
    expected = sign * math.exp(np.log([*seen, rest, rest]).mean())
    losses, incumbent = [sign * v for v in seen], [sign * v for v in best]
    assert four.predicted(losses, incumbent, end=True) == pytest.approx(expected)


def test_earlier_configurations_say_how_much_instances_differ() -> None:
    two, best = on("a", "b"), [1.0, 1.0]
    assert two.predicted([2.0], best, end=True) == pytest.approx(1.0)  # nothing is known: the other may take no time
    alike = two.predicted([2.0], best, [[3.0, 3.0]], end=True)
    different = two.predicted([2.0], best, [[3.0, 6.0]], end=True)
    assert alike == pytest.approx(2.0) and 1.0 < different < 2.0


def test_the_order_is_of_the_names_alone() -> None:
    assert on(*SIZES).order == on(*SIZES[::-1]).order and sorted(on(*SIZES).order) == SIZES
    assert on(*SIZES).order != tuple(SIZES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"instances": []}, "distinct, and at least one"),
        ({"instances": ["a", "a"]}, "distinct"),
        ({"instances": "abc"}, "a list of texts or numbers"),
        ({"instances": [None]}, "a text or a finite number"),
        ({"instances": [True]}, "a text or a finite number"),
        ({"instances": [float("nan")]}, "a text or a finite number"),
        ({"instances": ["a"], "across": "median"}, "across is one of mean, worst, geometric mean"),
        ({"instances": ["a"], "confidence": 0.4}, "0.5 < confidence < 1"),
    ],
)
def test_arguments_that_make_no_sense(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        Instances(**arguments)  # type: ignore[arg-type]


def test_what_a_study_with_instances_refuses() -> None:
    with pytest.raises(StudyError, match="raced by one objective, and the study has time, rate"):
        Study(space(), [TIME, RATE], instances=SIZES)
    with pytest.raises(StudyError, match="takes no pruner"):
        Study(space(), [TIME], instances=SIZES, pruner=tp.SuccessiveHalving())
    raced, plain = Study(space(), [TIME], instances=SIZES), Study(space(), [TIME])
    (first,) = raced.suggest()
    with pytest.raises(StudyError, match="takes its intermediate values from them"):
        raced.report(first, 1, 2.0)
    with pytest.raises(StudyError, match="the study has none"):
        plain.race(first, lambda instance: 1.0)
    with pytest.raises(StudyError, match="under evaluation"):
        raced.race(raced.space.neighbours(first)[0], lambda instance: 1.0)
    with pytest.raises(StudyError, match="an instance has a value of time, got values of rate"):
        raced.race(first, lambda instance: tp.Measured({"rate": 1.0}))


def time_on(trial: RunningTrial) -> float:
    assert isinstance(trial.instance, int)
    return trial.instance * float(trial["tile"]) * (1 + 0.01 * float(trial["unroll"]))


def test_hopeless_configurations_leave_the_race() -> None:
    study, calls = Study(space(), [TIME], instances=SIZES), 0

    def counted(trial: RunningTrial) -> float:
        nonlocal calls
        calls += 1
        return time_on(trial)

    study.optimize(counted, n_trials=12)
    assert study.best is not None
    whole = [t for t in study.trials if not t.censored]
    left = [t for t in study.trials if t.censored]
    assert left and calls == 4 * len(whole) + sum(len(t.intermediate) for t in left)
    for trial in whole:
        mean = np.mean([time_on(RunningTrial(trial.configuration, study, size)) for size in SIZES])
        assert trial.outcome.values["time"] == pytest.approx(mean) and len(trial.intermediate) == 4  # type: ignore[union-attr]
    for trial in left:  # the incumbent's ratio holds on all sizes here, so that the prediction is exact
        mean = np.mean([time_on(RunningTrial(trial.configuration, study, size)) for size in SIZES])
        assert trial.outcome.values["time"] == pytest.approx(mean) and len(trial.intermediate) < 4  # type: ignore[union-attr]


def test_without_confidence_nothing_leaves() -> None:
    study = Study(space(), [TIME], instances=on(*SIZES, confidence=None))
    study.optimize(time_on, n_trials=8)
    assert all(len(trial.intermediate) == 4 and not trial.censored for trial in study.trials)


def test_larger_is_better_for_a_rate() -> None:
    study = Study(space(), [RATE], instances=on(*SIZES, across="worst"))
    study.optimize(lambda trial: 1e6 / time_on(trial), n_trials=12)
    assert study.best is not None and any(trial.censored for trial in study.trials)
    rates = [1e6 / time_on(RunningTrial(study.best.configuration, study, size)) for size in SIZES]
    assert study.best.outcome.values["rate"] == pytest.approx(min(rates))  # type: ignore[union-attr]


def test_an_instance_that_fails_fails_the_trial() -> None:
    study = Study(space(), [TIME], instances=SIZES)

    def train(trial: RunningTrial) -> float:
        if trial.instance == 4000:
            raise ValueError("diverged")
        return 1.0

    study.optimize(train, n_trials=1, catch=ValueError)
    (trial,) = study.trials
    assert isinstance(trial.outcome, tp.Failed) and trial.outcome.log.startswith("on the instance 4000: ")
    with pytest.raises(ValueError, match="diverged"):
        study.optimize(train, n_trials=1)
    assert len(study.trials) == 1


def test_an_interrupted_race_goes_on_where_it_was(tmp_path: Path) -> None:
    url, seen = f"sqlite:///{tmp_path}/s.db", list[Instance]()

    def interrupted(instance: Instance) -> float:
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(instance)
        return 3.0

    first = Study(space(), [TIME], instances=SIZES, store=url, name="raced")
    (configuration,) = first.suggest()
    with pytest.raises(KeyboardInterrupt):
        first.race(configuration, interrupted)
    first.close()
    second = Study(space(), [TIME], instances=SIZES[::-1], store=url, name="raced")
    (again,) = second.suggest()
    assert again == configuration

    def rest(instance: Instance) -> float:
        seen.append(instance)
        return 5.0

    trial = second.race(again, rest)
    assert tuple(seen) == on(*SIZES).order and trial.outcome == tp.Measured({"time": 4.0})
    with pytest.raises(StudyError, match=r"across: mean -> worst\n  instances: 1000, 2000"):
        Study(space(), [TIME], instances=on(*SIZES, 16000, across="worst"), store=url, name="raced")


def test_threads_race_side_by_side() -> None:
    study = Study(space(), [TIME], instances=SIZES)
    study.optimize(time_on, n_trials=12, n_jobs=3)
    assert len(study.trials) == 12 and len({t.configuration for t in study.trials}) == 12


def test_a_wider_space_keeps_the_races() -> None:
    study = Study(space(), [TIME], instances=SIZES)
    study.optimize(time_on, n_trials=6)
    wider = study.with_space(tp.Space([*space().parameters, tp.Categorical("extra", [0, 1])], ["tile % unroll == 0"]))
    assert wider.instances == study.instances and len(wider.trials) == 6
    assert [t.intermediate for t in wider.trials] == [t.intermediate for t in study.trials]
