"""Finalists in turns: the order, failures, and how time ends it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tunepass.evaluators.measure import interleaved as turns
from tunepass.evaluators.measure.interleaved import LEAST_ROUNDS, interleaved
from tunepass.study.outcome import Failed


def test_forth_and_back_and_one_value_a_round() -> None:
    asked: list[int] = []

    def measure(index: int) -> float:
        asked.append(index)
        return float(len(asked))

    assert interleaved([True, True, True], measure, 2) == [[1.0, 6.0], [2.0, 5.0], [3.0, 4.0]]
    assert asked == [0, 1, 2, 2, 1, 0]


def test_one_that_does_not_live_or_fails_in_any_round_has_no_values() -> None:
    calls = {1: 0, 2: 0}

    def measure(index: int) -> float | Failed:
        calls[index] += 1
        return Failed("crash") if index == 2 and calls[2] == 2 else 1.0

    assert interleaved([False, True, True], measure, 4) == [[], [1.0] * 4, []]
    assert calls == {1: 4, 2: 2}


def test_when_the_time_is_over_a_few_rounds_are_made_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(float(t) for t in range(100))
    monkeypatch.setattr(turns.time, "monotonic", lambda: next(clock))
    assert interleaved([True], lambda _: 1.0, 15, seconds=0.5) == [[1.0] * LEAST_ROUNDS]


def test_no_round_begins_that_would_end_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(10.0 * t for t in range(100))
    monkeypatch.setattr(turns.time, "monotonic", lambda: next(clock))
    assert len(interleaved([True], lambda _: 1.0, 15, seconds=75.0)[0]) == 7


def test_who_is_behind_makes_no_further_rounds_and_without_anybody_there_are_none() -> None:
    asked: list[int] = []

    def behind(values: Sequence[Sequence[float]]) -> list[int]:
        asked.append(len(values[0]))
        return [1] if len(values[0]) < 6 else [0, 1, 2]

    found = interleaved([True, True, True], float, 8, behind=behind)
    assert found == [[0.0] * 6, [1.0], [2.0] * 6]
    assert asked == [1, 2, 3, 4, 5, 6]
