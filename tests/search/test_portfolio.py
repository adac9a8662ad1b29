"""Portfolios against all subsets, and their rules."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunepass.search import portfolio as module
from tunepass.search.portfolio import portfolio, undominated

SLOWDOWNS = st.integers(1, 5).flatmap(
    lambda sizes: st.lists(
        st.lists(st.sampled_from([1.0, 1.02, 1.2, 1.5, 3.0, math.inf]), min_size=sizes, max_size=sizes),
        min_size=1,
        max_size=6,
    )
)


@given(SLOWDOWNS, st.integers(1, 4))
def test_no_other_choice_of_as_many_is_better(rows: list[list[float]], most: int) -> None:
    slowdown = np.array(rows)
    found = portfolio(slowdown, most)
    assert 1 <= len(found.members) <= most
    for size, (number, value) in enumerate(zip(found.numbers, found.slowdowns)):
        assert slowdown[found.members[number], size] == value == slowdown[list(found.members), size].min()
    worst = min(
        slowdown[list(subset)].min(axis=0).max()
        for count in range(1, min(most, len(rows)) + 1)
        for subset in combinations(range(len(rows)), count)
    )
    assert found.worst == worst or found.worst <= 1.05


@given(SLOWDOWNS)
def test_as_few_as_will_do(rows: list[list[float]]) -> None:
    slowdown = np.array(rows)
    found = portfolio(slowdown, len(rows))
    fewer = combinations(range(len(rows)), max(len(found.members) - 1, 1))
    if len(found.members) > 1:
        assert all(slowdown[list(subset)].min(axis=0).max() > min(1.05, found.worst) for subset in fewer)


def test_a_compromise_is_preferred_where_one_has_to_do() -> None:
    slowdown = np.array([[1.0, 2.0], [2.0, 1.0], [1.1, 1.1]])
    assert portfolio(slowdown, 1).members == (2,)
    assert portfolio(slowdown, 2).members == (0, 1)


def test_one_after_the_other_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    slowdown = np.array([[1.0, 9, 9], [9, 1.0, 9], [9, 9, 1.0], [2, 2, 9]])
    monkeypatch.setattr(module, "MOST_SUBSETS", 0)
    found = portfolio(slowdown, 3)
    assert len(found.members) == 3 and found.worst == 2  # one at a time is not the best there is


def test_the_first_of_equals() -> None:
    assert undominated(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 2.0]])) == [0]


def test_nothing_to_choose_from() -> None:
    with pytest.raises(ValueError, match="at least one variant"):
        portfolio(np.zeros((0, 2)), 1)
