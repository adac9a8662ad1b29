from __future__ import annotations

import pytest

from tunepass.search.drift import at_first_speed
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Measured
from tunepass.study.trial import Trial

FIRST = Trial(0, Configuration({"x": 0}), Measured({"time": 4.0}), calibration=1000.0)


def test_a_time_taken_on_a_slower_machine_is_given_at_the_first_speed() -> None:
    taken = Evaluation(Measured({"time": 8.0}, (8.0,), censored=True), calibration=500.0)
    fair = at_first_speed(taken, [FIRST])
    assert fair.outcome == Measured({"time": 4.0}, (8.0,), censored=True) and fair.calibration == 500.0
    assert "the machine was 50% slower" in fair.log


@pytest.mark.parametrize(
    "evaluation",
    [
        Evaluation(Measured({"time": 8.0}), calibration=960.0),
        Evaluation(Measured({"instructions": 8.0})),
        Evaluation(Failed("crash"), calibration=500.0),
    ],
)
def test_what_is_left_as_it_is(evaluation: Evaluation) -> None:
    assert at_first_speed(evaluation, [FIRST]) is evaluation


def test_the_first_trial_has_nothing_to_be_compared_with() -> None:
    evaluation = Evaluation(Measured({"time": 8.0}), calibration=500.0)
    assert at_first_speed(evaluation, []) is evaluation
