from __future__ import annotations

import math

import numpy as np
import pytest

from tunepass.surrogates.gp import JITTER, GaussianProcess, GpSettings, LogPosterior
from tunepass.surrogates.hyperpriors import (
    FLAT,
    VANILLA,
    Gamma,
    Hyperpriors,
    LogNormal,
    draw_starts,
    lengthscale_priors,
)
from tunepass.surrogates.kernels import Features, Likelihood


def test_density_and_gradient_of_gammas_beside_normals() -> None:
    prior = Hyperpriors([Gamma(3.0, 1.0), LogNormal(0.5, 0.8, 0.0), FLAT])
    theta = np.array([0.3, -0.4, 5.0])
    value, gradient = prior(theta)
    assert value == pytest.approx(2 * 0.3 - math.exp(0.3) - 0.5 * (0.9 / 0.8) ** 2)
    assert gradient == pytest.approx([2 - math.exp(0.3), 0.9 / 0.8**2, 0.0])


def test_gradient_of_the_posterior_under_log_normals() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random((12, 3)), rng.normal(size=12)
    settings = GpSettings(lengthscale=(LogNormal(0.0, 1.0), LogNormal(1.0, 0.5), LogNormal(-1.0, 2.0, 1.0)))
    objective = LogPosterior(Likelihood(x, Features.plain(3), y, "matern52", JITTER), settings)
    theta = np.array([0.2, -0.5, 0.9, 0.1, -2.0])
    _, gradient = objective(theta)
    for i, step in enumerate(1e-5 * np.eye(5)):
        numeric = (objective(theta + step)[0] - objective(theta - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(numeric, rel=1e-5, abs=1e-6)


def test_the_center_grows_with_the_number_of_lengthscales() -> None:
    (one,) = set(lengthscale_priors(VANILLA, 60))
    assert one == LogNormal(math.sqrt(2) + math.log(60) / 2, math.sqrt(3), 0.0)
    assert lengthscale_priors(Gamma(3.0, 1.0), 2) == [Gamma(3.0, 1.0)] * 2
    assert lengthscale_priors(None, 2) == [FLAT, FLAT]


def test_the_width_may_grow_where_parameters_are_many() -> None:
    prior = LogNormal(0.0, 0.6, spread=0.5)
    assert [prior.at(p).width for p in (5, 20)] == [0.6, 0.6]
    assert prior.at(60).width == pytest.approx(0.6 + 0.5 * math.log(3))


def test_priors_one_each_must_be_as_many_as_lengthscales() -> None:
    with pytest.raises(ValueError, match="as many as lengthscales, got 1 for 2"):
        lengthscale_priors((VANILLA,), 2)


def test_starts_begin_at_the_middle_and_have_the_prior_s_moments() -> None:
    starts = draw_starts([LogNormal(2.0, 0.5, 0.0), Gamma(3.0, 2.0)], 4000, np.random.default_rng(0))
    assert starts[0] == pytest.approx([2.0, math.log(1.5)])
    assert starts[1:, 0].mean() == pytest.approx(2.0, abs=0.05)
    assert starts[1:, 0].std() == pytest.approx(0.5, abs=0.05)
    assert np.exp(starts[1:, 1]).mean() == pytest.approx(1.5, abs=0.05)


def test_sixty_flags_are_predicted_where_a_prior_that_knows_no_dimension_predicts_nothing() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (90, 60)).astype(np.float64)
    y = x[:, :6] @ np.array([1.0, -1.0, 0.8, 0.6, -0.5, 0.4])
    features = Features.of(np.arange(60), np.ones(60, np.bool_))

    def error(settings: GpSettings) -> float:
        process = GaussianProcess(features, settings)
        process.fit(x[:60], y[:60])
        return float(np.abs(process.posterior(x[60:]).mean - y[60:]).mean())

    assert error(GpSettings(lengthscale=VANILLA)) < 0.6 * error(GpSettings(lengthscale=Gamma(2.0, 1.0)))
