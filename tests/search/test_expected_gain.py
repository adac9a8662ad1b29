"""The gain that a further evaluation is expected to bring, and the callback that stops by it."""

from __future__ import annotations

import pytest

import tunepass as tp
from tunepass.search.expected_gain import expected_gain


def bowl(trial: tp.Configuration) -> float:
    x, y = trial["x"], trial["y"]
    assert isinstance(x, (int, float)) and isinstance(y, (int, float))
    return 1 + (x - 0.3) ** 2 + (y + 0.2) ** 2


def study_of(**options: object) -> tp.Study:
    space = tp.Space([tp.Real("x", -2, 2), tp.Real("y", -2, 2)])
    return tp.Study(space, [tp.Objective("loss")], seed=1, **options)  # type: ignore[arg-type]


def test_the_gain_falls_as_the_search_converges() -> None:
    study = study_of()
    study.optimize(bowl, n_trials=3)
    assert expected_gain(study) is None, "too few trials say nothing"
    study.optimize(bowl, n_trials=5)
    early = expected_gain(study)
    study.optimize(bowl, n_trials=22)
    late = expected_gain(study)
    assert early is not None and late is not None and late < early / 5


@pytest.mark.parametrize("maximise", [False, True])
def test_a_search_stops_when_no_gain_is_expected(maximise: bool) -> None:
    space = tp.Space([tp.Real("x", -2, 2), tp.Real("y", -2, 2)])
    study = tp.Study(space, [tp.Objective("rate", maximise=maximise)], seed=1)
    stop = tp.StopWhenNoGain(least_gain=0.005)
    study.optimize(lambda trial: 100 / bowl(trial) if maximise else bowl(trial), n_trials=80, callbacks=[stop])
    best = study.best
    assert best is not None and isinstance(best.outcome, tp.Measured) and 10 < len(study.trials) < 80
    assert bowl(best.configuration) < 1.05


def test_nothing_is_expected_of_a_space_that_is_tried_whole() -> None:
    study = tp.Study(tp.Space([tp.Integer("x", 0, 3), tp.Integer("y", 0, 1)]), [tp.Objective("loss")])
    study.optimize(bowl)
    assert expected_gain(study) == 0.0


def test_failures_alone_say_nothing() -> None:
    study = study_of()
    stop = tp.StopWhenNoGain(first=2, patience=1)
    study.optimize(lambda trial: tp.Failed("run"), n_trials=6, callbacks=[stop])
    assert len(study.trials) == 6


@pytest.mark.parametrize("arguments", [{"least_gain": 0}, {"least_gain": "a"}, {"patience": 0}, {"first": 1.5}])
def test_wrong_arguments(arguments: dict[str, int]) -> None:
    with pytest.raises(tp.StudyError):
        tp.StopWhenNoGain(**arguments)


def test_several_objectives_are_an_error() -> None:
    study = tp.Study(tp.Space([tp.Integer("x", 0, 3)]), [tp.Objective("a"), tp.Objective("b")])
    with pytest.raises(tp.StudyError, match="single objective"):
        expected_gain(study)
    assert "least_gain=0.001" in repr(tp.StopWhenNoGain())
