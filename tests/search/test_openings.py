"""Openings: in their order, then what follows the best of them, or takes the place of one that failed."""

from __future__ import annotations

from tunepass.search.openings import due_openings
from tunepass.space.configuration import Configuration
from tunepass.space.opening import Opening
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.ordinal import Ordinal
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.trial import Trial

SPACE = Space([Categorical("shape", ("a", "b", "c")), Ordinal("jam", [1, 2, 4])], ['shape != "c" or jam <= 2'])
TIME = Objective("time", unit="ms")
OPENINGS = (
    Opening((("shape", "b"),)),
    Opening((("shape", "b"), ("jam", 4)), 0),
    Opening((("shape", "c"),)),
    Opening((("shape", "c"), ("jam", 2)), 2),
    Opening((("shape", "c"), ("jam", 4)), 2),  # not feasible
    Opening((("shape", "a"), ("jam", 4)), 0, "failed"),
)


def at(shape: str, jam: int) -> Configuration:
    return Configuration({"shape": shape, "jam": jam})


def due(*known: tuple[Configuration, Outcome]) -> list[Configuration]:
    trials = [Trial(number, configuration, outcome) for number, (configuration, outcome) in enumerate(known)]
    return due_openings(OPENINGS, trials, TIME, SPACE)


def took(value: float) -> Measured:
    return Measured({"time": value})


def test_those_that_wait_for_nothing_come_first() -> None:
    assert due((at("a", 1), took(10.0))) == [at("b", 1), at("c", 1)]
    assert due((at("a", 1), took(10.0)), (at("b", 1), took(2.0))) == [at("c", 1), at("b", 4)]


def test_what_follows_the_best_comes_before_what_follows_another() -> None:
    measured = [(at("a", 1), took(10.0)), (at("b", 1), took(2.5)), (at("c", 1), took(2.0))]
    assert due(*measured) == [at("c", 2), at("b", 4)]


def test_nothing_follows_what_is_far_behind() -> None:
    assert due((at("b", 1), took(4.1)), (at("c", 1), took(2.0))) == [at("c", 2)]


def test_another_takes_the_place_of_one_that_failed() -> None:
    wrong = Failed("wrong_result", "")
    assert due((at("b", 1), wrong), (at("c", 1), wrong)) == [at("a", 4)]
