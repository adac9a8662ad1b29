"""Identities of sparse and deep energies as numbers; tests/surrogates/test_deep_energy.py has more of them."""

from __future__ import annotations

import numpy as np

from tests.surrogates.deep_layers import random_layers, random_rows, selected
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_energy import DeepEnergy
from tunepass.surrogates.deep_layer import flattened
from tunepass.surrogates.fitc import JITTER, Fitc
from tunepass.surrogates.kernels import Features, Likelihood

WIDTHS = (4, 3, 2)
THETA = np.array([0.1, 0.2, -0.1, 0.3, -2.0])  # of three lengthscales, the amplitude and the noise


def print_all() -> None:
    print("| identity | largest difference |\n|---|---|")
    for name, difference in (
        ("FITC with the inducing inputs at the 30 rows - full process, log likelihood", full_process()),
        ("power 1e-6 - variational bound (power 0)", variational_limit()),
        ("native code - NumPy, energy", native()[0]),
        ("native code - NumPy, gradient over its largest entry", native()[1]),
        ("gradient - finite differences, over its largest entry", finite_differences()),
        ("rows in another order, energy", other_order()),
        ("hidden nodes in another order, energy", other_nodes()),
        ("batches of 10 - all 30 rows, mean energy", batches()),
    ):
        print(f"| {name} | {difference:.1e} |")


def example() -> tuple[DeepEnergy, list]:  # type: ignore[type-arg]
    x, y = random_rows(WIDTHS[0], WIDTHS[-1], n=30)
    return DeepEnergy(x, y), random_layers(WIDTHS)


def fitc(power: float, z: Floats | None = None) -> float:
    """log Z, with the inducing inputs at the rows unless `z` is given."""
    x, y = random_rows(3, 1, n=30)
    return Fitc(x, np.arange(3), y[:, 0], "se", np.zeros(30), power)(THETA, x if z is None else z)[0]


def full_process() -> float:
    """Beside the log likelihood of the full process with the same jitter, which it has in its noise only.

    The jitter of Kuu is not in it: what Q lacks of K's diagonal by that jitter, r has.
    """
    x, y = random_rows(3, 1, n=30)
    return abs(fitc(1.0) - Likelihood(x, Features.plain(3), y[:, 0], "se", JITTER)(THETA)[0])


def variational_limit() -> float:
    z = random_rows(3, 1, n=6, seed=5)[0]
    return abs(fitc(1e-6, z) - fitc(0.0, z))


def native() -> tuple[float, float]:
    energy, layers = example()
    (value, gradient), (other, slope) = energy(layers), energy.at(flattened(layers), layers)
    return abs(value - other), float(np.abs(gradient - slope).max() / np.abs(gradient).max())


def finite_differences() -> float:
    energy, layers = example()
    parameters = flattened(layers)
    gradient = energy.at(parameters, layers)[1]
    steps = 1e-5 * np.eye(len(parameters))
    numeric = [(energy.at(parameters + s, layers)[0] - energy.at(parameters - s, layers)[0]) / 2e-5 for s in steps]
    return float(np.abs(gradient - numeric).max() / np.abs(gradient).max())


def other_order() -> float:
    energy, layers = example()
    order = np.random.default_rng(0).permutation(30)
    return abs(energy(layers)[0] - DeepEnergy(energy.x[order], energy.y[order])(layers)[0])


def other_nodes() -> float:
    from dataclasses import replace

    energy, (hidden, last) = example()
    order = [2, 0, 1]
    moved = replace(last, lengthscales=last.lengthscales[order], z=last.z[:, order])
    return abs(energy([hidden, last])[0] - energy([selected(hidden, order), moved])[0])


def batches() -> float:
    energy, layers = example()
    parts = [energy(layers, np.arange(start, start + 10))[0] for start in (0, 10, 20)]
    return abs(energy(layers)[0] - float(np.mean(parts)))
