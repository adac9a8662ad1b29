from __future__ import annotations

import pytest

from tests.benchmarks.search.recall import recall, recall_within


def test_recall_of_the_best_percentile() -> None:
    every = list(range(1, 101))
    assert recall([1, 2, 50], every, percentile=5) == pytest.approx(2 / 5)
    assert recall(every, every, percentile=10) == 1
    assert recall([], every, percentile=10) == 0


def test_recall_within_a_tolerance_of_the_best() -> None:
    every = [10.0, 10.4, 10.6, 12.0]
    assert recall_within([10.4, 12.0], every, tolerance=0.05) == pytest.approx(1 / 2)
    assert recall_within([10.0], every, tolerance=0.0) == 1


def test_a_maximised_objective_has_negative_losses() -> None:
    assert recall_within([-97.0], [-100.0, -97.0, -50.0], tolerance=0.05) == pytest.approx(1 / 2)


def test_what_does_not_fit_is_refused() -> None:
    for call in (lambda: recall([], [], percentile=5), lambda: recall([], [1], percentile=0)):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(ValueError, match="tolerance"):
        recall_within([], [1.0], tolerance=-1)
