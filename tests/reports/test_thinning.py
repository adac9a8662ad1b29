"""Reports of long searches: every improvement is kept, and what is left out is counted."""

from __future__ import annotations

import re

import numpy as np

from tunepass.reports.convergence import convergence_svg
from tunepass.reports.page import page, section
from tunepass.reports.thinning import MOST_POINTS, improvements, listing_order, thinned
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.trial import Trial

TIME = Objective("time", unit="ms")
LONG = 20_000


def trials(count: int, log: str = "error") -> list[Trial]:
    values = np.random.default_rng(0).random(count) + 1
    return [
        Trial(i, Configuration({"A": i}), Failed("compile", log) if i % 7 == 3 else Measured({"time": float(value)}))
        for i, value in enumerate(values)
    ]


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"<title>trial (\d+):", text)]


def test_a_short_search_is_drawn_whole() -> None:
    assert len(numbers(convergence_svg(trials(MOST_POINTS), TIME, "k"))) == MOST_POINTS


def test_every_improvement_is_drawn_and_the_rest_counted() -> None:
    data = trials(LONG)
    text = convergence_svg(data, TIME, "k")
    drawn = numbers(text)
    assert {i + 1 for i in improvements(data, TIME)} <= set(drawn)
    assert f"{LONG - len(drawn):,} points are not drawn, every improvement is" in text
    assert f"{LONG} trials, {sum(not t.measured for t in data)} failed" in text
    assert len(text) < 500_000


def test_a_maximised_objective_keeps_its_improvements() -> None:
    data, best = trials(LONG), 0.0
    drawn = {t.number for t in thinned(data, Objective("time", maximise=True))}
    for trial in data:
        if isinstance(trial.outcome, Measured) and trial.outcome.values["time"] > best:
            best = trial.outcome.values["time"]
            assert trial.number in drawn


def test_the_page_of_a_long_search_is_small_and_lists_what_matters() -> None:
    data = trials(LONG, "a long log of a failure\n" * 300)
    choice = data[LONG // 2 + 1].configuration
    text = page("k", [section("k", data, [TIME], choice, {})])
    rows = [int(number) for number in re.findall(r'<tr[^>]*><td class="number">(\d+)</td>', text)]
    assert len(text.encode()) < 2_000_000
    assert {1, LONG // 2 + 2, *(i + 1 for i in improvements(data, TIME))} <= set(rows)
    assert f"{len(rows):,} of {LONG:,} trials are listed" in text and rows == sorted(rows)


def test_the_others_are_listed_evenly() -> None:
    order = list(listing_order(trials(1000), [TIME], None))
    assert sorted(order) == list(range(1000))
    assert np.diff(sorted([0, *order[:100], 999])).max() <= 20
    assert list(listing_order([], [TIME], None)) == []
