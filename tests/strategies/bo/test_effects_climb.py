from __future__ import annotations

import numpy as np
import pytest

from tunepass.space.columns import Columns, Indices
from tunepass.space.configuration import Configuration
from tunepass.space.features.encoding import Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space
from tunepass.strategies.bo.effects_climb import CHECKED_CHANGES, EffectsClimb, Values, can_climb
from tunepass.strategies.bo.pair_draws import PairDraws, PairDrawSettings
from tunepass.strategies.history import TrialHistory
from tunepass.study.outcome import Measured
from tunepass.study.trial import Trial
from tunepass.surrogates.base import Floats
from tunepass.surrogates.pairs import Effects
from tunepass.testing.strategy import task

SPACE = Space(
    [
        Categorical("two", ["a", "b"]),
        Categorical("three", ["a", "b", "c"], prior=[0.6, 0.3, 0.1]),
        Ordinal("size", [1, 2, 4], log=True),
        *(Categorical(f"f{i}", [False, True]) for i in range(3)),
    ],
    ['two == "a" or size > 1', "not (f0 and f1 and f2)"],
)
DRAWS = PairDraws(Encoding(SPACE), Neighbourhood(SPACE), PairDrawSettings())
VALUES = Values(SPACE, DRAWS.rows)


def effects(seed: int, columns: int) -> Effects:
    rng = np.random.default_rng(seed)
    width = DRAWS.rows(SPACE.columns([SPACE.default])).shape[1]
    chosen = np.sort(rng.choice(width, columns, replace=False)).astype(np.int32)
    return Effects(rng.normal(size=width), rng.normal(size=(columns, columns)), chosen)


def climb(drawn: Effects, weight: float = 0.7) -> EffectsClimb:
    default = weight * SPACE.log_prior(SPACE.columns([SPACE.default]))[0]
    return EffectsClimb(VALUES, drawn, weight * SPACE.log_prior(VALUES.columns) - default, default)


def plain(drawn: Effects, columns: Columns, weight: float = 0.7) -> Floats:
    return np.asarray(weight * SPACE.log_prior(columns) - drawn(DRAWS.rows(columns)))


@pytest.mark.parametrize("columns", [1, 3, 7])
def test_a_configuration_is_worth_what_its_rows_are(columns: int) -> None:
    drawn = effects(1, columns)
    for configuration in SPACE.enumerate():
        chosen = VALUES.of(SPACE.columns([configuration]))[0]
        assert climb(drawn).utilities(chosen[None])[0] == pytest.approx(plain(drawn, SPACE.columns([configuration]))[0])


@pytest.mark.parametrize("columns", [1, 3, 7])
def test_changes_add_what_the_changed_configuration_is_worth_more(columns: int) -> None:
    drawn = effects(2, columns)
    search = climb(drawn)
    chosen = VALUES.of(SPACE.columns(list(SPACE.enumerate())))
    rows, owner, added = search.changes(chosen)
    assert (np.bincount(owner) <= 2 * CHECKED_CHANGES).all()
    twos = (rows != chosen[owner]).sum(axis=1) == 2
    assert ((rows != chosen[owner]).sum(axis=1) <= 2).all()
    for row, of, more in zip(rows, owner, added):
        assert search.utilities(row[None])[0] - search.utilities(chosen[[of]])[0] == pytest.approx(more)
    best = np.full(len(chosen), -np.inf)
    np.maximum.at(best, owner[~twos], added[~twos])
    assert set(owner[twos]) == (set(np.flatnonzero(best <= 0)) if columns == 7 else set(owner[twos]))


def test_the_best_feasible_free_configuration_is_found() -> None:
    drawn = effects(3, 7)
    order = sorted(SPACE.enumerate(), key=lambda c: -plain(drawn, SPACE.columns([c]))[0])
    starts = SPACE.columns([SPACE.default, order[-1]])
    found = [
        climb(drawn).best_free(starts, lambda columns, u: u, Neighbourhood(SPACE), taken, 40)
        for taken in (set[Configuration](), {order[0]})
    ]
    assert found == order[:2]


def test_a_climb_ends_where_no_feasible_neighbour_that_is_kept_is_better() -> None:
    drawn = effects(3, 7)

    def keep(columns: Columns) -> np.ndarray:
        return np.asarray(columns["two"] == "a")

    neighbourhood = Neighbourhood(SPACE, keep)
    starts = SPACE.columns([SPACE.default])
    found = climb(drawn).best_free(starts, lambda columns, u: u, neighbourhood, set(), 40)
    assert found is not None and found["two"] == "a"
    around = neighbourhood.of(SPACE.columns([found]))[0]
    assert (plain(drawn, around) < plain(drawn, SPACE.columns([found]))[0]).all()


def test_nothing_is_found_where_all_that_is_met_is_taken() -> None:
    starts = SPACE.columns([SPACE.default])
    assert climb(effects(4, 3)).best_free(starts, lambda c, u: u, Neighbourhood(SPACE), {*SPACE.enumerate()}, 9) is None


def test_a_pair_that_helps_only_together_is_climbed_to() -> None:
    space = Space([Categorical(f"f{i}", [False, True]) for i in range(30)])
    draws = PairDraws(Encoding(space), Neighbourhood(space), PairDrawSettings())
    single, joint = np.zeros(30), np.zeros((2, 2))
    joint[0, 1] = -1.0  # z z' is as large where both flags are on as where none is: the single effects decide
    values = Values(space, draws.rows)
    single[[4, 9]] = -0.1
    search = EffectsClimb(values, Effects(single, joint, np.array([4, 9], np.int32)), np.zeros(60))
    start = space.columns([space.default])
    found = search.best_free(start, lambda columns, u: u, Neighbourhood(space), set(), 40)
    assert found is not None and [name for name in found if found[name]] == ["f4", "f9"]


def test_spaces_of_single_values_that_are_always_active_can_be_climbed_so() -> None:
    few = Categorical("f", [False, True])
    for other in (Integer("n", 1, 9), Real("x", 0, 1), Integer("n", 1, 1000)):
        assert can_climb(Space([few, other]))
    for other in (Permutation("order", 3), Integer("n", 1, 9, when="f")):
        assert not can_climb(Space([few, other]))


LONG_VALUES = Space(
    [
        Categorical("f", [False, True]),
        Real("x", 0.0, 1.0),
        Integer("n", 1, 1000, log=True),
        Ordinal("size", [1, 2, 4], log=True),
    ],
    ["n + size <= 900", "not f or x <= 0.6"],
)


def long_values() -> tuple[PairDraws, Values, Columns]:
    draws = PairDraws(Encoding(LONG_VALUES), Neighbourhood(LONG_VALUES), PairDrawSettings())
    starts = LONG_VALUES.sample_columns(6, np.random.default_rng(4))
    return draws, Values(LONG_VALUES, draws.rows, starts, Values(LONG_VALUES, draws.rows)), starts


def test_values_that_are_too_many_to_list_are_those_of_the_starts_and_some_over_the_range() -> None:
    draws, values, starts = long_values()
    np.testing.assert_array_equal(np.array([*values.as_columns(values.of(starts)).values()]), [*starts.values()])
    of_x = np.unique(values.columns["x"])
    assert set(starts["x"]) < set(of_x) and {0.0, 0.5, 1.0} < set(of_x) and len(of_x) == 6 + 9
    np.testing.assert_allclose(values.codes, Values(LONG_VALUES, draws.rows, starts).codes)


def test_values_that_are_too_many_to_list_are_climbed_to_where_they_are_feasible() -> None:
    draws, values, starts = long_values()
    single = np.zeros(draws.rows(starts).shape[1])
    single[:2] = -1.0  # f on, x large: at most 0.6
    alone = Effects(single, np.zeros((1, 1)), np.array([2], np.int32))
    search = EffectsClimb(values, alone, np.zeros(len(values.parameter)))
    found = search.best_free(starts, lambda columns, u: u, Neighbourhood(LONG_VALUES), set(), 40)
    known = values.columns["x"]
    assert found is not None and LONG_VALUES.contains(found)
    assert found["f"] is True and found["x"] == known[known <= 0.6].max()


def test_feasible_values_are_those_of_feasible_columns() -> None:
    _, values, _ = long_values()
    rng = np.random.default_rng(5)
    counts = np.bincount(values.parameter)
    chosen = values.first + (rng.random((500, len(counts))) * counts).astype(np.int64)
    inside = LONG_VALUES.contains_columns(values.as_columns(chosen))
    np.testing.assert_array_equal(values.feasible(chosen), inside)
    assert 50 < inside.sum() < 450


@pytest.mark.parametrize("last", [Integer("n", 1, 3), Integer("n", 1, 200)])
def test_both_ways_suggest_what_is_free_and_feasible(last: Integer) -> None:
    space = Space([*(Categorical(f"f{i}", [False, True]) for i in range(22)), last], ["not (f0 and f1)"])
    draws = PairDraws(Encoding(space), Neighbourhood(space), PairDrawSettings())
    history = TrialHistory(task(space))
    for number, configuration in enumerate(space.sample(40, np.random.default_rng(0))):
        loss = 5.0 - bool(configuration["f3"]) + abs(int(configuration["n"]) - 2) / 10  # type: ignore[call-overload]
        history.observe(Trial(number, configuration, Measured({"time": loss})))
    found = draws.suggestion(
        history, history.losses[:, 0], lambda c: np.ones(len(c["n"])), lambda c: np.zeros(len(c["n"])), 0.7
    )
    assert found is not None and space.contains(found) and found not in history.taken and found["f3"]


@pytest.mark.parametrize("seed", range(4))
def test_changes_are_the_best_ones_of_all(seed: int) -> None:
    space = Space([Categorical(f"f{i}", list("abc"[: 2 + i % 2])) for i in range(20)])
    draws = PairDraws(Encoding(space), Neighbourhood(space), PairDrawSettings())
    values, rng = Values(space, draws.rows), np.random.default_rng(seed)
    width = draws.rows(space.columns([space.default])).shape[1]
    columns = np.sort(rng.choice(width, 12, replace=False)).astype(np.int32)
    drawn = Effects(rng.normal(size=width), rng.normal(size=(12, 12)), columns)
    search = EffectsClimb(values, drawn, np.zeros(len(values.parameter)))
    heads = np.array([_best_by_singles(search, values, rng), values.of(space.sample_columns(1, rng))[0]])
    rows, owner, added = search.changes(heads)
    for number, head in enumerate(heads):
        singles = {v: _gain(search, values, head, [v]) for v in range(len(values.parameter)) if v not in head}
        own = (rows != head).sum(axis=1)[owner == number]
        gains = added[owner == number]
        np.testing.assert_allclose(np.sort(gains[own == 1]), sorted(singles.values())[-CHECKED_CHANGES:])
        assert bool((own == 2).any()) == (max(singles.values()) <= 0)
        if (own == 2).any():
            pairs = [_gain(search, values, head, [v, w]) for v, w in _pairs(search, values, head)]
            np.testing.assert_allclose(np.sort(gains[own == 2]), sorted(pairs)[-CHECKED_CHANGES:], atol=1e-12)


def _gain(search: EffectsClimb, values: Values, head: Indices, new: list[int]) -> float:
    row = head.copy()
    row[values.parameter[new]] = new
    return float(search.utilities(row[None])[0] - search.utilities(head[None])[0])


def _pairs(search: EffectsClimb, values: Values, head: Indices) -> list[tuple[int, int]]:
    some = [v for v in search._joint.tolist() if v not in head]
    return [(v, w) for v in some for w in some if v < w and values.parameter[v] != values.parameter[w]]


def _best_by_singles(search: EffectsClimb, values: Values, rng: np.random.Generator) -> Indices:
    """A configuration that no single change makes better."""
    head = values.of(values.space.sample_columns(1, rng))[0]
    while True:
        gains = {v: _gain(search, values, head, [v]) for v in range(len(values.parameter)) if v not in head}
        best = max(gains, key=gains.__getitem__)
        if gains[best] <= 0:
            return np.asarray(head)
        head[values.parameter[best]] = best
