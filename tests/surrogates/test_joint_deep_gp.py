from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.surrogates.deep_layers import random_layers
from tunepass.surrogates.deep_gp import DeepNetwork, DeepProcess
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.joint_deep_gp import JointDeepProcess
from tunepass.testing.surrogate import rows

QUICK = DeepSettings(steps=40)


def test_one_output_is_the_deep_process() -> None:
    (x, y), new = rows(30), rows(9, seed=1)[0]
    joint, single = JointDeepProcess(QUICK), DeepProcess(QUICK)
    joint.fit(x, y[:, None])
    single.fit(x, y)
    np.testing.assert_allclose(joint.posterior(new).mean[:, 0], single.posterior(new).mean, rtol=1e-9)
    np.testing.assert_allclose(joint.posterior(new).marginal(0).variance, single.posterior(new).variance, rtol=1e-9)


def test_missing_losses_change_nothing_whatever_their_values() -> None:
    x, y = rows(40)
    losses, observed = np.column_stack([y, 10 - 3 * y]), np.ones((40, 2), bool)
    observed[::3, 1] = False
    posteriors = []
    for missing in (np.nan, 1e9):
        joint = JointDeepProcess(QUICK)
        joint.fit(x, np.where(observed, losses, missing), observed)
        posteriors.append(joint.posterior(rows(30, seed=2)[0]))
    np.testing.assert_array_equal(posteriors[0].mean, posteriors[1].mean)
    truth = rows(30, seed=2)[1]
    assert np.corrcoef(posteriors[0].mean[:, 0], truth)[0, 1] > 0.9
    assert np.corrcoef(posteriors[0].mean[:, 1], truth)[0, 1] < -0.9


def test_covariances_equal_draws_of_the_hidden_values() -> None:
    joint = JointDeepProcess(QUICK)
    joint._network = DeepNetwork.of(random_layers((3, 2, 2)))
    joint._shift, joint._scale = np.zeros(2), np.ones(2)
    x, rng = np.random.default_rng(0).normal(size=(3, 3)), np.random.default_rng(1)
    posterior, (hidden, last) = joint.posterior(x), joint._network.states
    first = DeepNetwork([hidden.layer], [hidden]).moments(x)
    draws = first[0] + np.sqrt(first[1] + hidden.noise) * rng.normal(size=(40_000, 3, 2))
    z, l = last.layer.z, last.lengthscales
    a = np.column_stack([node.a for node in last.posterior])
    for point in range(3):
        k = last.amplitude * np.exp(-0.5 * (((draws[:, point, None] - z) / l) ** 2).sum(axis=-1))
        means = k @ a
        assert posterior.covariance[point, 0, 1] == pytest.approx(np.cov(means.T)[0, 1], abs=0.05)
        assert np.linalg.eigvalsh(posterior.covariance[point]).min() > 0


def test_what_cannot_be_learned_is_refused() -> None:
    x, y = rows(6)
    losses, joint = np.column_stack([y, y]), JointDeepProcess(QUICK)
    with pytest.raises(ValueError, match="finite"):
        joint.fit(x, np.where(np.arange(12).reshape(6, 2) == 3, np.nan, losses))
    with pytest.raises(ValueError, match="must match"):
        joint.fit(x, y)
    with pytest.raises(ValueError, match="observed in a row"):
        joint.fit(x, losses, np.column_stack([y > -9, y < -9]))
    with pytest.raises(ValueError, match="fit before"):
        JointDeepProcess(replace(QUICK, seed=1)).posterior(x)
