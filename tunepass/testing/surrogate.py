"""Contracts of surrogates of one loss and of several. A test class inherits one and supplies the `make` fixture."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tunepass.surrogates.base import Floats, JointSurrogate, Surrogate


def rows(n: int, d: int = 3, seed: int = 0) -> tuple[Floats, Floats]:
    x = np.random.default_rng(seed).random((n, d))
    return x, np.sin(3 * x[:, 0]) + x[:, 1] ** 2


class SurrogateContract:
    @pytest.fixture
    def make(self) -> Callable[[], Surrogate]:
        raise NotImplementedError("supply a fixture that gives a fresh surrogate of three real features")

    def test_posterior_has_one_finite_mean_and_nonnegative_variance_a_row(self, make: Callable[[], Surrogate]) -> None:
        surrogate = make()
        surrogate.fit(*rows(20))
        posterior = surrogate.posterior(rows(7, seed=1)[0])
        assert posterior.mean.shape == posterior.variance.shape == (7,)
        assert np.isfinite(posterior.mean).all() and (posterior.variance >= 0).all()

    def test_learns_an_easy_function(self, make: Callable[[], Surrogate]) -> None:
        surrogate, (x, y) = make(), rows(60, seed=2)
        surrogate.fit(x, y)
        new, truth = rows(200, seed=3)
        assert np.corrcoef(surrogate.posterior(new).mean, truth)[0, 1] > 0.85

    def test_same_data_same_posterior(self, make: Callable[[], Surrogate]) -> None:
        new = rows(9, seed=5)[0]
        one, two = make(), make()
        one.fit(*rows(25, seed=4))
        two.fit(*rows(10, seed=6))
        two.fit(*rows(25, seed=4))
        np.testing.assert_array_equal(one.posterior(new).mean, two.posterior(new).mean)
        np.testing.assert_array_equal(one.posterior(new).variance, two.posterior(new).variance)

    def test_fits_in_several_threads_give_the_same_posterior(self, make: Callable[[], Surrogate]) -> None:
        new = rows(9, seed=5)[0]

        def predicted(n: int) -> Floats:
            surrogate = make()
            surrogate.fit(*rows(n, seed=4))
            posterior = surrogate.posterior(new)
            return np.concatenate([posterior.mean, posterior.variance])

        sizes = (14, 15, 14)
        alone = [predicted(n) for n in sizes]
        with ThreadPoolExecutor(len(sizes)) as threads:
            np.testing.assert_array_equal(list(threads.map(predicted, sizes)), alone)

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_rejects_what_is_not_finite(self, make: Callable[[], Surrogate], bad: float) -> None:
        x, y = rows(5)
        with pytest.raises(ValueError, match="finite"):
            make().fit(x, np.where(np.arange(5) == 2, bad, y))
        with pytest.raises(ValueError, match="finite"):
            make().fit(np.where(np.arange(15).reshape(5, 3) == 7, bad, x), y)

    def test_rejects_shapes_that_do_not_match(self, make: Callable[[], Surrogate]) -> None:
        with pytest.raises(ValueError, match="match"):
            make().fit(np.zeros((3, 3)), np.zeros(4))
        with pytest.raises(ValueError, match="match"):
            make().fit(np.zeros((0, 3)), np.zeros(0))

    def test_one_row_and_constant_losses_are_data(self, make: Callable[[], Surrogate]) -> None:
        for n in (1, 12):
            surrogate = make()
            surrogate.fit(rows(n)[0], np.full(n, 4.0))
            np.testing.assert_allclose(surrogate.posterior(rows(5, seed=9)[0]).mean, 4.0, atol=1e-6)

    def test_repeated_rows_with_different_losses_average(self, make: Callable[[], Surrogate]) -> None:
        x = np.repeat(rows(8)[0], 3, axis=0)
        surrogate = make()
        surrogate.fit(x, np.tile([1.0, 2.0, 3.0], 8))
        np.testing.assert_allclose(surrogate.posterior(x[:1]).mean, 2.0, atol=0.5)

    def test_a_constant_column_is_data(self, make: Callable[[], Surrogate]) -> None:
        x, y = rows(30, seed=7)
        x[:, 2] = 0.25
        surrogate, new = make(), rows(6, seed=8)[0]
        surrogate.fit(x, y)
        posterior = surrogate.posterior(new)
        assert np.isfinite(posterior.mean).all() and np.isfinite(posterior.variance).all()

    def test_no_posterior_before_a_fit(self, make: Callable[[], Surrogate]) -> None:
        with pytest.raises(ValueError, match="fit before"):
            make().posterior(rows(1)[0])


class JointSurrogateContract:
    @pytest.fixture
    def make(self) -> Callable[[], JointSurrogate]:
        raise NotImplementedError("supply a fixture that gives a fresh joint surrogate of three real features")

    def test_each_point_has_a_covariance_of_its_losses(self, make: Callable[[], JointSurrogate]) -> None:
        (x, y), surrogate = rows(30), make()
        surrogate.fit_joint(x, np.column_stack([y, 5 - 2 * y]))
        posterior = surrogate.joint_posterior(rows(7, seed=1)[0])
        assert posterior.mean.shape == (7, 2) and posterior.covariance.shape == (7, 2, 2)
        np.testing.assert_array_equal(posterior.covariance, posterior.covariance.transpose(0, 2, 1))
        assert np.linalg.eigvalsh(posterior.covariance).min() > -1e-9
        assert [marginal.mean.shape for marginal in posterior] == [(7,), (7,)]

    def test_learns_two_easy_functions_with_losses_missing(self, make: Callable[[], JointSurrogate]) -> None:
        (x, y), (new, truth) = rows(60, seed=2), rows(200, seed=3)
        observed, surrogate = np.ones((60, 2), bool), make()
        observed[::4, 0] = observed[1::4, 1] = False
        surrogate.fit_joint(x, np.where(observed, np.column_stack([y, -y]), np.nan), observed)
        means = surrogate.joint_posterior(new).mean
        assert np.corrcoef(means[:, 0], truth)[0, 1] > 0.85 and np.corrcoef(means[:, 1], -truth)[0, 1] > 0.85

    def test_refuses_what_is_not_finite_or_was_never_observed(self, make: Callable[[], JointSurrogate]) -> None:
        x, y = rows(6)
        losses = np.column_stack([y, y])
        with pytest.raises(ValueError, match="finite"):
            make().fit_joint(x, np.where(np.arange(12).reshape(6, 2) == 3, np.nan, losses))
        with pytest.raises(ValueError, match="observed"):
            make().fit_joint(x, losses, np.column_stack([y > -9, y < -9]))
        with pytest.raises(ValueError, match="match"):
            make().fit_joint(x, losses[:5])

    def test_same_data_same_covariance(self, make: Callable[[], JointSurrogate]) -> None:
        (x, y), new = rows(20), rows(5, seed=1)[0]
        one, two = make(), make()
        for surrogate in (one, two):
            surrogate.fit_joint(x, np.column_stack([y, y**2]))
        np.testing.assert_array_equal(one.joint_posterior(new).covariance, two.joint_posterior(new).covariance)
