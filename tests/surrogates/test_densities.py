from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from tunepass.surrogates.densities import (
    CELLS,
    GRID,
    Densities,
    DensitySettings,
    Histogram,
    KernelDensity,
    is_good,
    jensen_shannon,
)

S = DensitySettings()


def test_a_histogram_counts_and_smooths() -> None:
    h = Histogram.of(np.array([0.0, 0.0, 2.0]), 4, DensitySettings(smooth=1.0))
    np.testing.assert_allclose(h.probability, np.array([2.25, 0.25, 1.25, 0.25]) / 4)


def test_a_kernel_density_integrates_to_one_also_at_the_edges() -> None:
    for centres in ([0.0], [1.0, 0.97], [0.2, 0.5, 0.9], []):
        density = KernelDensity.of(np.array(centres), S)
        x = (np.arange(20_000) + 0.5) / 20_000
        assert density.at(x).mean() == pytest.approx(1.0, abs=1e-6)
        assert density.masses().sum() == pytest.approx(1.0)


def test_draws_follow_the_density() -> None:
    density = KernelDensity.of(np.array([0.1, 0.9, 0.9]), DensitySettings(bandwidth=0.05))
    draws = density.draw(20_000, np.random.default_rng(0))
    counts = np.histogram(draws, 8, (0, 1))[0] / 20_000
    np.testing.assert_allclose(counts, density.masses().reshape(8, -1).sum(axis=1), atol=0.015)


def test_the_ratio_is_the_product_over_the_factors() -> None:
    x = np.array([[0, 0.1], [0, 0.2], [1, 0.8], [1, 0.9], [2, 0.5]])
    d = Densities.of(x, np.array([1.0, 2.0, 8.0, 9.0, 7.0]), [3, None], DensitySettings(quantile=0.4))
    at = np.array([[0, 0.15], [1, 0.85], [2, 0.5]])
    expected = [
        math.prod(float(g.at(np.array([v]))[0] / b.at(np.array([v]))[0]) for g, b, v in zip(d.good, d.bad, row))
        for row in at
    ]
    np.testing.assert_allclose(np.exp(d.log_ratio(at)), expected)
    assert d.log_ratio(at).argmax() == 0


def test_a_fifth_is_good_and_failures_never_are() -> None:
    loss = np.arange(10.0)
    assert is_good(loss, 0.2).sum() == 2
    assert is_good(np.array([3.0, np.inf, 3.0, 3.0]), 0.2).tolist() == [True, False, True, True]
    assert not is_good(np.full(3, np.inf), 0.2).any()


def test_the_source_s_densities_are_weighed_and_added() -> None:
    target, source = Histogram(np.array([0.5, 0.5])), Histogram(np.array([0.1, 0.9]))
    np.testing.assert_allclose(target.plus(3.0, source).masses(), np.array([0.5 + 0.3, 0.5 + 2.7]) / 4)
    near, far = KernelDensity.of(np.array([0.2]), S), KernelDensity.of(np.array([0.8, 0.7]), S)
    x = np.linspace(0, 1, 7)
    np.testing.assert_allclose(near.plus(2.0, far).at(x), (near.at(x) + 2 * far.at(x)) / 3)


def test_jensen_shannon_divergence() -> None:
    p, q = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert jensen_shannon(p, q) == pytest.approx(math.log(2))
    assert jensen_shannon(p, p) == 0
    p, q = np.array([0.7, 0.2, 0.1]), np.array([0.2, 0.3, 0.5])
    assert jensen_shannon(p, q) == pytest.approx(jensenshannon(p, q) ** 2)


def test_a_factor_that_decides_is_more_important_than_one_that_does_not() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.integers(0, 4, 300), rng.integers(0, 4, 300), rng.random(300), rng.random(300)])
    loss = np.abs(x[:, 0] - 1) + 5 * (x[:, 2] - 0.5) ** 2 + 0.05 * rng.random(300)
    decisive = Densities.of(x, loss, [4, 4, None, None]).importance()
    assert decisive[0] > 5 * decisive[1] and decisive[2] > 3 * decisive[3]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="quantile"):
        DensitySettings(quantile=1.0)
    with pytest.raises(ValueError, match="finite"):
        Densities.of(np.array([[np.nan]]), np.zeros(1), [None])


def test_many_centres_are_gathered_in_cells() -> None:
    """The divergence of a long study costs no more than that of CELLS centres, and is the same to four digits."""
    x = np.random.default_rng(0).beta(2, 5, 3 * CELLS)
    density = KernelDensity.of(x, DensitySettings())
    middle = density.at((np.arange(GRID) + 0.5) / GRID)
    np.testing.assert_allclose(density.masses(), middle / middle.sum(), rtol=1e-4)
    assert len(density._gathered().centres) <= CELLS
