from __future__ import annotations

from tests.passes.fakes import kernel
from tunepass.search.finalists.choice import ALWAYS, FINALISTS, finalists, verdict_of_rounds, verdict_of_trials
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.study.comparison.final_round import comparison_of
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.trial import Trial

TIME = Objective("time", unit="ms")
RATE = Objective("rate", maximise=True)
SPACE = Space(kernel().parameters, kernel().constraints)
DEFAULT = SPACE.default


def at(tile: int, mode: str = "a") -> Configuration:
    return Configuration({"TILE": tile, "MODE": mode})


def trials(values: dict[Configuration, float], name: str = "time") -> list[Trial]:
    return [Trial(i, c, Measured({name: v})) for i, (c, v) in enumerate(values.items())]


def test_finalists_are_the_best_without_the_default_and_without_twins() -> None:
    data = trials({DEFAULT: 1.0, at(8): 2.1, at(8, "b"): 2.1, at(2): 2.0, at(16): 2.4, at(1): 2.4999, at(2, "b"): 2.6})
    assert finalists(data, TIME, SPACE) == [at(2), at(8), at(16), at(1)]
    assert finalists([Trial(0, at(2), Failed("crash"))], TIME, SPACE) == []


def test_the_closest_to_the_default_stands_for_its_twins_and_the_default_for_its_own() -> None:
    data = trials({at(2, "b"): 2.0, at(2): 2.0, at(16, "b"): 1.0, at(8): 1.0, DEFAULT: 3.0, at(8, "b"): 3.0})
    assert finalists(data, TIME, SPACE) == [at(8), at(2)]


def test_there_are_few_finalists_and_zeros_are_near_everything() -> None:
    many = {Configuration({"TILE": i, "MODE": "a"}): 1.0 + i / 1000 for i in range(10, 30)}
    assert finalists(trials(many), TIME, SPACE) == list(many)[:FINALISTS]
    far = {c: 10.0**i for i, c in enumerate(many)}
    assert finalists(trials(far), TIME, SPACE) == list(many)[:ALWAYS]
    assert finalists(trials({c: float(i) for i, c in enumerate(many)}), TIME, SPACE) == list(many)[:FINALISTS]


FLAGS = Space([Integer(f"f{i}", 0, 1, default=0) for i in range(40)])


def first(n: int) -> Configuration:
    return Configuration({**FLAGS.default, **{f"f{i}": 1 for i in range(n)}})


def test_the_simplest_that_is_hardly_worse_is_a_finalist_and_where_it_is_far_one_a_little_worse() -> None:
    close = {first(n): 1.0 + (40 - n) / 10000 for n in range(40, 30, -1)}
    far = {**close, first(20): 1.0099, first(5): 1.0199, first(3): 1.0201}
    assert finalists(trials(far), TIME, FLAGS) == [*list(close)[: FINALISTS - 2], first(20), first(5)]
    near = {**close, first(16): 1.0099, first(5): 1.0199}
    assert finalists(trials(near), TIME, FLAGS) == [*list(close)[: FINALISTS - 1], first(16)]


def test_where_all_of_those_are_far_the_best_that_is_not_is_a_finalist() -> None:
    close = {first(n): 1.0 + (40 - n) / 10000 for n in range(40, 30, -1)}
    best = [*close][: FINALISTS - 2]
    assert finalists(trials({**close, first(16): 1.0999, first(3): 1.1}), TIME, FLAGS) == [*best, first(31), first(16)]
    assert finalists(trials({**close, first(17): 1.03, first(3): 1.11}), TIME, FLAGS)[-1] == first(31)


def test_single_measurements_choose_in_the_objectives_direction() -> None:
    values = {DEFAULT: 2.0, at(8): 4.0, at(2): 1.0}
    smaller, larger = (
        verdict_of_trials(trials(values), TIME, SPACE),
        verdict_of_trials(trials(values, "rate"), RATE, SPACE),
    )
    assert smaller and smaller.choice == at(2) and smaller.gain == 2.0
    assert larger and larger.choice == at(8) and larger.gain == 2.0


def test_a_tiny_gain_keeps_the_default() -> None:
    kept = verdict_of_trials(trials({DEFAULT: 2.0, at(8): 1.995}), TIME, SPACE)
    assert kept and kept.choice == DEFAULT and kept.gain == 1.0
    assert verdict_of_trials([], TIME, SPACE) is None


def test_of_equals_the_one_closest_to_the_default_wins() -> None:
    chosen = verdict_of_trials(trials({DEFAULT: 2.0, at(16, "b"): 1.0, at(8): 1.0}), TIME, SPACE)
    assert chosen and chosen.choice == at(8)


def test_rounds_decide_for_what_is_better_in_all_of_them() -> None:
    drift = [1.0, 1.3, 1.6, 1.9, 2.2, 2.5, 2.8]  # the machine slows down; the pairs do not care
    faster = [d / 2 * (1 + 0.01 * (i % 3)) for i, d in enumerate(drift)]
    verdict = verdict_of_rounds(comparison_of("time", drift, [at(8)], [faster]), TIME, SPACE)
    assert verdict.choice == at(8) and verdict.gain and 1.9 < verdict.gain < 2.01


def test_rounds_that_do_not_differ_keep_the_default() -> None:
    values = [1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 1.02]
    compared = comparison_of("time", values, [at(8), at(2)], [list(reversed(values)), []])
    verdict = verdict_of_rounds(compared, TIME, SPACE)
    assert verdict.choice == DEFAULT and verdict.gain == 1.0
