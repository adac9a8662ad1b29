"""Identities of the energy of power EP in deep processes, and of the collapsed energy of one layer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.surrogates.deep_layers import random_layers, random_rows, reordered, selected
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_energy import DeepEnergy, forward
from tunepass.surrogates.deep_layer import JITTER, Layer, LayerState, flattened, unflattened
from tunepass.surrogates.lbfgs import minimise
from tunepass.surrogates.matrices import NotPositiveError


@pytest.mark.parametrize(
    "widths,power", [((3, 1), 1.0), ((3, 1), 0.5), ((3, 2, 1), 1.0), ((3, 2, 2), 0.5), ((2, 2, 3, 2), 0.7)]
)
def test_gradients_against_finite_differences(widths: tuple[int, ...], power: float) -> None:
    layers, (x, y) = random_layers(widths), random_rows(widths[0], widths[-1])
    observed = np.random.default_rng(2).random(y.shape) < 0.8
    energy, at = DeepEnergy(x, y, observed, power), flattened(layers)
    _, gradient = energy(layers)
    for i, step in enumerate(1e-5 * np.eye(len(at))):
        up, down = (energy(unflattened(at + sign * step, layers))[0] for sign in (1, -1))
        assert gradient[i] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("power", [1.0, 0.3])
def test_without_factors_only_the_last_layers_prior_counts(power: float) -> None:
    layers, (x, y) = random_layers((3, 2, 1)), random_rows(3, 1)
    empty = [replace(layer, shift=0 * layer.shift, factor=_nothing(layer)) for layer in layers]
    noise, amplitude = np.exp(layers[-1].noise[0]), np.exp(layers[-1].amplitude[0])
    v = amplitude + noise / power
    log_z = -0.5 * (np.log(2 * np.pi * v) + y**2 / v)
    log_z += 0.5 * np.log(2 * np.pi * noise / power) - power / 2 * np.log(2 * np.pi * noise)
    assert DeepEnergy(x, y, power=power)(empty)[0] == pytest.approx(-float(log_z.sum()) / power, rel=1e-9)


def _nothing(layer: Layer) -> Floats:
    """R of T1 = 0 but for rounding."""
    return np.stack([-40.0 * np.eye(layer.shift.shape[1])] * layer.nodes)


def test_the_order_of_rows_inducing_inputs_nodes_and_outputs_changes_nothing() -> None:
    layers, (x, y) = random_layers((3, 2, 2)), random_rows(3, 2)
    expected = DeepEnergy(x, y)(layers)[0]
    assert DeepEnergy(x[::-1], y[::-1])(layers)[0] == pytest.approx(expected, rel=1e-10)
    order = np.array([2, 0, 3, 1])
    assert DeepEnergy(x, y)([reordered(layer, order) for layer in layers])[0] == pytest.approx(expected, rel=1e-9)
    hidden, last = layers
    turned = replace(last, lengthscales=last.lengthscales[::-1], z=last.z[:, ::-1])
    assert DeepEnergy(x, y)([selected(hidden, [1, 0]), turned])[0] == pytest.approx(expected, rel=1e-10)
    swapped = DeepEnergy(x, y[:, ::-1])([hidden, selected(last, [1, 0])])[0]
    assert swapped == pytest.approx(expected, rel=1e-10)


def test_the_sign_of_a_hidden_node_changes_nothing() -> None:
    (hidden, last), (x, y) = random_layers((3, 2, 1)), random_rows(3, 1)
    flip = np.array([-1.0, 1.0])
    flipped = [replace(hidden, shift=hidden.shift * flip[:, None]), replace(last, z=last.z * flip)]
    assert DeepEnergy(x, y)(flipped)[0] == pytest.approx(DeepEnergy(x, y)([hidden, last])[0], rel=1e-12)


def test_units_of_inputs_and_losses() -> None:
    (layer,), (x, y) = random_layers((3, 1)), random_rows(3, 1)
    expected, c = DeepEnergy(x, y)([layer])[0], 2.5
    wide = replace(layer, lengthscales=layer.lengthscales + np.log(c), z=layer.z * c)
    assert DeepEnergy(x * c, y)([wide])[0] == pytest.approx(expected, rel=1e-10)
    diagonal = np.eye(4) * np.log(c)
    scaled = replace(
        layer,
        amplitude=layer.amplitude + 2 * np.log(c),
        noise=layer.noise + 2 * np.log(c),
        shift=layer.shift / c,
        factor=np.where(np.eye(4) > 0, layer.factor - diagonal, layer.factor / c),
    )
    assert DeepEnergy(x, y * c)([scaled])[0] == pytest.approx(expected + len(y) * np.log(c), rel=1e-9)


def test_equal_batches_average_to_the_whole() -> None:
    layers, (x, y) = random_layers((3, 2, 1)), random_rows(3, 1)
    energy = DeepEnergy(x, y, power=0.5)
    value, gradient = energy(layers)
    parts = [energy(layers, np.arange(first, first + 3)) for first in (0, 3, 6)]
    assert np.mean([part[0] for part in parts]) == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(np.mean([part[1] for part in parts], axis=0), gradient, rtol=1e-8, atol=1e-9)


def test_a_duplicated_output_adds_exactly_one_node() -> None:
    (hidden, last), (x, y) = random_layers((3, 2, 1)), random_rows(3, 1)
    one = DeepEnergy(x, y)([hidden, last])[0]
    two = DeepEnergy(x, np.hstack([y, y]))([hidden, selected(last, [0, 0])])[0]
    three = DeepEnergy(x, np.hstack([y, y, y]))([hidden, selected(last, [0, 0, 0])])[0]
    assert three - two == pytest.approx(two - one, rel=1e-9)
    states = [LayerState(layer, 1.0) for layer in (hidden, selected(last, [0, 0]))]
    mean = forward(states, x, posterior=True)[-1].mean
    np.testing.assert_array_equal(mean[:, 0], mean[:, 1])


def test_an_output_that_is_not_observed_says_nothing() -> None:
    layers, (x, y) = random_layers((3, 2, 2)), random_rows(3, 2)
    observed = np.ones(y.shape, bool)
    observed[2, 1] = False
    other = np.where(observed, y, 1e6)
    for value in (y, other):
        assert DeepEnergy(x, value, observed)(layers)[0] == DeepEnergy(x, y, observed)(layers)[0]
    assert DeepEnergy(x, y)(layers)[0] != DeepEnergy(x, y, observed)(layers)[0]


# one layer, beside the collapsed energy


def one_layer(n: int = 20, m: int = 5) -> tuple[Floats, Floats, Layer]:
    rng = np.random.default_rng(3)
    x = rng.random((n, 1)) * 3
    y = np.sin(3 * x) + 0.2 * rng.normal(size=(n, 1))
    return x, y, Layer(
        np.array([-0.5]), np.array([0.1]), np.array([-2.5]), np.linspace(0, 3, m)[:, None],
        np.zeros((1, m, m)), np.zeros((1, m)),
    )  # fmt: skip


def kernel(layer: Layer, x: Floats, z: Floats) -> Floats:
    return np.exp(layer.amplitude[0] - 0.5 * ((x[:, None, 0] - z[:, 0]) / np.exp(layer.lengthscales[0])) ** 2)


def parts(x: Floats, layer: Layer) -> tuple[Floats, Floats, Floats, float]:
    """K with jitter, C = Kfu K^-1, r and the noise."""
    k = kernel(layer, layer.z, layer.z) + JITTER * np.exp(layer.amplitude[0]) * np.eye(len(layer.z))
    cross = kernel(layer, x, layer.z)
    c = np.linalg.solve(k, cross.T).T
    return k, c, np.exp(layer.amplitude[0]) - (c * cross).sum(axis=1), float(np.exp(layer.noise[0]))


def collapsed(x: Floats, y: Floats, layer: Layer, power: float) -> float:
    """-log Z of power EP's fixed point; power 0: minus the variational bound."""
    k, c, r, noise = parts(x, layer)
    s = c @ k @ c.T + np.diag(power * r + noise)
    fit = 0.5 * (y[:, 0] @ np.linalg.solve(s, y[:, 0]) + np.linalg.slogdet(s)[1] + len(x) * np.log(2 * np.pi))
    penalty = (r / noise).sum() if power == 0 else np.log1p(power * r / noise).sum() / power
    return float(fit + 0.5 * (1 - power) * penalty)


def with_factors(layer: Layer, precision: Floats, shift: Floats) -> Layer:
    upper = np.linalg.cholesky(precision + 1e-9 * np.eye(len(precision))).T
    factor = np.triu(upper, 1) + np.diag(np.log(np.diagonal(upper)))
    return replace(layer, factor=factor[None], shift=shift[None])


def test_the_limit_of_the_power_is_the_variational_bound() -> None:
    x, y, layer = one_layer()
    _, c, _, noise = parts(x, layer)
    optimal = with_factors(layer, c.T @ c / noise, c.T @ y[:, 0] / noise)
    assert DeepEnergy(x, y, power=1e-5)([optimal])[0] == pytest.approx(collapsed(x, y, layer, 0.0), abs=1e-2)


@pytest.mark.parametrize("n", [20, 80])
def test_tied_factors_of_one_layer_come_within_two_nats_of_fitc(n: int) -> None:
    x, y, layer = one_layer(n)
    _, c, r, noise = parts(x, layer)
    start = with_factors(layer, c.T / (r + noise) @ c, c.T @ (y[:, 0] / (r + noise)))
    energy = DeepEnergy(x, y)
    fixed = sum(array.size for array in start.arrays()[:4])
    head = flattened([start])[:fixed]

    def objective(factors: Floats) -> tuple[float, Floats]:
        value, gradient = energy(unflattened(np.concatenate([head, factors]), [start]))
        return value, gradient[fixed:]

    _, least = minimise(objective, flattened([start])[fixed:], bound=60.0, iterations=400, tolerance=1e-7)
    exact = collapsed(x, y, layer, 1.0)
    assert exact - 2.0 < least < exact  # no bound: tied factors claim more evidence than there is


@pytest.mark.parametrize("power", [1.0, 0.5])
def test_untied_factors_at_their_fixed_point_have_the_collapsed_energy(power: float) -> None:
    """Power EP with a factor of rank one on C_n u for each row (Bui, Yan & Turner 2017, §3)."""
    x, y, layer = one_layer()
    k, c, r, noise = parts(x, layer)
    prior, n = np.linalg.inv(k), len(x)
    tau, nu = np.zeros(n), np.zeros(n)
    for _ in range(60):
        for i in range(n):
            covariance = np.linalg.inv(prior + c.T @ (tau[:, None] * c))
            mean = covariance @ (c.T @ nu)
            v, m = c[i] @ covariance @ c[i], c[i] @ mean
            v_cavity = 1 / (1 / v - power * tau[i])
            m_cavity = v_cavity * (m / v - power * nu[i])
            spread = v_cavity + r[i] + noise / power
            slope, curve = (y[i, 0] - m_cavity) / spread, 1 / spread
            share = curve / (1 - curve * v_cavity)
            tau[i] = (1 - power) * tau[i] + share
            nu[i] = (1 - power) * nu[i] + (slope + curve * m_cavity) / (1 - curve * v_cavity)
    precision, shift = prior + c.T @ (tau[:, None] * c), c.T @ nu
    covariance = np.linalg.inv(precision)

    def phi(precision: float | Floats, shift: Floats) -> float:
        precision = np.atleast_2d(precision)
        return float(0.5 * (shift @ np.linalg.solve(precision, shift) - np.linalg.slogdet(precision)[1]))

    log_z = phi(precision, shift) + 0.5 * np.linalg.slogdet(prior)[1]
    for i in range(n):
        v, m = c[i] @ covariance @ c[i], c[i] @ covariance @ shift
        p_cavity, h_cavity = 1 / v - power * tau[i], m / v - power * nu[i]
        spread = 1 / p_cavity + r[i] + noise / power
        site = -0.5 * (np.log(2 * np.pi * spread) + (y[i, 0] - h_cavity / p_cavity) ** 2 / spread)
        site += 0.5 * np.log(2 * np.pi * noise / power) - power / 2 * np.log(2 * np.pi * noise)
        log_z += (site + phi(p_cavity, np.array([h_cavity])) - phi(1 / v, np.array([m / v]))) / power
    assert -log_z == pytest.approx(collapsed(x, y, layer, power), abs=1e-6)


@pytest.mark.parametrize("widths", [(3, 1), (3, 2, 2), (4, 3, 2, 2)])
@pytest.mark.parametrize("power", [1.0, 0.5])
def test_native_code_gives_the_energy_and_its_gradient(widths: tuple[int, ...], power: float) -> None:
    layers, (x, y) = random_layers(widths), random_rows(widths[0], widths[-1], n=30)
    observed = np.random.default_rng(0).random(y.shape) < 0.8
    energy = DeepEnergy(x, y, observed, power)
    for batch in (None, np.arange(3, 17)):
        value, gradient = energy(layers, batch)
        native, native_gradient = energy.at(flattened(layers), layers, batch)
        assert native == pytest.approx(value, abs=1e-10)
        np.testing.assert_allclose(native_gradient, gradient, atol=1e-10 * np.abs(gradient).max())


def test_native_code_refuses_covariances_that_are_not_positive_definite() -> None:
    (layer,), (x, y) = random_layers((3, 1)), random_rows(3, 1)
    for value in (np.nan, np.inf):
        parameters = flattened([replace(layer, z=np.full_like(layer.z, value))])
        with pytest.raises(NotPositiveError):
            DeepEnergy(x, y).at(parameters, [layer])
