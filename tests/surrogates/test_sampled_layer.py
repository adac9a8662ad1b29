"""The layers, the bound and the start of sampled deep processes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.surrogates.sampled_data import FEATURES, mixed_rows, shifted_layers
from tunepass.surrogates import kernels
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_layer import flattened, unflattened
from tunepass.surrogates.deep_training import Descent
from tunepass.surrogates.fitc import Fitc
from tunepass.surrogates.gp import GaussianProcess, GpSettings
from tunepass.surrogates.inducing import Expansion
from tunepass.surrogates.sampled_layer import (
    SampledLayer,
    SampledPropagation,
    SampledState,
    best_nodes,
)
from tunepass.surrogates.sampled_training import (
    SampledBound,
    SampledSettings,
    component_weights,
    sampled_bounds,
)
from tunepass.testing.surrogate import rows

SMALL = SampledSettings(fewest_inducing=6, most_inducing=6)


def untrained(layer: SampledLayer) -> Floats:
    """Mask of the flattened entries that the layer does not use: above R's diagonal, and z that is not moved."""
    unused = [np.zeros(array.shape, bool) for array in layer.arrays()]
    unused[3][:] = not layer.moved
    unused[4][:] = np.triu(np.ones(unused[4].shape[1:], bool), 1)
    return np.concatenate([mask.ravel() for mask in unused])


@pytest.mark.parametrize("hidden", [(), (2,), (1, 2)])
@pytest.mark.parametrize("inner", ["se", "matern52"])
def test_the_gradient_equals_finite_differences(hidden: tuple[int, ...], inner: kernels.KernelName) -> None:
    x, y, observed = mixed_rows(14)
    settings = replace(SMALL, hidden=hidden, inner=inner, fewest_inducing=4, most_inducing=4)
    bound, layers = shifted_layers(x, y, observed, settings)
    batch = np.arange(0, 14, 2)
    draws = bound.draws(layers, len(batch), 3, np.random.default_rng(2))
    flat, step = flattened(layers), 1e-5
    unused = np.concatenate([untrained(layer) for layer in layers])
    checked = np.flatnonzero(~unused)[:: 1 + len(hidden)]  # every third of the most
    _, gradient = bound(layers, batch, draws)
    numeric = np.zeros_like(gradient)
    for index in checked:
        ends = []
        for sign in (1, -1):
            moved = flat.copy()
            moved[index] += sign * step
            ends.append(bound(unflattened(moved, layers), batch, draws)[0])
        numeric[index] = (ends[0] - ends[1]) / (2 * step)
    assert np.abs(gradient - numeric)[checked].max() < 1e-5 * np.abs(gradient).max()
    assert (gradient[unused] == 0).all() and (np.abs(gradient[~unused]) > 0).mean() > 0.95


def test_the_divergence_is_zero_at_the_prior_alone() -> None:
    _, layers = shifted_layers(*mixed_rows(12), SMALL)
    for layer in layers:
        prior = replace(layer, factor=np.zeros_like(layer.factor), mean=np.zeros_like(layer.mean))
        value, gradient = SampledState(prior).divergence()
        assert value == 0 and (flattened([gradient]) == 0).all()
        root, m = layer.root(0), len(layer.z)
        sign, log = np.linalg.slogdet(root @ root.T)
        exact = 0.5 * (np.trace(root @ root.T) + layer.mean[0] @ layer.mean[0] - m - log)
        one = replace(layer, factor=layer.factor[:1], mean=layer.mean[:1])
        assert sign == 1 and SampledState(one).divergence()[0] == pytest.approx(exact) and exact > 0


def one_layer(n: int, theta: Floats) -> tuple[Floats, Floats, SampledLayer]:
    """Rows, a standardised loss, and a layer at its prior with an inducing input at each row."""
    x, y = rows(n, d=2)
    y = ((y - y.mean()) / y.std())[:, None]
    layer = SampledLayer(
        theta[:2], theta[2:3], theta[3:], x.copy(), np.zeros((1, n, n)), np.zeros((1, n)), "matern52", np.arange(2),
        np.zeros((2, 1)), np.zeros(1), False,
    )  # fmt: skip
    return x, y, layer


def test_one_layer_with_inducing_inputs_at_the_rows_is_the_exact_process() -> None:
    """The best q(v) gives the log likelihood of the full process up to 1e-4 nats, and its predictions to 1e-5."""
    theta = np.log([0.5, 0.8, 1.5, 0.02])
    x, y, layer = one_layer(30, theta)
    best = best_nodes(SampledState(layer), x, y, np.ones(y.shape, bool))
    value, _ = SampledBound(x, y, np.ones(y.shape, bool))([best], np.arange(30), [])
    exact, _ = kernels.Likelihood(x, kernels.Features.plain(2), y[:, 0], "matern52", 0.0)(theta)
    assert -value == pytest.approx(exact, abs=1e-4) and -value <= exact + 1e-9
    process, new = GaussianProcess(kernels.Features.plain(2), GpSettings()), rows(20, d=2, seed=1)[0]
    process.refit(x, y[:, 0].copy(), theta)
    posterior, step = process.posterior(new), SampledPropagation(SampledState(best), new)
    np.testing.assert_allclose(step.mean[:, 0], posterior.mean, atol=1e-5)
    np.testing.assert_allclose(step.variance[:, 0], posterior.variance, atol=1e-5)


def test_one_layer_has_the_collapsed_bound() -> None:
    theta = np.log([0.5, 0.8, 1.5, 0.02])
    x, y, layer = one_layer(30, theta)
    layer = replace(layer, z=x[::3].copy(), factor=np.zeros((1, 10, 10)), mean=np.zeros((1, 10)))
    best = best_nodes(SampledState(layer), x, y, np.ones(y.shape, bool))
    value, gradient = SampledBound(x, y, np.ones(y.shape, bool))([best], np.arange(30), [])
    titsias, *_ = Fitc(x, np.arange(2), y[:, 0], "matern52", np.zeros(30), power=0.0)(theta, layer.z)
    assert -value == pytest.approx(titsias, abs=1e-4)
    by_factor, by_mean = gradient[-110:-10], gradient[-10:]
    np.testing.assert_allclose(np.concatenate([by_factor, by_mean]), 0.0, atol=1e-7)


def test_adam_reaches_the_exact_process_from_the_prior() -> None:
    """800 steps on q(v) alone come within 0.3 nats of the log likelihood, from more than 100 below."""
    theta = np.log([0.5, 0.8, 1.5, 0.1])
    x, y, layer = one_layer(15, theta)
    bound = SampledBound(x, y, np.ones(y.shape, bool))

    def energy(flat: Floats, _: object) -> tuple[float, Floats]:
        value, gradient = bound.at(flat, [layer])
        gradient[:34] = 0.0  # lengthscales, amplitude, noise and z
        return value, gradient

    descent = Descent(energy, 15, flattened([layer]))
    descent.descend(800, replace(SMALL, rate=0.03), sampled_bounds([layer]))
    exact, _ = kernels.Likelihood(x, kernels.Features.plain(2), y[:, 0], "matern52", 0.0)(theta)
    assert descent.start > -exact + 100 and descent.least == pytest.approx(-exact, abs=0.3)


def test_losses_that_are_missing_have_no_part() -> None:
    x, y, observed = mixed_rows(14)
    _, layers = shifted_layers(x, y, observed, SMALL)
    expanded, batch = Expansion.of(x, FEATURES).rows(x), np.arange(14)
    values = []
    for missing in (0.0, 7.0):
        bound = SampledBound(expanded, np.where(observed, y, missing), observed)
        values.append(bound(layers, batch, bound.draws(layers, 14, 2, np.random.default_rng(0)))[0])
    all_observed = SampledBound(expanded, y, np.ones(y.shape, bool))
    draws = all_observed.draws(layers, 14, 2, np.random.default_rng(0))
    assert values[0] == values[1] != all_observed(layers, batch, draws)[0]


def test_batches_and_draws_average_to_the_bound_of_all() -> None:
    x, y, observed = mixed_rows(12)
    bound, layers = shifted_layers(x, y, observed, SMALL)
    draws = bound.draws(layers, 12, 2, np.random.default_rng(0))
    whole, parts = bound(layers, np.arange(12), draws)[0], []
    for batch in np.split(np.arange(12), 3):
        chosen = [part.reshape(2, 12, -1)[:, batch].reshape(8, -1) for part in draws]
        parts.append(bound(layers, batch, chosen)[0])
    assert np.mean(parts) == pytest.approx(whole, rel=1e-12)


def test_training_begins_at_the_sparse_process_of_each_output() -> None:
    """Hidden nodes of the outputs are the best single layer's, the others standardised components of the rows."""
    x, y, observed = mixed_rows(40)
    _, (first, last) = shifted_layers(x, y, observed, SMALL, shift=0.0)
    _, (alone,) = shifted_layers(x, y, observed, replace(SMALL, hidden=()), shift=0.0)
    expanded = Expansion.of(x, FEATURES).rows(x)
    step, single = (SampledPropagation(SampledState(layer), expanded) for layer in (first, alone))
    np.testing.assert_allclose(step.mean[:, :2], single.mean)
    np.testing.assert_allclose(step.variance[:, :2], single.variance)
    components = step.mean[:, 2:]
    np.testing.assert_allclose([components.mean(axis=0), components.std(axis=0)], [[0, 0], [1, 1]], atol=1e-9)
    assert (last.weights == np.eye(4, 2)).all() and last.moved and not first.moved
    assert all((row == expanded).all(axis=1).any() for row in first.z)


def test_components_without_variance_have_no_weight() -> None:
    x = np.zeros((20, 3))
    x[:, 1] = np.linspace(0, 1, 20)
    weights, offset = component_weights(x, np.array([1.0, 4.0, 1.0]), 2)
    assert np.isfinite(weights).all() and (weights[:, 1] == 0).all() and offset[1] == 0
    np.testing.assert_allclose((x @ weights + offset)[:, 0].std(), 1.0)


@pytest.mark.parametrize(
    "change", [{"hidden": (-1,)}, {"inducing_share": 2.0}, {"samples": 0}, {"steps": 0}, {"fewest_inducing": 99}]
)
def test_settings_that_say_nothing_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must"):
        SampledSettings(**change)  # type: ignore[arg-type]
