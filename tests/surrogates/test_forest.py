from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from tunepass.surrogates.base import Surrogate
from tunepass.surrogates.forest import Forest, ForestSettings, grow
from tunepass.testing.surrogate import SurrogateContract, rows


class TestForest(SurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], Surrogate]:
        return lambda: Forest(ForestSettings(trees=40))


def test_predicts_as_well_as_scikit_learn() -> None:
    (x, y), (new, truth) = rows(80, d=5, seed=1), rows(300, d=5, seed=2)
    ours = grow(x, y, ForestSettings(trees=100, features=1.0)).predict(new).mean
    theirs = RandomForestRegressor(100, random_state=0).fit(x, y).predict(new)
    assert np.mean((ours - truth) ** 2) < 1.15 * np.mean((theirs - truth) ** 2)


def test_without_bootstrap_it_interpolates_and_every_row_is_in_the_bag() -> None:
    x, y = rows(30)
    trees = grow(x, y, ForestSettings(trees=5, bootstrap=False))
    posterior = trees.predict(x)
    np.testing.assert_allclose(posterior.mean, y, atol=1e-12)
    np.testing.assert_allclose(posterior.variance, 0, atol=1e-12)
    assert np.isnan(trees.out_of_bag).all()


def test_variance_is_the_law_of_total_variance() -> None:
    x = np.zeros((4, 1))  # no split is possible: each tree is one leaf over its bootstrap sample
    y = np.array([0.0, 0.0, 4.0, 4.0])
    posterior = grow(x, y, ForestSettings(trees=4000)).predict(x[:1])
    assert posterior.mean[0] == pytest.approx(2.0, abs=0.1)
    assert posterior.variance[0] == pytest.approx(4.0, rel=0.02)  # E[leaf variance] 3 + Var[leaf mean] 1


def test_variance_grows_away_from_the_data() -> None:
    x = np.array([[0.0], [0.1], [0.2], [1.0]])
    trees = grow(x, np.array([0.0, 0.1, 0.2, 3.0]), ForestSettings(trees=200, bootstrap=False))
    near, far = trees.predict(np.array([[0.1], [0.6]])).variance
    assert far > 10 * near + 0.1


def test_out_of_bag_predictions_do_not_see_their_row() -> None:
    x = np.random.default_rng(0).random((60, 2))
    y = np.random.default_rng(1).normal(size=60)  # noise: nothing to learn
    out_of_bag = grow(x, y, ForestSettings(trees=200)).out_of_bag
    assert abs(np.corrcoef(out_of_bag, y)[0, 1]) < 0.35


def test_a_tree_that_was_cut_predicts_what_its_rows_reach() -> None:
    x, loss = rows(60)
    grown = grow(x, loss, ForestSettings(trees=6))
    feature = grown.feature.copy()
    feature[grown.left[grown.root] + 1] = -1  # what stands below the right child is left to nobody
    cut = replace(grown, feature=feature)
    means = []
    for row in x:
        leaves = []
        for node in cut.root:
            while cut.feature[node] >= 0:
                node = cut.left[node] + (row[cut.feature[node]] > cut.threshold[node])
            leaves.append(cut.mean[node])
        means.append(np.mean(leaves))
    assert cut.predict(x).mean == pytest.approx(means)


def test_row_weights_count_rows() -> None:
    x = np.zeros((2, 1))
    trees = grow(x, np.array([0.0, 1.0]), ForestSettings(trees=1, bootstrap=False), weight=np.array([1.0, 3.0]))
    assert trees.predict(x[:1]).mean[0] == 0.75


def test_wrong_settings_and_widths_are_refused() -> None:
    with pytest.raises(ValueError, match="trees, min_leaf, most_features >= 1"):
        ForestSettings(trees=0)
    with pytest.raises(ValueError, match="3 columns"):
        grow(*rows(5), ForestSettings()).predict(np.zeros((2, 4)))
