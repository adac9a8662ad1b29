"""Outcomes by code: kept, taken, and taken up from an earlier session."""

from __future__ import annotations

from tunepass.evaluators.object_cache import ObjectCache
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Measured
from tunepass.study.trial import Trial

FIRST, OTHER = Configuration({"A": 1}), Configuration({"A": 2})


def test_another_configuration_of_the_code_takes_the_outcome_and_keeps_its_own_seconds() -> None:
    known = ObjectCache("the same")
    known.store(FIRST, Evaluation(Measured({"time": 2.0}), {"measure": 1.0}, "warm", 5.0, code="c0de"))
    taken = known.look_up("c0de", {"compile": 0.5})
    assert taken is not None and "c0de" in known
    assert (taken.outcome, taken.same_as, taken.code) == (Measured({"time": 2.0}), FIRST, "c0de")
    assert (taken.seconds, taken.log) == ({"compile": 0.5}, "the same")
    assert known.look_up("other", {}) is None


def test_trials_of_an_earlier_session_are_taken_up_but_for_those_without_code() -> None:
    known = ObjectCache("the same")
    failed = Failed("crash", "SIGSEGV")
    known.remember(
        [
            Trial(0, FIRST, failed, code="a"),
            Trial(1, OTHER, failed, same_as=0, code="a"),
            Trial(2, OTHER, Failed("compile", "no such name")),
        ]
    )
    taken = known.look_up("a", {})
    assert taken is not None and (taken.outcome, taken.same_as) == (failed, FIRST)
    assert "" not in known
