from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.surrogates.test_gp import MIXED, mixed_rows
from tunepass.surrogates.base import Floats, Surrogate
from tunepass.surrogates.fitc import JITTER, Fitc
from tunepass.surrogates.gp import GaussianProcess, GpSettings
from tunepass.surrogates.inducing import Expansion
from tunepass.surrogates.kernels import KernelName, Likelihood
from tunepass.surrogates.sparse_gp import SparseProcess, SparseSettings, Trained
from tunepass.testing.surrogate import SurrogateContract, rows

ROOT = Path(__file__).parents[2]
THETA = np.array([-0.5, 0.2, 0.3, -1.0, 0.4, -2.5])  # of MIXED's four lengthscales, the amplitude and the noise
QUICK = SparseSettings(fewest_inducing=6, draws=3, starts=1, iterations=5)
KERNELS = pytest.mark.parametrize("kernel", ["matern52", "matern32", "se"])


class TestSparseProcess(SurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], Surrogate]:
        return lambda: SparseProcess(settings=SparseSettings(fewest_inducing=10))


def example(kernel: KernelName, power: float = 1.0, n: int = 30) -> tuple[Fitc, Floats]:
    """A FITC process of mixed rows, and inducing inputs beside some of them."""
    rng, x = np.random.default_rng(1), mixed_rows(n, 0)
    expansion = Expansion.of(x, MIXED)
    expanded = expansion.rows(x)
    z = expanded[:7] + 0.05 * rng.normal(size=expanded[:7].shape)
    return Fitc(expanded, expansion.group, rng.normal(size=n), kernel, np.linspace(0, 0.02, n), power), z


@KERNELS
@pytest.mark.parametrize("power", [1.0, 0.5, 0.0])
def test_gradients_against_finite_differences(kernel: KernelName, power: float) -> None:
    fitc, z = example(kernel, power)
    _, by_theta, by_z = fitc(THETA, z)
    for i, step in enumerate(1e-5 * np.eye(len(THETA))):
        numeric = (fitc(THETA + step, z)[0] - fitc(THETA - step, z)[0]) / 2e-5
        assert by_theta[i] == pytest.approx(numeric, rel=1e-5, abs=1e-6)
    for index in np.ndindex(z.shape):
        step = np.zeros_like(z)
        step[index] = 1e-5
        numeric = (fitc(THETA, z + step)[0] - fitc(THETA, z - step)[0]) / 2e-5
        assert by_z[index] == pytest.approx(numeric, rel=1e-5, abs=1e-6)


@KERNELS
def test_inducing_inputs_at_the_data_give_the_full_process(kernel: KernelName) -> None:
    x, new, y = mixed_rows(30, 0), mixed_rows(20, 3), np.random.default_rng(1).normal(size=30)
    expansion = Expansion.of(x, MIXED)
    full, sparse = (
        GaussianProcess(MIXED, GpSettings(kernel=kernel)),
        SparseProcess(MIXED, replace(QUICK, kernel=kernel)),
    )
    full.refit(x, y, THETA)
    sparse.condition(x, y, Trained(THETA, expansion.rows(x), expansion))
    for theirs, ours in [(full.posterior(new), sparse.posterior(new)), (full.leave_one_out(), sparse.leave_one_out())]:
        np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-6)
        np.testing.assert_allclose(ours.variance, theirs.variance, atol=1e-6)
    y = (y - y.mean()) / y.std()
    fitc = Fitc(expansion.rows(x), expansion.group, y, kernel, np.zeros(30))
    expected = Likelihood(x, MIXED, y, kernel, JITTER)(THETA)[0]
    assert fitc(THETA, expansion.rows(x))[0] == pytest.approx(expected, abs=1e-9)


def dense(fitc: Fitc, z: Floats) -> tuple[Floats, Floats, Floats]:
    """Q, r and the noise by plain NumPy."""
    kernel = fitc.condition(THETA, z).kernel
    cross, among = kernel.cross(fitc.x)[0], kernel.among()[0]
    q = cross.T @ np.linalg.solve(among, cross)
    return q, kernel.amplitude - np.diagonal(q), kernel.noise + fitc.stated


@pytest.mark.parametrize("power", [1.0, 0.5, 1e-6, 0.0])
def test_the_energy_is_that_of_its_definition(power: float) -> None:
    fitc, z = example("se", power)
    q, r, noise = dense(fitc, z)
    s = q + np.diag(power * r + noise)
    plain = -0.5 * (fitc.y @ np.linalg.solve(s, fitc.y) + np.linalg.slogdet(s)[1] + 30 * np.log(2 * np.pi))
    bound = (r / noise).sum() if power == 0 else np.log1p(power * r / noise).sum() / power
    assert fitc(THETA, z)[0] == pytest.approx(plain - 0.5 * (1 - power) * bound, rel=1e-8)


def test_the_limit_of_the_power_is_the_variational_bound_below_the_exact_likelihood() -> None:
    fitc, z = example("matern52", 0.0)
    bound, limit = fitc(THETA, z)[0], example("matern52", 1e-7)[0](THETA, z)[0]
    assert limit == pytest.approx(bound, abs=1e-3)
    exact = Fitc(fitc.x, fitc.group, fitc.y, "matern52", fitc.stated)(THETA, fitc.x)[0]
    assert bound < exact


def test_left_out_losses_equal_conditioning_without_them() -> None:
    fitc, z = example("matern52")
    left_out = fitc.condition(THETA, z).left_out
    for i in (0, 11, 29):
        others = np.arange(30) != i
        part = Fitc(fitc.x[others], fitc.group, fitc.y[others], "matern52", fitc.stated[others]).condition(THETA, z)
        predicted = part.posterior(fitc.x[i : i + 1])
        assert left_out.mean[i] == pytest.approx(predicted.mean[0], abs=1e-7)
        noise = part.kernel.noise + fitc.stated[i]
        assert left_out.variance[i] == pytest.approx(predicted.variance[0] + noise, rel=1e-6)


def test_the_order_of_rows_and_of_inducing_inputs_changes_nothing() -> None:
    fitc, z = example("matern52")
    order, new = np.random.default_rng(2).permutation(30), fitc.x[:5] + 0.1
    other = Fitc(fitc.x[order], fitc.group, fitc.y[order], "matern52", fitc.stated[order])
    assert other(THETA, z[::-1])[0] == pytest.approx(fitc(THETA, z)[0], rel=1e-10)
    one, two = fitc.condition(THETA, z).posterior(new), other.condition(THETA, z[::-1]).posterior(new)
    np.testing.assert_allclose([one.mean, one.variance], [two.mean, two.variance], atol=1e-9)


def test_training_moves_inducing_inputs_and_raises_the_likelihood() -> None:
    x, y = rows(80, d=3, seed=3)
    still, moved = (SparseProcess(settings=replace(QUICK, move_inducing=move, training="ml")) for move in (False, True))
    for process in (still, moved):
        process.fit(x, y)
    assert not np.allclose(still.trained.z, moved.trained.z)
    assert {tuple(row) for row in still.trained.z} <= {tuple(row) for row in x}
    assert moved._process.log_evidence > still._process.log_evidence


def test_priors_hold_lengthscales_that_the_likelihood_alone_does_not() -> None:
    x = np.random.default_rng(0).random((25, 2))
    y = np.sin(3 * x[:, 0])  # the second column does not matter
    thetas = []
    for training in ("map", "ml"):
        process = SparseProcess(settings=SparseSettings(training=training))  # type: ignore[arg-type]
        process.fit(x, y)
        thetas.append(process.trained.theta)
    assert thetas[1][1] > thetas[0][1] + 1


def test_a_thousand_rows_constant_columns_and_duplicates() -> None:
    x, y = rows(500, d=3, seed=4)
    x[:, 2] = 0.5
    x, y = np.vstack([x, x]), np.concatenate([y, y + 0.01])
    process = SparseProcess(settings=replace(QUICK, training_rows=200))
    process.fit(x, y)
    posterior = process.posterior(x[:50])
    assert np.sqrt(((posterior.mean - y[:50]) ** 2).mean()) < 0.2 * y.std()
    assert np.isfinite(posterior.variance).all() and (posterior.variance >= 0).all()
    assert len(process.trained.z) == 100


def test_known_noise_of_a_loss_lowers_its_weight() -> None:
    x = np.linspace(0, 1, 12)[:, None]
    y = np.where(np.arange(12) == 6, 5.0, 0.0) + 0.1 * x[:, 0]
    process, noise = SparseProcess(settings=QUICK), np.where(np.arange(12) == 6, 100.0, 0.0)
    trained = Trained(np.array([-1.0, 0.0, -5.0]), x[::2], Expansion.of(x, MIXED.plain(1)))
    means = []
    for stated in (np.zeros(12), noise):
        process.condition(x, y, trained, stated)
        means.append(process.posterior(x[6:7]).mean[0])
    assert means[1] < 0.5 * means[0]


@pytest.mark.parametrize(
    "change",
    [{"inducing_share": 0.0}, {"power": 1.5}, {"fewest_inducing": 0}, {"most_inducing": 3}, {"training": "bayes"}],
)
def test_settings_that_say_nothing_are_refused(change: dict[str, float | str]) -> None:
    with pytest.raises(ValueError, match=r"must hold|map or ml"):
        SparseSettings(**change)  # type: ignore[arg-type]


PROGRAM = """
from tunepass.surrogates.sparse_gp import SparseProcess, SparseSettings
from tunepass.testing.surrogate import rows
process = SparseProcess(settings=SparseSettings(iterations=5, draws=2))
process.fit(*rows(300))
posterior = process.posterior(rows(50, seed=1)[0])
print(posterior.mean.tobytes().hex(), posterior.variance.tobytes().hex())
"""


def test_a_posterior_does_not_depend_on_the_number_of_threads() -> None:
    def printed(threads: int) -> str:
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, str(threads)), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", PROGRAM]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout

    assert printed(1) == printed(4) != ""
