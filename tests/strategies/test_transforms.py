from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tunepass.strategies.transforms import PLAIN, OutputScale, log_scale, log_scale_of, scalarised


def test_log_scale_keeps_the_order_of_each_column() -> None:
    losses = np.array([[1.0, -4.0, -1.0], [10.0, -2.0, 2.0], [100.0, -1.0, 0.0]])
    scaled = log_scale(losses)
    np.testing.assert_allclose(scaled[:, 0], np.log([1, 10, 100]))
    np.testing.assert_allclose(scaled[:, 1], -np.log([4, 2, 1]))
    np.testing.assert_array_equal(scaled[:, 2], losses[:, 2])  # both signs: left as it is
    assert losses[0, 0] == 1.0  # the argument is not changed


def test_a_zero_leaves_the_others_on_the_log_scale() -> None:
    loss = np.array([0.0, 2.0, 20.0, 2000.0])
    np.testing.assert_allclose(log_scale_of(loss).apply(loss), np.log([2, 4, 22, 2002]))
    np.testing.assert_allclose(log_scale_of(-loss).apply(-loss), -np.log([2, 4, 22, 2002]))


def test_what_rounding_leaves_counts_as_a_zero() -> None:
    loss = np.array([1e-17, 2.0, 20.0, 2000.0])
    assert log_scale_of(loss) == OutputScale(1.0, 2.0)
    assert log_scale_of(np.zeros(3)) == PLAIN


@given(st.lists(st.floats(0, 1e9), min_size=2, max_size=20), st.sampled_from([1.0, -1.0]))
def test_log_scales_are_finite_and_keep_order(values: list[float], sign: float) -> None:
    loss = sign * np.sort(np.array(values))
    scaled = log_scale_of(loss).apply(loss)
    assert np.isfinite(scaled).all() and (sign * np.diff(scaled) >= 0).all()


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
