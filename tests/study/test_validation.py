from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tunepass.diagnostics import StudyError, TunepassError
from tunepass.reports.plots import plot
from tunepass.space.parameter import Categorical, Ordinal
from tunepass.space.space import Space
from tunepass.study.comparison.instances import Instances
from tunepass.study.objective import Objective, objectives_text
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.storage.json_text import log_tail
from tunepass.study.study import Study
from tunepass.study.validation import valid_budget, valid_objectives, valid_outcome, valid_seconds

TIME, RATE = Objective("time", unit="ms"), Objective("rate", maximise=True)


def test_what_fits_is_taken_as_it_is() -> None:
    assert valid_objectives([TIME, RATE]) == (TIME, RATE) and objectives_text((TIME, RATE)) == "min time (ms), max rate"
    assert valid_budget(None) is None and valid_budget(1) == 1
    assert valid_seconds(None) == {} and valid_seconds({"compile": 1}) == {"compile": 1.0}
    both = Measured({"time": 1.0, "rate": 2.0})
    assert valid_outcome(both, (TIME, RATE)) is both


def test_logs_are_cut_to_their_ends() -> None:
    long = "x" * 1_000_000
    assert valid_outcome(Failed("run", long), (TIME,)) == Failed("run", log_tail(long))
    assert valid_outcome(Infeasible(long), (TIME,)) == Infeasible(log_tail(long))


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_seconds_are_finite_and_not_negative(seconds: float) -> None:
    with pytest.raises(StudyError, match="seconds of stage link"):
        valid_seconds({"link": seconds})


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(StudyError, match=r"no objective 'rat'(.|\n)*did you mean 'rate'"):
        valid_outcome(Measured({"rat": 1.0}), (TIME, RATE))
    with pytest.raises(StudyError, match="missing: rate"):
        valid_outcome(Measured({"time": 1.0}), (TIME, RATE))
    with pytest.raises(StudyError, match="distinct names, got time, time"):
        valid_objectives([TIME, TIME])
    with pytest.raises(StudyError, match="at least 1"):
        valid_budget(0)


def test_thresholds_are_finite_numbers_of_several_objectives() -> None:
    near = Objective("rate", maximise=True, reference=10, limit=30.0)
    assert (near.reference, near.limit) == (10.0, 30.0) and valid_objectives([TIME, near]) == (TIME, near)
    for wrong in (float("nan"), float("inf"), True, "5"):
        with pytest.raises(StudyError, match="the limit is a finite number, or None"):
            Objective("time", limit=wrong)  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="limit is at least as good as the reference, got limit 5, reference 10"):
        Objective("rate", maximise=True, reference=10, limit=5)
    for one in (Objective("time", limit=2.0), Objective("time", reference=2.0)):
        with pytest.raises(StudyError, match="among several objectives, got one: time"):
            valid_objectives([one])


def test_thresholds_are_no_part_of_an_objective_s_meaning() -> None:
    assert Objective("time", limit=2.0) == Objective("time", reference=9.0) == Objective("time")


LIST = [1, 2]  # of no argument below


@pytest.mark.parametrize(
    "wrong",
    [
        lambda study: Study(study.space, [TIME], store=0),
        lambda study: Study(study.space, [TIME], store=np.array(LIST)),
        lambda study: Study(study.space, [TIME], prior_mean={}),
        lambda study: Study(study.space, [TIME], instances=b"ab"),
        lambda study: study.suggest(shared=None),
        lambda study: study.suggest(shared={"tile": 4}),
        lambda study: Instances(LIST, across=np.array(LIST)),
        lambda study: Failed(np.array(LIST)),
        lambda study: Measured({"time": 1.0}, deviation=np.array(LIST)),
        lambda study: plot(study, LIST),
        lambda study: study.space.completed(LIST),
        lambda study: study.space.columns(3),
        lambda study: study.space.columns({"tile": 4}),
        lambda study: study.space.sample(10**30, np.random.default_rng(0)),
        lambda study: study.space.sample(1, np.random.default_rng(0), prior="yes"),
        lambda study: Space.from_table([{"tile": LIST}, {"tile": 4}]),
        lambda study: Ordinal("tile", LIST, default=np.array(LIST)),
        lambda study: Categorical("tile", LIST, default=np.array(LIST)),
        lambda study: Ordinal("tile", b"12"),
    ],
)
def test_an_argument_of_another_kind_is_a_typed_error(wrong: Callable[[Study], object]) -> None:
    study = Study(Space([Ordinal("tile", [4, 8])]), [TIME])
    with pytest.raises(TunepassError, match=r"got|no plot|is not one of its values"):
        wrong(study)
    assert not study.space.contains({"tile": np.array(LIST)})
