from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.examples import scaled
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Real
from tunepass.space.space import Space
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.bo.hypervolume import Hypervolume, HypervolumeSettings
from tunepass.strategies.bo.near_front import near_front
from tunepass.strategies.random import Random
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.results.pareto import hypervolume
from tunepass.study.trial import Trial
from tunepass.testing.strategy import Build, StrategyContract, drive, price, small_space, task


@pytest.mark.slow
class TestForest(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Hypervolume(t, HypervolumeSettings(surrogate="forest"))


class TestGp(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Hypervolume(t, HypervolumeSettings(surrogate="gp"))


@pytest.mark.slow
class TestMixed(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return lambda t: Hypervolume(t)


SWITCHES = [{"signs": True}, {"least_gain": 0.05}, {"reach": (0.0,)}, {"foreseen": 40}]


@pytest.mark.in_turn(2)
@pytest.mark.slow
class TestSwitched(StrategyContract):
    @pytest.fixture(params=SWITCHES, ids=str)
    def build(self, request: pytest.FixtureRequest) -> Build:
        return lambda t: Hypervolume(t, HypervolumeSettings(surrogate="gp", **request.param))


@pytest.mark.parametrize("switch", SWITCHES, ids=str)
@pytest.mark.slow_but(2)
def test_two_objectives_are_searched_alike_twice_to_the_last_configuration(switch: dict[str, Any]) -> None:
    def said() -> list[Configuration]:
        space = Space([Integer("tile", 4, 8), Integer("unroll", 1, 4)])
        whole = {"schedule": "static"}
        settings = HypervolumeSettings(surrogate="gp", **switch)
        strategy = Hypervolume(task(space, objectives=2, max_evals=None), settings)
        return drive(strategy, 99, lambda c: price(Configuration({**c, **whole})))

    first = said()
    assert len(set(first)) == len(first) == 20 and said() == first


def schaffer(configuration: Configuration) -> Outcome:
    """Minima 20 apart along x, one valley along y; a third of the space fails."""
    x, y = configuration["x"], configuration["y"]
    assert isinstance(x, int) and isinstance(y, int)
    if x > 48:
        return Failed("memory", "")
    off = abs(y - 11) / 31
    return Measured({"time": 1 + (x - 10) ** 2 / 400 + off, "energy": 1 + (x - 30) ** 2 / 400 + off})


def volume(strategy: Strategy, n: int = 40) -> float:
    outcomes = [schaffer(c) for c in drive(strategy, n, schaffer)]
    return hypervolume([list(o.values.values()) for o in outcomes if isinstance(o, Measured)], [3.0, 3.0])


SPACE = Space([Integer("x", 0, 63), Integer("y", 0, 31)])


@pytest.mark.parametrize("acquisition", ["ehvi", "smsego"])
@pytest.mark.slow_but(2)
def test_beats_random_at_the_same_budget(acquisition: str) -> None:
    settings = HypervolumeSettings(acquisition=acquisition)
    true = [[1 + (x - 10) ** 2 / 400, 1 + (x - 30) ** 2 / 400] for x in range(49)]
    best = hypervolume(true, [3.0, 3.0])
    ours = [best - volume(Hypervolume(task(SPACE, seed=s, objectives=2), settings)) for s in range(2)]
    theirs = [best - volume(Random(task(SPACE, seed=s, objectives=2))) for s in range(2)]
    assert np.mean(ours) < 0.3 * np.mean(theirs)


@pytest.mark.parametrize("objectives", [1, 3])
def test_one_and_three_objectives(objectives: int) -> None:
    assert len(set(drive(Hypervolume(task(objectives=objectives)), 20))) == 20


def test_four_objectives() -> None:
    pytest.importorskip("moocore")
    assert len(set(drive(Hypervolume(task(objectives=4)), 12))) == 12


FOUR_SWITCHES = [{}, {"samples": 64, "generations": 0}, {"deviations": 0.5, "plain_margin": -0.05, "signs": True}]


@pytest.mark.parametrize("switch", FOUR_SWITCHES, ids=str)
def test_four_objectives_are_searched_alike_twice_and_after_an_interruption(switch: dict[str, Any]) -> None:
    def make() -> Hypervolume:
        whole = task(objectives=3)
        four = replace(whole, objectives=(*whole.objectives, Objective("heat")))
        return Hypervolume(four, HypervolumeSettings(surrogate="gp", **switch))

    def priced(c: Configuration) -> Outcome:
        outcome = price(c)
        if not isinstance(outcome, Measured):
            return outcome
        return Measured({**outcome.values, "heat": 1 + sum(map(len, map(str, c.values()))) % 5})

    first, second = make(), make()
    seen = drive(first, 16, priced)
    for number, configuration in enumerate(seen[:12]):
        second.observe(Trial(number, configuration, priced(configuration)))
    assert [c for n in range(12, 16) if (c := _next(second, n, priced))] == seen[12:]
    batches = [(s := make(), drive(s, 12, priced))[0].suggest(9) for _ in range(2)]
    assert batches[0] == batches[1] and len(set(batches[0])) == 9


def _next(strategy: Strategy, number: int, priced: Callable[[Configuration], Outcome]) -> Configuration:
    (configuration,) = strategy.suggest(1)
    strategy.observe(Trial(number, configuration, priced(configuration)))
    return configuration


@pytest.mark.slow
def test_four_objectives_are_searched_better_than_at_random() -> None:
    pytest.importorskip("moocore")
    space = Space([Integer("x", 0, 63), Integer("y", 0, 63), Integer("z", 0, 31)])
    corners = {"a": (10, 10), "b": (50, 12), "c": (12, 52), "d": (50, 50)}

    def price(c: Configuration) -> Outcome:
        x, y, z = (float(str(c[name])) for name in "xyz")
        return Measured(
            {n: 1 + ((x - u) ** 2 + (y - v) ** 2) / 800 + abs(z - 20) / 10 for n, (u, v) in corners.items()}
        )

    def reached(make: Build, seed: int) -> float:
        four = tuple(Objective(name) for name in corners)
        seen = drive(make(Task(space=space, objectives=four, seed=seed, max_evals=24)), 24, price)
        return hypervolume([list(o.values.values()) for c in seen if isinstance(o := price(c), Measured)], [4.0] * 4)

    forest = HypervolumeSettings(surrogate="forest")
    seeds = range(scaled(2))
    ours = [reached(lambda t: Hypervolume(t, forest), s) for s in seeds]
    assert sum(ours) > 1.3 * sum(reached(Random, s) for s in seeds)


def test_a_batch_spreads_over_the_front() -> None:
    strategy = Hypervolume(task(SPACE, objectives=2))
    drive(strategy, 25, schaffer)
    x = sorted(int(str(c["x"])) for c in strategy.suggest(5))
    assert x[-1] - x[0] >= 5


@pytest.mark.parametrize(
    "settings",
    [
        HypervolumeSettings(log_output=False),
        HypervolumeSettings(feasibility=None, limit=0.0),
        HypervolumeSettings(permutation="kendall"),
        HypervolumeSettings(acquisition="chebyshev"),
        HypervolumeSettings(output="log", reach=(1.0,)),
    ],
    ids=lambda s: "",
)
def test_every_ablation_runs(settings: HypervolumeSettings) -> None:
    assert len(set(drive(Hypervolume(task(small_space(), objectives=2), settings), 16))) == 16


@pytest.mark.slow
def test_a_batch_gains_about_what_one_after_the_other_does() -> None:
    def reached(at_once: int, seed: int) -> float:
        strategy, seen = Hypervolume(task(SPACE, seed=seed, objectives=2, max_evals=60)), list[Configuration]()
        while len(seen) < 30:
            for one in strategy.suggest(at_once if len(seen) >= 12 else 1):
                strategy.observe(Trial(len(seen), one, schaffer(one)))
                seen.append(one)
        assert len(set(seen)) == len(seen)
        outcomes = [schaffer(c) for c in seen[:28]]
        return hypervolume([list(o.values.values()) for o in outcomes if isinstance(o, Measured)], [3.0, 3.0])

    assert np.mean([reached(8, s) for s in range(2)]) > 0.95 * np.mean([reached(1, s) for s in range(2)])


@pytest.mark.slow
def test_a_batch_exhausts_a_space() -> None:
    space = small_space()
    strategy = Hypervolume(task(space, objectives=2, max_evals=None))
    seen: list[Configuration] = []
    while batch := strategy.suggest(50):
        for one in batch:
            strategy.observe(Trial(len(seen), one, price(one)))
            seen.append(one)
    assert sorted(map(repr, seen)) == sorted(map(repr, space.enumerate()))


def test_rows_near_the_front_and_the_latest_are_kept() -> None:
    losses = np.array([[0.0, 1.0], [1.0, 0.0], [0.9, 0.9], [0.6, 0.6], [1.0, 1.0], [0.95, 0.95]])
    assert near_front(losses, 6) is None
    assert near_front(losses, 4) is not None and near_front(losses, 4).tolist() == [0, 1, 4, 5]  # type: ignore[union-attr]


@pytest.mark.parametrize("switch", SWITCHES, ids=str)
def test_a_switch_of_the_acquisition_changes_what_is_suggested(switch: dict[str, Any]) -> None:
    space = Space([Real("x", 0.0, 1.0), Real("y", 0.0, 1.0)])

    def price(c: Configuration) -> Outcome:
        x, y = (float(str(c[name])) for name in "xy")
        return Measured({"time": x, "energy": (1 + 9 * y) * (1 - (x / (1 + 9 * y)) ** 2)})

    base = HypervolumeSettings(surrogate="gp", log_output=False)
    said = [
        drive(Hypervolume(task(space, objectives=2), settings), 14, price)
        for settings in (base, replace(base, **switch))
    ]
    assert said[0] != said[1]
