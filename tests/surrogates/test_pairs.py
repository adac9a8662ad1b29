from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.surrogates.base import Floats
from tunepass.surrogates.pairs import JITTER, Effects, Likelihood, PairsProcess, covariance, standardised


def covariances(z: Floats, w: Floats, v: Floats, constant: float) -> Floats:
    return (z * w) @ z.T + ((z * v) @ z.T) ** 2 / 2 + constant


def signs(n: int, f: int, seed: int) -> Floats:
    return np.random.default_rng(seed).choice([-1.0, 1.0], (n, f))


@examples(30)
@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 10**6))
def test_covariance_and_likelihood_are_those_of_numpy(n: int, f: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    z, y = rng.uniform(-1, 1, (n, f)), rng.normal(size=n)
    theta = np.concatenate([rng.normal(-1, 1, 2 * f), [0.3, -1.0]])
    w, v = np.exp(theta[:f]), np.exp(theta[f : 2 * f])
    k = covariances(z, w, v, np.exp(0.3))
    np.testing.assert_allclose(np.triu(covariance(z, w, v, np.exp(0.3), 0.0)), np.triu(k), atol=1e-10)
    k += (np.exp(-1.0) + JITTER) * np.eye(n)
    likelihood = Likelihood(z, y)
    value, gradient = likelihood(theta)
    expected = -0.5 * (y @ np.linalg.solve(k, y) + np.linalg.slogdet(k)[1] + n * np.log(2 * np.pi))
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        slope = (likelihood(theta + step)[0] - likelihood(theta - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_effects_are_sums_over_columns_and_pairs_of_them() -> None:
    z = signs(5, 4, 0)
    effects = Effects(np.array([1.0, 2, 3, 4]), np.array([[0.5, 7.0], [99.0, 0.25]]), np.array([1, 3], np.int32))
    expected = z @ [1.0, 2, 3, 4] + 7 * z[:, 1] * z[:, 3] + 0.75  # what is below the diagonal does not count
    np.testing.assert_allclose(effects(z), expected)


def test_effects_nearer_to_others_differ_from_them_by_a_share() -> None:
    z, columns = signs(5, 4, 0), np.array([1, 3], np.int32)
    drawn = Effects(np.array([1.0, 2, 3, 4]), np.array([[0.5, 7.0], [0.0, 0.25]]), columns)
    mean = Effects(np.ones(4), np.full((2, 2), 0.5), columns)
    np.testing.assert_allclose(drawn.nearer(mean, 0.25)(z), 0.75 * mean(z) + 0.25 * drawn(z))


def test_draws_have_the_moments_of_the_posterior() -> None:
    z, new = signs(6, 4, 1), signs(8, 4, 2)
    y = standardised(z[:, 0] + 0.5 * z[:, 1] * z[:, 2])
    theta = np.log(np.array([0.5, 0.2, 0.1, 0.1, 0.3, 0.6, 0.5, 0.2, 0.4, 0.01]))
    w, v = np.exp(theta[:4]), np.exp(theta[4:8])
    k = covariances(z, w, v, 0.4) + (0.01 + JITTER) * np.eye(6)
    both = covariances(np.vstack([z, new]), w, v, 0.4)
    cross, own = both[:6, 6:], both[6:, 6:]
    mean, covariance_ = cross.T @ np.linalg.solve(k, y), own - cross.T @ np.linalg.solve(k, cross)
    process, rng = PairsProcess(), np.random.default_rng(3)
    drawn = np.array([process.draw(z, y, theta, rng)(new) for _ in range(4000)])
    apart = drawn - drawn[:, :1]  # draws are up to a constant
    np.testing.assert_allclose(apart.mean(axis=0), mean - mean[0], atol=0.06)
    posterior_mean = process.mean(z, y, theta)
    np.testing.assert_allclose(posterior_mean(new) - posterior_mean(new)[0], mean - mean[0])
    deviation = np.sqrt(np.diag(covariance_) + covariance_[0, 0] - 2 * covariance_[0])
    np.testing.assert_allclose(apart.std(axis=0), deviation, atol=0.05)


def test_a_fit_finds_the_flags_that_matter_and_their_pair() -> None:
    z = signs(60, 25, 4)
    theta = PairsProcess().fit(z, z[:, 3] + 0.8 * z[:, 7] - 0.9 * z[:, 11] * z[:, 12])
    single, joint = theta[:25], theta[25:50]
    assert set(np.argsort(-single)[:2]) == {3, 7}
    assert set(np.argsort(-joint)[:2]) == {11, 12}


def test_equal_losses_are_no_reason_to_fail() -> None:
    z = signs(12, 5, 5)
    process = PairsProcess()
    theta = process.fit(z, np.full(12, 3.0))
    assert np.isfinite(process.draw(z, np.full(12, 3.0), theta, np.random.default_rng(0))(z)).all()
