from __future__ import annotations

from collections.abc import Callable

from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.trial import Trial
from tunepass.tuning.simplify import simpler

TIME = Objective("time", unit="ms")
SPACE = Space([Integer(name, 0, 3, default=0) for name in "abc"], ["a + b + c != 1 or b == 1"])


def at(a: int, b: int, c: int) -> Configuration:
    return Configuration({"a": a, "b": b, "c": c})


def asked(
    best: Configuration, price: Callable[[Configuration], float | Outcome], space: Space = SPACE
) -> list[Configuration]:
    """All that is asked for in turn, the best staying the best."""

    def tried(configuration: Configuration) -> Trial:
        found = price(configuration)
        outcome = Measured({"time": found}) if isinstance(found, float) else found
        return Trial(len(trials), configuration, outcome)

    trials: list[Trial] = []
    trials.append(tried(best))
    while following := simpler(trials[0], trials, TIME, space):
        trials.extend([tried(c) for c in following])
    return [t.configuration for t in trials[1:]]


def test_each_is_put_back_alone_then_what_hardly_matters_together_cheapest_first() -> None:
    prices = {at(2, 3, 2): 1.0, at(0, 3, 2): 1.08, at(2, 0, 2): 1.05, at(2, 3, 0): 1.02, at(2, 0, 0): 1.01}
    assert asked(at(2, 3, 2), lambda c: prices.get(c, 0.99)) == [
        at(0, 3, 2),
        at(2, 0, 2),
        at(2, 3, 0),
        at(2, 0, 0),
        at(0, 0, 0),
    ]


def test_what_matters_or_fails_stays() -> None:
    prices: dict[Configuration, float | Outcome] = {at(2, 3, 2): 1.0, at(0, 3, 2): 1.2, at(2, 0, 2): Failed("run")}
    assert asked(at(2, 3, 2), lambda c: prices.get(c, 1.01)) == [at(0, 3, 2), at(2, 0, 2), at(2, 3, 0)]


def test_together_ends_where_it_is_much_worse() -> None:
    prices = {at(2, 3, 2): 1.0, at(0, 0, 2): 3.0}
    by_two = asked(at(2, 3, 2), lambda c: prices.get(c, 1.0))
    assert by_two[-1] == at(0, 0, 2) and at(0, 0, 0) not in by_two


def test_only_feasible_ones_are_asked_for_and_nothing_of_the_default() -> None:
    assert at(1, 0, 0) not in asked(at(1, 0, 2), lambda c: 1.0)
    assert asked(at(0, 0, 0), lambda c: 1.0) == []


def test_values_without_a_ratio_are_put_back_alone_only() -> None:
    assert asked(at(2, 3, 2), lambda c: 0.0) == [at(0, 3, 2), at(2, 0, 2), at(2, 3, 0)]
