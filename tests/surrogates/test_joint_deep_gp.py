from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.surrogates.deep_layers import random_layers
from tests.surrogates.threads import printed
from tunepass.surrogates.base import Floats, JointSurrogate
from tunepass.surrogates.deep_energy import DeepEnergy
from tunepass.surrogates.deep_gp import DeepNetwork, DeepProcess
from tunepass.surrogates.deep_layer import Layer, flattened
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.joint_deep_gp import JointDeepProcess
from tunepass.testing.surrogate import JointSurrogateContract, SurrogateContract, rows

QUICK = DeepSettings(steps=40)


class TestJointDeepProcess(SurrogateContract, JointSurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], JointSurrogate]:  # type: ignore[override]
        return lambda: JointDeepProcess(QUICK)


def test_one_output_is_the_deep_process() -> None:
    (x, y), new = rows(30), rows(9, seed=1)[0]
    joint, single = JointDeepProcess(QUICK), DeepProcess(QUICK)
    joint.fit_joint(x, y[:, None])
    single.fit(x, y)
    np.testing.assert_allclose(joint.joint_posterior(new).mean[:, 0], single.posterior(new).mean, rtol=1e-9)
    np.testing.assert_allclose(joint.joint_posterior(new)[0].variance, single.posterior(new).variance, rtol=1e-9)


def test_missing_losses_change_nothing_whatever_their_values() -> None:
    x, y = rows(40)
    losses, observed = np.column_stack([y, 10 - 3 * y]), np.ones((40, 2), bool)
    observed[::3, 1] = False
    posteriors = []
    for missing in (np.nan, 1e9):
        joint = JointDeepProcess(QUICK)
        joint.fit_joint(x, np.where(observed, losses, missing), observed)
        posteriors.append(joint.joint_posterior(rows(30, seed=2)[0]))
    np.testing.assert_array_equal(posteriors[0].mean, posteriors[1].mean)
    truth = rows(30, seed=2)[1]
    assert np.corrcoef(posteriors[0].mean[:, 0], truth)[0, 1] > 0.9
    assert np.corrcoef(posteriors[0].mean[:, 1], truth)[0, 1] < -0.9


def test_covariances_equal_draws_of_the_hidden_values() -> None:
    joint = JointDeepProcess(QUICK)
    joint._network = DeepNetwork.of(random_layers((3, 2, 2)))
    joint._shift, joint._scale = np.zeros(2), np.ones(2)
    x, rng = np.random.default_rng(0).normal(size=(3, 3)), np.random.default_rng(1)
    posterior, (hidden, last) = joint.joint_posterior(x), joint._network.states
    first = DeepNetwork([hidden.layer], [hidden]).moments(x)
    draws = first[0] + np.sqrt(first[1] + hidden.noise) * rng.normal(size=(40_000, 3, 2))
    z, l = last.layer.z, last.lengthscales
    a = np.column_stack([node.a for node in last.posterior])
    for point in range(3):
        k = last.amplitude * np.exp(-0.5 * (((draws[:, point, None] - z) / l) ** 2).sum(axis=-1))
        means = k @ a
        assert posterior.covariance[point, 0, 1] == pytest.approx(np.cov(means.T)[0, 1], abs=0.05)
        assert np.linalg.eigvalsh(posterior.covariance[point]).min() > 0


def test_refits_start_from_earlier_layers() -> None:
    x, y = rows(60, seed=3)
    losses, first = np.column_stack([y, y**2]), JointDeepProcess(QUICK)
    first.fit_joint(x[:50], losses[:50])
    warm = JointDeepProcess(replace(QUICK, refit_steps=5))
    warm.refit(x, losses, first.layers)
    assert warm.layers is not None and first.layers is not None
    assert np.abs(flattened(warm.layers) - flattened(first.layers)).max() < 5 * QUICK.rate + 1e-9


def test_training_that_diverges_falls_back_to_sparse_processes_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: DeepEnergy, parameters: Floats, like: list[Layer], batch: object = None) -> tuple[float, Floats]:
        return (1.0 if batch is None else np.nan), np.zeros_like(parameters)

    (x, y), (new, truth) = rows(40), rows(100, seed=3)
    observed, joint = np.ones((40, 2), bool), JointDeepProcess(QUICK)
    observed[::4, 1] = False
    monkeypatch.setattr(DeepEnergy, "at", broken)
    with pytest.warns(RuntimeWarning, match="sparse processes in place of the joint deep one: covariances were not"):
        joint.fit_joint(x, np.where(observed, np.column_stack([y, -y]), np.nan), observed)
    assert joint.fallback is not None and joint.layers is None and (joint.noise > 0).all()
    posterior = joint.joint_posterior(new)
    assert np.corrcoef(posterior.mean[:, 1], -truth)[0, 1] > 0.9
    assert (posterior.covariance[:, 0, 1] == 0).all()
    monkeypatch.undo()
    joint.fit_joint(x, np.column_stack([y, -y]))
    assert joint.fallback is None and (joint.noise > 0).all()


def test_what_cannot_be_learned_is_refused() -> None:
    x, y = rows(6)
    losses, joint = np.column_stack([y, y]), JointDeepProcess(QUICK)
    with pytest.raises(ValueError, match="finite"):
        joint.fit_joint(x, np.where(np.arange(12).reshape(6, 2) == 3, np.nan, losses))
    with pytest.raises(ValueError, match="must match"):
        joint.fit_joint(x, y)
    with pytest.raises(ValueError, match="observed in a row"):
        joint.fit_joint(x, losses, np.column_stack([y > -9, y < -9]))
    with pytest.raises(ValueError, match="fit before"):
        JointDeepProcess(replace(QUICK, seed=1)).joint_posterior(x)


def test_a_thousand_rows_and_duplicates() -> None:
    x, y = rows(500, seed=4)
    joint = JointDeepProcess(replace(QUICK, steps=30, most_inducing=20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        joint.fit_joint(np.vstack([x, x]), np.tile(np.column_stack([y, -y]), (2, 1)))
    means = joint.joint_posterior(x[:100]).mean
    assert np.corrcoef(means[:, 0], y[:100])[0, 1] > 0.95 and np.corrcoef(means[:, 1], -y[:100])[0, 1] > 0.95


PROGRAM = """
import numpy as np
from tunepass.surrogates.deep_gp import DeepProcess
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.joint_deep_gp import JointDeepProcess
from tunepass.testing.surrogate import rows
x, y = rows(300)
process = JointDeepProcess(DeepSettings(steps=20))
process.fit_joint(x, np.column_stack([y, y**2]))
posterior = process.joint_posterior(rows(50, seed=1)[0])
print(posterior.mean.tobytes().hex(), posterior.covariance.tobytes().hex())
single = DeepProcess(DeepSettings(steps=20))
single.fit(x, y)
posterior = single.posterior(rows(50, seed=1)[0])
print(posterior.mean.tobytes().hex(), posterior.variance.tobytes().hex())
"""


def test_a_posterior_does_not_depend_on_the_number_of_threads() -> None:
    assert printed(PROGRAM, 1) == printed(PROGRAM, 4) != ""
