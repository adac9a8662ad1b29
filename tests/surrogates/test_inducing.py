from __future__ import annotations

import numpy as np
import pytest

from tests.surrogates.test_gp import MIXED, mixed_rows
from tunepass.surrogates.inducing import Expansion, correlation, spread_rows, squared_distances
from tunepass.surrogates.kernels import CovarianceKernel, KernelName, covariance


@pytest.mark.parametrize("kernel", ["matern52", "matern32", "se"])
def test_expanded_rows_have_the_full_process_covariances(kernel: KernelName) -> None:
    x = mixed_rows(20, 0)
    l = np.array([0.4, 1.2, 0.7, 2.0])
    expansion = Expansion.of(x, MIXED)
    rows = expansion.rows(x)
    value, _ = correlation(kernel, squared_distances(rows, rows, (l**-2.0)[expansion.group]))
    upper = covariance(x, MIXED, CovarianceKernel(kernel, l, 1.0, 0.0), 0.0)
    np.testing.assert_allclose(np.triu(value), upper, atol=1e-7)  # r2 as a difference of squares: 1e-15, r its root


def test_a_nominal_value_that_was_absent_differs_from_all() -> None:
    x = mixed_rows(12, 1)
    new = x[:1].copy()
    new[0, 1] = 9.0
    expansion = Expansion.of(x, MIXED)
    apart = squared_distances(expansion.rows(new), expansion.rows(x), np.where(expansion.group == 1, 1.0, 0.0))
    np.testing.assert_allclose(apart, 1.0)


def test_inducing_inputs_are_distinct_rows_that_cover_the_data() -> None:
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(6.0)[:, None] * 10, 30, axis=0) + rng.normal(0, 0.1, (180, 2))
    chosen = spread_rows(clusters, 6, np.random.default_rng(1))
    assert sorted({int(i) // 30 for i in chosen}) == [0, 1, 2, 3, 4, 5]
    repeated = np.repeat(clusters[:4], 5, axis=0)
    assert len(spread_rows(repeated, 10, np.random.default_rng(2))) == 4
