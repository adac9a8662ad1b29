from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.surrogates.deep_layers import random_layers, random_rows
from tunepass.surrogates.base import Floats, Surrogate
from tunepass.surrogates.deep_energy import DeepEnergy
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.deep_layer import Layer, flattened
from tunepass.surrogates.deep_training import (
    DeepSettings,
    DivergedError,
    Training,
    initial_layers,
    principal_components,
)
from tunepass.surrogates.gp import GaussianProcess
from tunepass.surrogates.kernels import Features
from tunepass.testing.surrogate import SurrogateContract, rows

QUICK = DeepSettings(steps=40)


class TestDeepProcess(SurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], Surrogate]:
        return lambda: DeepProcess(QUICK)


class TestTwoHiddenLayers(SurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], Surrogate]:
        return lambda: DeepProcess(replace(QUICK, hidden=(3, 2), power=0.5))


def cliff(n: int, seed: int) -> tuple[Floats, Floats]:
    """A step of height 2 across two of four columns, and a wave of a third."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, 4))
    return x, 2.0 * (x[:, 0] + 0.5 * x[:, 1] > 0.8) + np.sin(3 * x[:, 2]) + 0.05 * rng.normal(size=n)


def log_density(mean: Floats, variance: Floats, loss: Floats) -> float:
    return float((-0.5 * np.log(2 * np.pi * variance) - 0.5 * (loss - mean) ** 2 / variance).mean())


def test_a_cliff_is_likelier_under_the_deep_process() -> None:
    (x, y), (new, loss) = cliff(100, 1), cliff(300, 101)
    deep, plain = DeepProcess(DeepSettings(steps=400)), GaussianProcess(Features.plain(4))
    deep.fit(x, y)
    plain.fit(x, y)
    assert deep.layers is not None
    densities = []
    noises = np.exp(deep.layers[-1].noise[0]), plain.fitted.kernel.noise
    for noise, posterior in zip(noises, (deep.posterior(new), plain.posterior(new))):
        densities.append(log_density(posterior.mean, posterior.variance + noise * y.std() ** 2, loss))
    assert densities[0] > densities[1] + 0.2


def test_training_lowers_the_energy_and_a_warm_start_lowers_it_further() -> None:
    layers, (x, y) = random_layers((3, 2, 1)), random_rows(3, 1, n=30)
    training = Training(DeepEnergy(x, y), layers)
    trained = training.run(60, QUICK)
    again = Training(DeepEnergy(x, y), trained)
    again.run(60, QUICK)
    assert again.least <= again.start == training.least < training.start


def test_refits_start_from_earlier_layers() -> None:
    x, y = rows(60, seed=3)
    first = DeepProcess(QUICK)
    first.fit(x[:50], y[:50])
    warm = DeepProcess(replace(QUICK, refit_steps=5))
    warm.refit(x, y, first.layers)
    assert warm.layers is not None and first.layers is not None
    assert np.abs(flattened(warm.layers) - flattened(first.layers)).max() < 5 * QUICK.rate + 1e-9


@pytest.mark.parametrize("steps", [1, 30])
def test_training_that_diverges_falls_back_to_the_sparse_process_and_says_so(
    monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    def broken(self: DeepEnergy, parameters: Floats, like: list[Layer], batch: object = None) -> tuple[float, Floats]:
        return (1.0 if batch is None else np.nan), np.zeros_like(parameters)

    process = DeepProcess(replace(QUICK, steps=steps))
    monkeypatch.setattr(DeepEnergy, "at", broken)
    if steps == 1:  # fewer failures than end a training: the start is as good as what follows
        process.fit(*rows(30))
        assert process.fallback is None
        return
    with pytest.warns(RuntimeWarning, match="a sparse process in place of the deep one: covariances were not positive"):
        process.fit(*rows(30))
    assert process.fallback is not None and process.layers is None
    new, truth = rows(100, seed=3)
    assert np.corrcoef(process.posterior(new).mean, truth)[0, 1] > 0.9
    monkeypatch.undo()
    process.fit(*rows(30))
    assert process.fallback is None


def test_a_start_without_energy_is_no_start() -> None:
    (layer,), (x, y) = random_layers((3, 1)), random_rows(3, 1)
    with pytest.raises(DivergedError, match="not finite"):
        Training(DeepEnergy(x, y), [replace(layer, shift=layer.shift * np.inf)])


def test_components_without_variance_are_random_and_distinct() -> None:
    x = np.zeros((20, 3))
    x[:, 1] = np.linspace(0, 1, 20)
    scores, spread = principal_components(x, 4, np.random.default_rng(0))
    assert abs(np.corrcoef(scores[:, 0], x[:, 1])[0, 1]) == pytest.approx(1.0)
    assert np.linalg.matrix_rank(scores) == 4
    assert spread[0] == pytest.approx(x[:, 1].std()) and (spread > 0).all()
    np.testing.assert_allclose([scores.mean(axis=0), scores.std(axis=0)], [[0.0] * 4, [1.0] * 4], atol=1e-12)
    assert np.abs(np.diff(scores, axis=0)).max() < 0.6  # smooth along the column that varies


def test_a_start_with_more_nodes_than_columns_has_the_energy_of_a_sparse_process() -> None:
    """A node that has no component to begin with must not cost more than the data: its values have to be smooth."""
    rng = np.random.default_rng(42)
    x = rng.random((200, 1))
    y = np.sin(12 * x) + 0.5 * np.cos(25 * x) + 0.15 * rng.normal(size=(200, 1))
    y, settings = (y - y.mean()) / y.std(), DeepSettings(fewest_inducing=20)
    layers = initial_layers(x, y, np.ones(y.shape, bool), np.array([0.09]), settings)
    assert abs(DeepEnergy(x, y)(layers)[0]) < 2 * len(x)


def test_a_thousand_rows_and_duplicates() -> None:
    x, y = rows(500, seed=4)
    process = DeepProcess(replace(QUICK, steps=30, most_inducing=20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        process.fit(np.vstack([x, x]), np.concatenate([y, y]))
    assert np.corrcoef(process.posterior(x[:100]).mean, y[:100])[0, 1] > 0.95


@pytest.mark.parametrize("change", [{"hidden": (0,)}, {"power": 0.0}, {"inducing_share": 2.0}, {"steps": 0}])
def test_settings_that_say_nothing_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must h"):
        DeepSettings(**change)  # type: ignore[arg-type]
