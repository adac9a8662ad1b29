from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tunepass.search.finalists.simplify import simpler
from tunepass.search.result import contributions, differing
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.trial import Trial

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


MANY = Space([Integer(f"f{i}", 0, 1, default=0) for i in range(60)])
WORTH = {"f3": 1.3, "f17": 1.2, "f40": 1.05}


def of_many(names: Iterable[str]) -> Configuration:
    return Configuration({**MANY.default, **dict.fromkeys(names, 1)})


def price_of_many(configuration: Configuration) -> float:
    return math.prod(1 / WORTH[name] for name in WORTH if configuration[name]) * (1.5 if configuration["f9"] else 1.0)


def test_of_many_the_few_that_matter_are_left_and_each_is_put_back_alone() -> None:
    changed = [f"f{i}" for i in range(60) if i % 3 != 2 or f"f{i}" in WORTH]
    best = of_many(name for name in changed if name != "f9")
    tried = asked(best, price_of_many, MANY)
    left = of_many(WORTH)
    assert left in tried and len(tried) < 40
    assert {of_many(set(WORTH) - {name}) for name in WORTH} <= set(tried)


def test_trials_tell_which_groups_come_first() -> None:
    """With trials that tell what each seems worth, the rest goes in two steps."""
    rng = np.random.default_rng(3)
    others = [of_many(f"f{i}" for i in np.flatnonzero(rng.random(60) < 0.5)) for _ in range(200)]
    best = of_many(f"f{i}" for i in range(60) if i != 9)
    trials = [Trial(i, c, Measured({"time": price_of_many(c)})) for i, c in enumerate([best, *others])]
    steps = 0
    while following := simpler(trials[0], trials, TIME, MANY):
        trials += [Trial(len(trials) + i, c, Measured({"time": price_of_many(c)})) for i, c in enumerate(following)]
        steps += len(following)
    assert of_many(WORTH) in [t.configuration for t in trials] and steps < 20


def test_what_a_group_breaks_is_kept() -> None:
    """f0 alone is slow, as f1 makes up for it: they stay together."""
    best = of_many(f"f{i}" for i in range(30))
    price = lambda c: 1.0 if c["f0"] == c["f1"] == 1 else 1.4  # noqa: E731
    tried = asked(best, price, MANY)
    assert of_many(["f0", "f1"]) in tried


def test_less_is_put_back_each_time_that_it_was_too_much() -> None:
    """Every flag seems idle, and is, but no ten of them may go together."""
    best = of_many(f"f{i}" for i in range(40))
    trials = [Trial(0, best, Measured({"time": 1.0}))]
    sizes = []
    while len(trials) < 8:
        asked = simpler(trials[0], trials, TIME, MANY)[0]
        sizes.append(40 - sum(asked.values()))  # type: ignore[arg-type]
        trials.append(Trial(len(trials), asked, Measured({"time": 1.5 if sizes[-1] >= 10 else 1.0})))
    assert sizes[0] > sizes[1] > sizes[2] and min(sizes) < 10


def test_several_are_asked_for_at_once() -> None:
    best = of_many(f"f{i}" for i in range(40))
    trials = [Trial(0, best, Measured({"time": 1.0}))]
    asked = simpler(trials[0], trials, TIME, MANY, 3)
    assert len(set(asked)) == 3 and all(MANY.contains(c) and c != best for c in asked)


def test_what_each_brings_is_told_by_the_trials_without_it() -> None:
    both, one, other = at(1, 2, 0), at(0, 2, 0), at(1, 0, 0)
    values = {both: 2.0, one: 3.0, other: 2.2, at(0, 0, 0): 4.0}
    trials = [Trial(i, c, Measured({"time": value})) for i, (c, value) in enumerate(values.items())]
    assert contributions(both, at(0, 0, 0), trials, TIME) == pytest.approx({"a": 1.5, "b": 1.1})
    assert contributions(both, at(0, 0, 0), trials[:2], TIME) == pytest.approx({"a": 1.5})


def test_a_parameter_that_is_inactive_in_the_default_brings_something_too() -> None:
    space = Space([Categorical("kernel", ["linear", "rbf"]), Integer("gamma", 1, 5, when="kernel == 'rbf'")])
    choice, linear = Configuration({"kernel": "rbf", "gamma": 4}), Configuration({"kernel": "linear"})
    values = {linear: 4.0, Configuration({"kernel": "rbf", "gamma": 1}): 3.0, choice: 2.0}
    trials = [Trial(i, c, Measured({"time": value})) for i, (c, value) in enumerate(values.items())]
    assert contributions(choice, space.defaults, trials, TIME) == pytest.approx({"kernel": 2.0, "gamma": 1.5})


def test_many_parameters_are_told_by_what_differs() -> None:
    assert differing(at(1, 2, 0), at(0, 0, 0)) == "a=1, b=2, c=0"
    assert differing(of_many(["f3"]), MANY.default) == "the default but for f3=1"
    assert differing(MANY.default, MANY.default) == "the default"
