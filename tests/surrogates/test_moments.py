from __future__ import annotations

import numpy as np
import pytest

from tunepass.surrogates.base import Floats
from tunepass.surrogates.moments import FirstMoment, Pairs, SecondMoment

L, F = np.array([0.7, 1.4]), 1.3


def example() -> tuple[Floats, Floats, Floats]:
    """Means and variances of five inputs of two coordinates, and four inducing inputs."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(5, 2)), rng.gamma(2, 0.2, (5, 2)), rng.normal(size=(4, 2))


def kernel(x: Floats, z: Floats) -> Floats:
    return F * np.exp(-0.5 * (((x[..., None, :] - z) / L) ** 2).sum(axis=-1))


def test_moments_equal_quadrature() -> None:
    mean, variance, z = example()
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    x = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), axis=-1)  # (60, 60, 2)
    weight = weights[:, None] * weights
    pairs = Pairs.of(4)
    psi1 = FirstMoment(mean, variance, z, L, F).value
    psi2 = SecondMoment(mean, variance, z, L, F, pairs).value
    for n in range(5):
        values = kernel(mean[n] + np.sqrt(variance[n]) * x, z)  # (60, 60, 4)
        np.testing.assert_allclose(psi1[n], np.einsum("ij,ija->a", weight, values), rtol=1e-9)
        second = np.einsum("ij,ija,ijb->ab", weight, values, values)
        np.testing.assert_allclose(pairs.symmetric(psi2[n]), second, rtol=1e-9)
        assert np.linalg.eigvalsh(second - psi1[n][:, None] * psi1[n]).min() > -1e-12


def test_known_inputs_have_the_kernel_itself() -> None:
    mean, variance, z = example()
    pairs, k = Pairs.of(4), kernel(mean, z)
    np.testing.assert_allclose(FirstMoment(mean, 0 * variance, z, L, F).value, k, rtol=1e-12)
    psi2 = SecondMoment(mean, 0 * variance, z, L, F, pairs).value
    np.testing.assert_allclose(psi2, k[:, pairs.first] * k[:, pairs.second], rtol=1e-12)
    assert (psi2 <= F**2).all()


@pytest.mark.parametrize("order", [1, 2])
def test_gradients_against_finite_differences(order: int) -> None:
    mean, variance, z = example()
    pairs, logs = Pairs.of(4), np.log(L)
    weight = np.random.default_rng(1).normal(size=(5, 4 if order == 1 else 10))

    def value(parameters: Floats) -> float:
        mean, variance = parameters[:10].reshape(5, 2), parameters[10:20].reshape(5, 2)
        z, l, f = parameters[20:28].reshape(4, 2), np.exp(parameters[28:30]), float(np.exp(parameters[30]))
        psi1, psi2 = FirstMoment(mean, variance, z, l, f).value, SecondMoment(mean, variance, z, l, f, pairs).value
        return float((weight * (psi1 if order == 1 else psi2)).sum())

    moment = (
        FirstMoment(mean, variance, z, L, F) if order == 1 else SecondMoment(mean, variance, z, L, F, pairs)
    )  # fmt: skip
    k, i = moment.gradient(weight)
    gradient = np.concatenate([i.mean.ravel(), i.variance.ravel(), k.z.ravel(), k.lengthscales, [k.amplitude]])
    at = np.concatenate([mean.ravel(), variance.ravel(), z.ravel(), logs, [np.log(F)]])
    numeric = [(value(at + 1e-6 * e) - value(at - 1e-6 * e)) / 2e-6 for e in np.eye(len(at))]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-8)
