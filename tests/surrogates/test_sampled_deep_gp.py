"""Sampled deep processes of numbers, categories and orders."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.surrogates.sampled_data import EMBEDDING, FEATURES, SPACE, mixed_rows, ordered_losses
from tests.surrogates.threads import printed
from tunepass.space.features.encoding import Encoding
from tunepass.surrogates.base import Floats, JointSurrogate, Posterior
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.deep_layer import flattened
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.gp import GaussianProcess
from tunepass.surrogates.inducing import Expansion
from tunepass.surrogates.kernels import Features
from tunepass.surrogates.sampled_deep_gp import SampledDeepProcess, SampledNetwork
from tunepass.surrogates.sampled_layer import SampledLayer, SampledPropagation
from tunepass.surrogates.sampled_training import SampledBound, SampledSettings
from tunepass.testing.surrogate import JointSurrogateContract, SurrogateContract, rows

QUICK = SampledSettings(steps=40, fewest_inducing=20, most_inducing=20)


class TestSampledDeepProcess(SurrogateContract, JointSurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], JointSurrogate]:  # type: ignore[override]
        return lambda: SampledDeepProcess(settings=QUICK)


class TestThreeSampledLayers(SurrogateContract, JointSurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], JointSurrogate]:  # type: ignore[override]
        return lambda: SampledDeepProcess(settings=replace(QUICK, hidden=(2, 0), inner="se", fewest_inducing=15))


class TestOneSampledLayer(SurrogateContract, JointSurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], JointSurrogate]:  # type: ignore[override]
        return lambda: SampledDeepProcess(settings=replace(QUICK, hidden=()))


def step(n: int, seed: int) -> tuple[Floats, Floats]:
    """A step with noise, and new rows without."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, 1))
    return x, np.where(x[:, 0] > 0.5, 1.0, 0.0) + 0.05 * rng.normal(size=n)


def log_density(posterior: Posterior, noise: float, loss: Floats) -> float:
    variance = posterior.variance + noise
    return float(-0.5 * np.mean(np.log(2 * np.pi * variance) + (loss - posterior.mean) ** 2 / variance))


def test_a_step_is_predicted_better_than_by_a_plain_process() -> None:
    gains = []
    for seed in range(2):
        (x, y), (new, loss) = step(50, seed), step(200, seed + 10)
        sampled = SampledDeepProcess(settings=SampledSettings(steps=250, fewest_inducing=20))
        plain = GaussianProcess(Features.plain(1))
        sampled.fit(x, y)
        plain.fit(x, y)
        noise = plain.fitted.kernel.noise * float(y.std()) ** 2
        density = log_density(sampled.posterior(new), float(sampled.noise[0]), loss)
        gains.append(density - log_density(plain.posterior(new), noise, loss))
    assert np.mean(gains) > 0.3


def test_orders_and_categories_are_predicted_better_than_by_the_deep_process_of_encoded_rows() -> None:
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        train, test = SPACE.sample_columns(60, rng), SPACE.sample_columns(200, rng)
        sampled = SampledDeepProcess(FEATURES, SampledSettings(steps=60, fewest_inducing=30))
        deep, encoding = DeepProcess(DeepSettings(steps=300)), Encoding(SPACE)
        loss, truth = ordered_losses(train), ordered_losses(test)
        sampled.fit(EMBEDDING.rows(train), loss)
        deep.fit(encoding.encode(train), loss)
        predicted = [sampled.posterior(EMBEDDING.rows(test)).mean, deep.posterior(encoding.encode(test)).mean]
        errors.append([np.sqrt(np.mean((mean - truth) ** 2)) for mean in predicted])
    sampled_error, deep_error = np.mean(errors, axis=0)
    assert sampled_error < 0.85 * deep_error


def test_a_value_that_no_row_had_is_as_far_from_all_as_they_are_from_each_other() -> None:
    x, y, _ = mixed_rows(40)
    seen = x[:, 1] != 2
    process = SampledDeepProcess(FEATURES, QUICK)
    process.fit_joint(x[seen], y[seen])
    known, unknown = (process.joint_posterior(x[rows_]) for rows_ in (seen, ~seen))
    assert np.isfinite(unknown.mean).all()
    assert unknown[0].variance.mean() > known[0].variance.mean()


def trained(hidden: tuple[int, ...] = (2,)) -> tuple[SampledDeepProcess, SampledNetwork, Floats]:
    x, y, observed = mixed_rows(40)
    process = SampledDeepProcess(FEATURES, replace(QUICK, hidden=hidden))
    process.fit_joint(x, y, observed)
    assert process._network is not None
    return process, process._network, x


def test_a_prediction_has_the_moments_of_many_independent_draws() -> None:
    _, network, x = trained()
    network = SampledNetwork(network.trained, 4000, 0)
    posterior, rng = network.posterior(x[:3]), np.random.default_rng(5)
    first, last = network.states
    step_one = SampledPropagation(first, network.trained.expansion.rows(x[:3]))
    hidden = step_one.sampled(rng.standard_normal((60_000, 4)))
    outputs = SampledPropagation(last, hidden)
    values = outputs.sampled(rng.standard_normal(outputs.mean.shape)).reshape(-1, 3, 2)
    for point in range(3):
        np.testing.assert_allclose(posterior.mean[point], values[:, point].mean(axis=0), atol=0.03)
        np.testing.assert_allclose(posterior.covariance[point], np.cov(values[:, point].T), atol=0.03)


def test_the_usual_number_of_samples_is_close_to_many() -> None:
    _, network, x = trained()
    few, many = network.posterior(x), SampledNetwork(network.trained, 2000, 1).posterior(x)
    assert np.abs(few.mean - many.mean).max() < 0.1 * np.sqrt(many.covariance[:, 0, 0].max())


def test_predictions_do_not_depend_on_the_other_rows_or_on_the_call() -> None:
    process, _, _ = trained((1, 1))
    many = mixed_rows(600, seed=8)[0]  # more than a block
    whole, parts = process.joint_posterior(many), [process.joint_posterior(many[i : i + 7]) for i in (0, 252, 593)]
    for part, start in zip(parts, (0, 252, 593)):
        np.testing.assert_allclose(part.mean, whole.mean[start : start + 7], rtol=1e-12)
        np.testing.assert_allclose(part.covariance, whole.covariance[start : start + 7], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(process.joint_posterior(many).mean, whole.mean)
    assert process.joint_posterior(many[:0]).mean.shape == (0, 2)


def test_missing_losses_change_nothing_whatever_their_values() -> None:
    x, y, observed = mixed_rows(30)
    posteriors = []
    for missing in (np.nan, 1e9):
        process = SampledDeepProcess(FEATURES, QUICK)
        process.fit_joint(x, np.where(observed, y, missing), observed)
        posteriors.append(process.joint_posterior(x))
    np.testing.assert_array_equal(posteriors[0].mean, posteriors[1].mean)
    np.testing.assert_array_equal(posteriors[0].covariance, posteriors[1].covariance)


def test_training_moves_the_inducing_inputs_of_the_further_layers_only() -> None:
    x, y, _ = mixed_rows(40)
    start, process = SampledDeepProcess(FEATURES, replace(QUICK, steps=1)), SampledDeepProcess(FEATURES, QUICK)
    start.fit_joint(x, y)
    process.refit(x, y, start.layers)
    assert start.layers and process.layers
    (first, last), (new_first, new_last) = start.layers.layers, process.layers.layers
    assert (first.z == new_first.z).all() and np.abs(last.z - new_last.z).max() > 0
    moved = np.abs(flattened(process.layers.layers) - flattened(start.layers.layers)).max()
    assert 0 < moved < process.settings.refit_steps * process.settings.rate + 1e-9


def test_refits_know_values_of_categories_that_come_later() -> None:
    x, y, _ = mixed_rows(40)
    order = np.argsort(x[:, 1], kind="stable")
    process = SampledDeepProcess(FEATURES, QUICK)
    process.fit_joint(x[order[:20]], y[order[:20]])
    process.refit(x, y, process.layers)
    assert process.fallback is None and np.isfinite(process.joint_posterior(x).mean).all()


def test_training_that_diverges_falls_back_to_sparse_processes_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(
        self: SampledBound, parameters: Floats, like: list[SampledLayer], batch: object = None
    ) -> tuple[float, Floats]:
        return (1.0 if batch is None else np.nan), np.zeros_like(parameters)

    x, y, observed = mixed_rows(60)
    new, truth, _ = mixed_rows(100, seed=3)
    process = SampledDeepProcess(FEATURES, QUICK)
    monkeypatch.setattr(SampledBound, "at", broken)
    with pytest.warns(RuntimeWarning, match="sparse processes in place of the sampled deep one: covariances were not"):
        process.fit_joint(x, np.where(observed, y, np.nan), observed)
    assert process.fallback is not None and process.layers is None and (process.noise > 0).all()
    posterior = process.joint_posterior(new)
    assert np.corrcoef(posterior.mean[:, 0], truth[:, 0])[0, 1] > 0.7 and (posterior.covariance[:, 0, 1] == 0).all()
    monkeypatch.undo()
    process.fit_joint(x, y)
    assert process.fallback is None and process.layers is not None and (process.noise > 0).all()


def test_a_start_that_is_not_positive_definite_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Expansion, "rows", lambda self, x: np.full((len(x), len(self.group)), 1e200))
    x, y = rows(12)
    with pytest.warns(RuntimeWarning, match="in place of the sampled deep one"), np.errstate(all="ignore"):
        process = SampledDeepProcess(settings=QUICK)
        monkeypatch.setattr("tunepass.surrogates.sampled_deep_gp.sparse_theta", lambda *_: [np.zeros(5)])
        monkeypatch.setattr("tunepass.surrogates.joint_deep_gp.SparseProcess.fit", lambda *_: None)
        process.fit(x, y)
    assert process.fallback is not None


def test_constant_columns_one_row_and_no_varying_column() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (np.full((8, 2), 0.5), np.zeros((1, 2))):
            process = SampledDeepProcess(settings=QUICK)
            process.fit(x, np.arange(len(x), dtype=np.float64))
            posterior = process.posterior(np.array([[0.5, 0.5], [0.0, 1.0]]))
            assert np.isfinite(posterior.mean).all() and (posterior.variance >= 0).all()


def test_losses_that_are_all_equal_stay_so_beside_others() -> None:
    x, y = rows(30)
    process = SampledDeepProcess(settings=QUICK)
    process.fit_joint(x, np.column_stack([y, np.full(30, 1e15)]))
    posterior = process.joint_posterior(rows(9, seed=1)[0])
    np.testing.assert_allclose(posterior.mean[:, 1], 1e15, rtol=1e-12)
    assert (posterior.covariance[:, 1, 1] > 0).all() and np.corrcoef(process.posterior(x).mean, y)[0, 1] > 0.95


def test_a_thousand_rows_and_duplicates() -> None:
    x, y = rows(500, seed=4)
    process = SampledDeepProcess(settings=replace(QUICK, steps=20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        process.fit_joint(np.vstack([x, x]), np.tile(np.column_stack([y, -y]), (2, 1)))
    means = process.joint_posterior(x[:100]).mean
    assert np.corrcoef(means[:, 0], y[:100])[0, 1] > 0.95 and np.corrcoef(means[:, 1], -y[:100])[0, 1] > 0.95


PROGRAM = """
import numpy as np
from tunepass.surrogates.sampled_deep_gp import SampledDeepProcess
from tunepass.surrogates.sampled_training import SampledSettings
from tunepass.testing.surrogate import rows
x, y = rows(100)
process = SampledDeepProcess(settings=SampledSettings(steps=10))
process.fit_joint(x, np.column_stack([y, y**2]))
posterior = process.joint_posterior(rows(300, seed=1)[0])
print(posterior.mean.tobytes().hex(), posterior.covariance.tobytes().hex())
"""


def test_a_posterior_does_not_depend_on_the_number_of_threads() -> None:
    assert printed(PROGRAM, 1) == printed(PROGRAM, 4) != ""
