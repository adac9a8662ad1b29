"""Contract of strategies. A test class inherits this and supplies the `build` fixture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tunepass.capabilities import capability
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation
from tunepass.space.space import Space
from tunepass.strategies.base import Strategy, Task
from tunepass.study.capabilities import Revises
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome, mean_of
from tunepass.study.trial import Trial

Build = Callable[[Task], Strategy]


def small_space() -> Space:
    """288 dense, fewer feasible; every finite kind of parameter."""
    return Space(
        [
            Ordinal("tile", [4, 8, 16, 32], log=True, default=8),
            Integer("unroll", 1, 4),
            Categorical("schedule", ["static", "dynamic", "guided"]),
            Permutation("order", 3),
        ],
        constraints=["tile % unroll == 0", "pos(order, 0) < pos(order, 2)"],
    )


def task(space: Space | None = None, *, seed: int = 0, max_evals: int | None = 40, objectives: int = 1) -> Task:
    names = tuple(Objective(name) for name in ("time", "energy", "area")[:objectives])
    return Task(space=space or small_space(), objectives=names, seed=seed, max_evals=max_evals)


def price(configuration: Configuration) -> Outcome:
    """A smooth cost with one hidden failure region and one known only at evaluation."""
    tile, unroll = configuration["tile"], configuration["unroll"]
    assert isinstance(tile, int) and isinstance(unroll, int)
    if tile * unroll > 64:
        return Failed("memory", "too large")
    if configuration["schedule"] == "guided" and unroll == 4:
        return Infeasible("guided_unroll")
    slow = {"static": 1.0, "dynamic": 1.3, "guided": 1.6}[str(configuration["schedule"])]
    return Measured({"time": slow * (1 + abs(tile - 16)) * (5 - unroll), "energy": 1.0 + tile, "area": unroll * 2.0})


def drive(strategy: Strategy, n: int, outcome: Callable[[Configuration], Outcome] = price) -> list[Configuration]:
    seen: list[Configuration] = []
    while len(seen) < n and (suggested := strategy.suggest(1)):
        for configuration in suggested:
            strategy.observe(Trial(len(seen), configuration, outcome(configuration)))
            seen.append(configuration)
    return seen


def measured(configuration: Configuration, times: float = 1.0) -> Measured:
    """Outcome of `price`, with all values `times` as large."""
    outcome = price(configuration)
    assert isinstance(outcome, Measured)
    return Measured({name: times * value for name, value in outcome.values.items()})


def drive_batches(strategy: Strategy, n: int) -> set[Configuration]:
    """Suggestions of a strategy in batches of `n` until it suggests nothing; none twice."""
    seen: set[Configuration] = set()
    while batch := strategy.suggest(n):
        assert len(batch) <= n and not seen & set(batch)
        for configuration in batch:
            strategy.observe(Trial(len(seen), configuration, price(configuration)))
            seen.add(configuration)
    return seen


def _always(outcome: Outcome, configuration: Configuration) -> Outcome:
    return outcome


class StrategyContract:
    @pytest.fixture
    def build(self) -> Build:
        raise NotImplementedError("supply a fixture that gives a function from Task to Strategy")

    def test_suggestions_are_feasible_and_distinct_and_the_default_comes_first(self, build: Build) -> None:
        space = small_space()
        seen = drive(build(task(space)), 30)
        assert len(set(seen)) == len(seen) == 30
        assert seen[0] == space.default
        assert all(space.contains(configuration) for configuration in seen)

    def test_an_exhausted_space_gives_nothing(self, build: Build) -> None:
        space = small_space()
        strategy = build(task(space, max_evals=None))
        assert set(drive(strategy, 10_000)) == set(space.enumerate())
        assert strategy.suggest(1) == [] and strategy.suggest(5) == []

    def test_same_seed_and_observations_give_the_same_suggestions(self, build: Build) -> None:
        assert drive(build(task(seed=3)), 25) == drive(build(task(seed=3)), 25)

    def test_a_replayed_study_goes_on_as_if_nothing_had_happened(self, build: Build) -> None:
        undisturbed = drive(build(task(seed=5)), 26)
        for at in (3, 13, 20):
            resumed = build(task(seed=5))
            for number, configuration in enumerate(undisturbed[:at]):
                resumed.observe(Trial(number, configuration, price(configuration)))
            assert drive(resumed, 4) == undisturbed[at : at + 4]

    def test_a_batch_is_distinct_and_the_pending_are_not_suggested_again(self, build: Build) -> None:
        strategy = build(task())
        drive(strategy, 14)
        first = strategy.suggest(4)
        second = strategy.suggest(3)
        assert len({*first, *second}) == 7
        for number, configuration in enumerate([*first, *second]):
            strategy.observe(Trial(14 + number, configuration, price(configuration)))
        assert not set(strategy.suggest(2)) & {*first, *second}

    def test_a_first_batch_of_any_size_is_feasible_and_distinct(self, build: Build) -> None:
        space = small_space()
        batch = build(task(space)).suggest(24)
        assert batch[0] == space.default
        assert len(set(batch)) == len(batch) == 24 and all(space.contains(configuration) for configuration in batch)

    def test_batches_exhaust_a_space_and_give_nothing_then(self, build: Build) -> None:
        space = small_space()
        strategy = build(task(space, max_evals=None))
        assert drive_batches(strategy, 25) == set(space.enumerate())
        assert strategy.suggest(25) == []

    def test_a_replay_after_batches_goes_on_as_if_nothing_had_happened(self, build: Build) -> None:
        undisturbed = build(task(seed=7))
        trials: list[Trial] = []
        for _ in range(4):
            for configuration in undisturbed.suggest(6):
                trials.append(Trial(len(trials), configuration, price(configuration)))
            for trial in trials[-6:]:
                undisturbed.observe(trial)
        resumed = build(task(seed=7))
        for trial in trials:
            resumed.observe(trial)
        assert resumed.suggest(6) == undisturbed.suggest(6)

    @pytest.mark.parametrize("failed", [False, True])
    def test_a_trial_with_a_new_outcome_counts_as_if_it_had_had_it_from_the_first(
        self, build: Build, failed: bool
    ) -> None:
        """A trial that is measured again, or one that had failed."""
        revised, replayed = build(task(seed=9)), build(task(seed=9))
        revising = capability(revised, Revises)
        if revising is None:
            pytest.skip("a study replays such a strategy")
        seen = drive(revised, 16)
        known = {c: price(c) for c in seen}
        fit = [c for c in seen if isinstance(known[c], Measured)]
        number = next((n for n, c in enumerate(seen) if (c in fit) is not failed and n > 1), 0)
        other = fit[0] if failed else seen[number]
        known[seen[number]] = again = mean_of([measured(other), measured(other, 1.3)])
        revising.revise(Trial(number, seen[number], again))
        for n, configuration in enumerate(seen):
            replayed.observe(Trial(n, configuration, known[configuration]))
        assert drive(revised, 3) == drive(replayed, 3)

    def test_trials_it_did_not_suggest_are_observations(self, build: Build) -> None:
        space = small_space()
        strategy = build(task(space))
        foreign = list(space.enumerate())[::5]
        for number, configuration in enumerate(foreign):
            strategy.observe(Trial(number, configuration, price(configuration)))
        assert not set(drive(strategy, 10)) & set(foreign)

    def test_all_failed_and_constant_and_negative_objectives(self, build: Build) -> None:
        outcomes: list[Outcome] = [Failed("compile", ""), *(Measured({"time": time}) for time in (2.0, -3.0, 0.0))]
        for outcome in outcomes:
            assert len(drive(build(task()), 18, partial(_always, outcome))) == 18

    def test_a_space_of_one_configuration(self, build: Build) -> None:
        space = Space([Ordinal("tile", [8])])
        strategy = build(task(space))
        assert drive(strategy, 5, lambda _: Measured({"time": 1.0})) == [space.default]

    def test_several_objectives(self, build: Build) -> None:
        assert len(set(drive(build(task(objectives=2)), 20))) == 20
