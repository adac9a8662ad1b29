from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

from tests.examples import examples
from tunepass.surrogates.base import Floats, Surrogate
from tunepass.surrogates.gp import JITTER, GaussianProcess, GpSettings, LogPosterior
from tunepass.surrogates.hyperpriors import Gamma
from tunepass.surrogates.kernels import (
    LANES,
    CovarianceKernel,
    Features,
    KernelName,
    Likelihood,
    covariance,
    factor,
    inverse_diagonal,
)
from tunepass.testing.surrogate import SurrogateContract, rows


class TestGaussianProcess(SurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], Surrogate]:
        return lambda: GaussianProcess(Features.plain(3))


MIXED = Features.of(np.array([0, 1, 2, 2, 2, 3]), np.array([0, 1, 0, 0, 0, 0], np.bool_))


def mixed_rows(n: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    order = np.array([rng.permutation(3) for _ in range(n)]) / 2
    return np.column_stack([rng.random(n), rng.integers(0, 3, n), order, rng.integers(0, 4, n) / 3])


@pytest.mark.parametrize("kernel", ["matern52", "matern32", "se"])
def test_gradient_against_finite_differences(kernel: KernelName) -> None:
    x = mixed_rows(25, 0)
    y = np.random.default_rng(1).normal(size=25)
    objective = LogPosterior(Likelihood(x, MIXED, y, kernel, JITTER), GpSettings(kernel=kernel))
    theta = np.array([-0.5, 0.2, 0.3, -1.0, 0.4, -2.5])
    _, gradient = objective(theta)
    for i in range(len(theta)):
        step = np.zeros(len(theta))
        step[i] = 1e-5
        numeric = (objective(theta + step)[0] - objective(theta - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(numeric, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("kernel", ["matern52", "matern32", "se"])
def test_posterior_and_likelihood_equal_scikit_learn(kernel: KernelName) -> None:
    (x, y), (new, _) = rows(40, d=3, seed=2), rows(50, d=3, seed=3)
    y = (y - y.mean()) / y.std()
    l, amplitude, noise = np.array([0.4, 0.9, 2.0]), 1.7, 0.05
    base = RBF(l) if kernel == "se" else Matern(l, nu=2.5 if kernel == "matern52" else 1.5)
    theirs = GaussianProcessRegressor(
        ConstantKernel(amplitude) * base + WhiteKernel(noise), alpha=JITTER, optimizer=None
    )
    theirs.fit(x, y)
    mean, deviation = theirs.predict(new, return_std=True)
    theta = np.log([*l, amplitude, noise])
    ours = GaussianProcess(Features.plain(3), GpSettings(kernel=kernel))
    ours.refit(x, y, theta)
    posterior = ours.posterior(new)
    np.testing.assert_allclose(posterior.mean, mean, atol=1e-8)
    np.testing.assert_allclose(posterior.variance, deviation**2 - noise, atol=1e-8)  # theirs includes the noise
    value, _ = Likelihood(x, Features.plain(3), y, kernel, JITTER)(theta)
    assert value == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-10)


@examples(60)
@given(st.integers(2, 30), st.integers(0, 10**6), st.sampled_from(["matern52", "matern32", "se"]))
def test_kernels_are_positive_semi_definite_on_mixed_rows(n: int, seed: int, kernel: KernelName) -> None:
    x = mixed_rows(n, seed)
    l = np.random.default_rng(seed).gamma(2, 0.5, 4) + 0.05
    upper = covariance(x, MIXED, CovarianceKernel(kernel, l, 1.0, 0.0), 0.0)
    full = upper + np.triu(upper, 1).T
    assert np.linalg.eigvalsh(full).min() > -1e-9


def test_factor_appends_rows_to_a_factor() -> None:
    x = mixed_rows(30, 4)
    k = covariance(x, MIXED, CovarianceKernel("matern52", np.ones(4), 1.0, 0.1), 0.1)
    whole, appended = k.copy(), k.copy()
    assert factor(whole)
    first = np.ascontiguousarray(k[:20, :20])
    assert factor(first)
    appended[:20, :20] = first
    assert factor(appended, known=20)
    np.testing.assert_array_equal(appended, whole)


def test_appending_rows_gives_the_same_bits_as_fitting_them_together() -> None:
    x, new = mixed_rows(40, 5), mixed_rows(20, 6)
    y = np.random.default_rng(0).normal(size=40)
    theta = np.log([0.5, 1.0, 0.8, 2.0, 1.5, 0.01])
    together, grown = GaussianProcess(MIXED), GaussianProcess(MIXED)
    together.refit(x, y, theta)
    for n in (10, 11, 25, 40):
        grown.refit(x[:n], y[:n], theta)
    np.testing.assert_array_equal(grown.posterior(new).mean, together.posterior(new).mean)
    np.testing.assert_array_equal(grown.posterior(new).variance, together.posterior(new).variance)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 31, 32, 33, 40, 63, 64, 70, 101])
def test_factor_and_inverse_of_every_size(n: int) -> None:
    kernel = CovarianceKernel("matern52", np.full(4, 0.7), 1.3, 0.1)
    upper = covariance(mixed_rows(n, n), MIXED, kernel, 0.1)
    full = upper + np.triu(upper, 1).T
    whole = np.zeros((n, -(-n // LANES) * LANES))  # rows of whole LANES are factored another way, to the same bits
    whole[:, :n] = upper
    assert factor(upper) and factor(whole)
    np.testing.assert_array_equal(np.triu(whole[:, :n]), np.triu(upper))
    np.testing.assert_allclose(np.triu(upper).T @ np.triu(upper), full, atol=1e-12)
    np.testing.assert_allclose(inverse_diagonal(upper), np.diagonal(np.linalg.inv(full)), rtol=1e-9)


@pytest.mark.parametrize("n", [9, 32, 45])
def test_likelihood_and_its_gradient_equal_numpys(n: int) -> None:
    x, y = mixed_rows(n, n), np.random.default_rng(n).normal(size=n)
    theta = np.array([-0.5, 0.2, 0.3, -1.0, 0.4, -2.5])
    value, gradient = Likelihood(x, MIXED, y, "matern52", JITTER)(theta)
    kernel = CovarianceKernel.of("matern52", theta)
    upper = covariance(x, MIXED, kernel, kernel.noise + JITTER)
    inverse = np.linalg.inv(upper + np.triu(upper, 1).T)
    alpha = inverse @ y
    plain = -0.5 * (y @ alpha - np.linalg.slogdet(inverse)[1] + n * np.log(2 * np.pi))
    assert value == pytest.approx(plain, rel=1e-9)
    w = np.outer(alpha, alpha) - inverse
    assert gradient[-1] == pytest.approx(0.5 * kernel.noise * np.trace(w), rel=1e-9)


def test_a_matrix_that_is_not_positive_is_reported() -> None:
    assert not factor(np.array([[1.0, 2.0], [0.0, 1.0]]))


def test_leave_one_out_equals_refitting_without_each_row() -> None:
    x, y = rows(15, seed=7)
    gp = GaussianProcess(Features.plain(3))
    gp.fit(x, y)
    loo, theta = gp.leave_one_out(), gp.fitted.theta
    shift, scale = y.mean(), y.std()
    for i in (0, 7, 14):
        keep = np.arange(15) != i
        part = GaussianProcess(Features.plain(3))
        part.refit(x[keep], y[keep], theta)
        part._shift, part._scale = shift, scale  # leave-one-out keeps the standardisation of all rows
        part._y = (y[keep] - shift) / scale
        part._condition(x[keep], theta, 0.0)
        expected = part.posterior(x[i : i + 1])
        assert loo.mean[i] == pytest.approx(expected.mean[0], abs=1e-7)
        noise = (gp.fitted.kernel.noise + JITTER) * scale**2
        assert loo.variance[i] == pytest.approx(expected.variance[0] + noise, rel=1e-6)


def test_a_parameter_that_does_not_matter_gets_a_long_lengthscale() -> None:
    x = np.random.default_rng(0).random((50, 2))
    gp = GaussianProcess(Features.plain(2), GpSettings(lengthscale=Gamma(1.5, 0.5)))
    gp.fit(x, np.sin(6 * x[:, 0]))
    relevant, irrelevant = gp.fitted.kernel.lengthscales
    assert irrelevant > 4 * relevant


def test_groups_must_cover_the_parameters() -> None:
    with pytest.raises(ValueError, match="own a feature"):
        Features.of(np.array([0, 2]), np.zeros(2, np.bool_))


def test_rows_that_follow_others_reuse_what_both_have() -> None:
    x, new = mixed_rows(30, 5), mixed_rows(20, 6)
    y = np.random.default_rng(0).normal(size=30)
    theta = np.log([0.5, 1.0, 0.8, 2.0, 1.5, 0.01])
    fresh, used = GaussianProcess(MIXED), GaussianProcess(MIXED)
    used.refit(np.vstack([x[:20], new[:5]]), y[:25], theta)  # believed rows after the measured ones
    assert used._known(x, theta, np.zeros(30)) == 20
    used.refit(x, y, theta)
    fresh.refit(x, y, theta)
    np.testing.assert_array_equal(used.posterior(new).variance, fresh.posterior(new).variance)


@examples(40)
@given(st.integers(1, 40), st.integers(1, 70), st.integers(0, 10**6), st.sampled_from(["matern52", "matern32", "se"]))
def test_posterior_of_candidates_that_share_features_is_that_of_each_alone(
    n: int, wide: int, seed: int, kernel: KernelName
) -> None:
    rng = np.random.default_rng(seed)
    features = Features.of(np.arange(wide), rng.random(wide) < 0.5)
    x, head = rng.integers(0, 3, (n, wide)) / 2, rng.integers(0, 3, wide) / 2
    near = np.repeat(head[None], wide + 3, axis=0)
    near[np.arange(wide), np.arange(wide)] += 0.5  # neighbours: one feature each, and the head itself
    gp = GaussianProcess(features, GpSettings(kernel=kernel))
    gp.refit(x, rng.normal(size=n), np.concatenate([rng.normal(0.5, 1.0, wide), [0.3, -3.0]]))
    together = gp.posterior(near)
    alone = [gp.posterior(np.vstack([row[None], rng.random((31, wide))])) for row in near]  # a block of strangers
    np.testing.assert_allclose(together.mean, [p.mean[0] for p in alone], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(together.variance, [p.variance[0] for p in alone], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("n", "wide"), [(1, 1), (7, 3), (8, 4), (33, 5), (70, 9)])
def test_likelihood_of_any_number_of_rows_and_features_is_that_of_numpy(n: int, wide: int) -> None:
    rng = np.random.default_rng([n, wide])
    group = np.minimum(np.arange(wide), max(0, wide - 2))  # the last two features are one parameter
    nominal = np.arange(wide) % 3 == 0
    x, y = rng.integers(0, 4, (n, wide)) / 3, rng.normal(size=n)
    features = Features.of(group, nominal)
    theta = np.concatenate([rng.normal(0, 0.5, features.parameters), [0.2, -1.5]])
    apart = x[:, None, :] - x[None]
    d2 = np.where(nominal, apart != 0, apart**2)
    r2 = (d2 * np.exp(-2 * theta[:-2])[group]).sum(axis=2)
    s = np.sqrt(5 * r2)
    k = np.exp(theta[-2]) * (1 + s + s * s / 3) * np.exp(-s) + (np.exp(theta[-1]) + JITTER) * np.eye(n)
    expected = -0.5 * (y @ np.linalg.solve(k, y) + np.linalg.slogdet(k)[1] + n * np.log(2 * np.pi))
    value, gradient = Likelihood(x, features, y, "matern52", JITTER)(theta)
    assert value == pytest.approx(expected, rel=1e-9)
    for i, step in enumerate(1e-5 * np.eye(len(theta))):
        up, down = (Likelihood(x, features, y, "matern52", JITTER)(theta + t)[0] for t in (step, -step))
        assert gradient[i] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-5)
