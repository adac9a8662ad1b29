from __future__ import annotations

import numpy as np

from tunepass.strategies.transforms import log_scale, scalarised


def test_log_scale_keeps_the_order_of_each_column() -> None:
    losses = np.array([[1.0, -4.0, -1.0], [10.0, -2.0, 2.0], [100.0, -1.0, 0.0]])
    scaled = log_scale(losses)
    np.testing.assert_allclose(scaled[:, 0], np.log([1, 10, 100]))
    np.testing.assert_allclose(scaled[:, 1], -np.log([4, 2, 1]))
    np.testing.assert_array_equal(scaled[:, 2], losses[:, 2])  # both signs: left as it is
    assert losses[0, 0] == 1.0  # the argument is not changed


def test_one_objective_is_itself_and_several_keep_dominance() -> None:
    rng = np.random.default_rng(0)
    one = np.array([[3.0], [1.0]])
    np.testing.assert_array_equal(scalarised(one, rng), [3.0, 1.0])
    many = rng.random((30, 3))
    many = np.vstack([many, many[0] + 0.1])  # the last row is dominated by the first
    for _ in range(20):
        loss = scalarised(many, rng)
        assert loss[0] < loss[-1]
    assert np.isfinite(scalarised(np.ones((4, 2)), rng)).all()
