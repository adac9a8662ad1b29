from __future__ import annotations

import numpy as np
import pytest

from tunepass.surrogates import feasibility
from tunepass.surrogates.base import Floats
from tunepass.surrogates.feasibility import Feasibility, FeasibilitySettings
from tunepass.surrogates.forest import ForestSettings, Trees, grow


def test_everything_is_feasible_until_something_fails() -> None:
    model = Feasibility()
    model.fit(np.random.default_rng(0).random((5, 2)), np.zeros(5, np.int64))
    np.testing.assert_array_equal(model.probability(np.zeros((3, 2))), 1.0)
    assert model.recall is None


def test_learns_from_the_first_failure_without_certainty() -> None:
    model = Feasibility()
    x = np.array([[0.1], [0.2], [0.3], [0.9]])
    model.fit(x, np.array([0, 0, 0, 1]))
    probability = model.probability(np.array([[0.1], [0.95]]))
    assert probability[0] > probability[1] + 0.2
    assert ((probability > 0) & (probability < 1)).all()


def test_all_failed_still_gives_positive_probabilities() -> None:
    model = Feasibility()
    model.fit(np.random.default_rng(0).random((6, 2)), np.ones(6, np.int64))
    probability = model.probability(np.random.default_rng(1).random((10, 2)))
    assert (probability > 0).all() and (probability < 0.5).all()


def test_frequent_kinds_have_their_own_forest_and_multiply() -> None:
    rng = np.random.default_rng(3)
    x = rng.random((120, 3))
    kinds = np.where(x[:, 0] > 0.7, 1, np.where(x[:, 1] > 0.7, 2, 0))
    model = Feasibility()
    model.fit(x, kinds)
    new = rng.random((500, 3))
    truth = (new[:, 0] <= 0.7) & (new[:, 1] <= 0.7)
    probability = model.probability(new)
    assert ((probability > 0.5) == truth).mean() > 0.9
    assert model.recall is not None and model.recall > 0.85


def test_probabilities_are_calibrated() -> None:
    rng = np.random.default_rng(5)
    x, new = rng.random((300, 2)), rng.random((2000, 2))
    model = Feasibility()
    model.fit(x, (rng.random(300) < 0.1 + 0.6 * x[:, 0]).astype(np.int64))
    probability, truth = model.probability(new), 0.9 - 0.6 * new[:, 0]
    assert np.abs(probability - truth).mean() < 0.18
    assert probability.mean() == pytest.approx(truth.mean(), abs=0.05)


def test_rejects_what_is_not_finite() -> None:
    with pytest.raises(ValueError, match="finite"):
        Feasibility(FeasibilitySettings()).fit(np.array([[np.nan]]), np.array([0]))


def test_many_rows_and_kinds_share_a_bounded_number_of_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    grown: list[int] = []

    def counting(x: Floats, y: Floats, settings: ForestSettings) -> Trees:
        grown.append(settings.trees * len(x))
        return grow(x, y, settings)

    monkeypatch.setattr(feasibility, "grow", counting)
    monkeypatch.setattr(feasibility, "TREE_ROWS", 6000)
    x = np.random.default_rng(0).random((100, 2))
    Feasibility().fit(x, (x[:, 0] > 0.5).astype(np.int64))
    assert grown == [100 * 50]
    grown.clear()
    Feasibility().fit(x, np.arange(100) % 4)
    assert len(grown) == 3 and sum(grown) <= 6000
    grown.clear()
    Feasibility().fit(np.tile(x, (20, 1)), np.arange(2000) % 4)
    assert grown == [2000 * feasibility.MIN_TREES] * 3
