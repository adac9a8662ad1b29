from __future__ import annotations

import pytest

from tunepass.diagnostics import StudyError
from tunepass.study.checked import checked_budget, checked_objectives, checked_outcome, checked_seconds, listed
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.storage.codec import tail

TIME, RATE = Objective("time", unit="ms"), Objective("rate", maximise=True)


def test_what_fits_is_taken_as_it_is() -> None:
    assert checked_objectives([TIME, RATE]) == (TIME, RATE) and listed((TIME, RATE)) == "min time (ms), max rate"
    assert checked_budget(None) is None and checked_budget(1) == 1
    assert checked_seconds(None) == {} and checked_seconds({"compile": 1}) == {"compile": 1.0}
    both = Measured({"time": 1.0, "rate": 2.0})
    assert checked_outcome(both, (TIME, RATE)) is both


def test_logs_are_cut_to_their_ends() -> None:
    long = "x" * 1_000_000
    assert checked_outcome(Failed("run", long), (TIME,)) == Failed("run", tail(long))
    assert checked_outcome(Infeasible(long), (TIME,)) == Infeasible(tail(long))


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_seconds_are_finite_and_not_negative(seconds: float) -> None:
    with pytest.raises(StudyError, match="seconds of stage link"):
        checked_seconds({"link": seconds})


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(StudyError, match=r"no objective 'rat'(.|\n)*did you mean 'rate'"):
        checked_outcome(Measured({"rat": 1.0}), (TIME, RATE))
    with pytest.raises(StudyError, match="missing: rate"):
        checked_outcome(Measured({"time": 1.0}), (TIME, RATE))
    with pytest.raises(StudyError, match="distinct names, got time, time"):
        checked_objectives([TIME, TIME])
    with pytest.raises(StudyError, match="at least 1"):
        checked_budget(0)
