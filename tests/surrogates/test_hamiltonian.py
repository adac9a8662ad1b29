from __future__ import annotations

import numpy as np
import pytest

from tunepass.surrogates.base import Floats
from tunepass.surrogates.gp import BOUND, JITTER, GpSettings, LogPosterior
from tunepass.surrogates.hamiltonian import Proposals, draws
from tunepass.surrogates.kernels import Features, Likelihood


def bowl(x: Floats) -> tuple[float, Floats]:
    """A normal distribution of deviations 1 and 0.5."""
    scale = np.array([1.0, 4.0])
    return 0.5 * float((scale * x * x).sum()), scale * x


def test_draws_have_the_spread_of_the_distribution() -> None:
    found = np.array(draws(bowl, np.zeros(2), Proposals.drawn(np.random.default_rng(0), 2, count=1500, thin=2), 12.0))
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=0.15)
    np.testing.assert_allclose(found.std(axis=0), [1.0, 0.5], rtol=0.2)


def test_draws_stay_in_the_box_and_repeat() -> None:
    proposals = Proposals.drawn(np.random.default_rng(1), 2, count=40, thin=1)
    first, again = (np.array(draws(bowl, np.zeros(2), proposals, 0.3)) for _ in range(2))
    assert np.abs(first).max() <= 0.3
    np.testing.assert_array_equal(first, again)


def test_none_wanted_none_drawn() -> None:
    assert draws(bowl, np.zeros(2), Proposals.drawn(np.random.default_rng(0), 2, count=0, thin=4), 12.0) == []


@pytest.mark.parametrize("parameters", [3, 6, 14, 140])
def test_the_native_chain_of_a_process_has_the_same_bits(parameters: int) -> None:
    rng = np.random.default_rng(parameters)
    x = rng.random((12, parameters))
    y = np.sin(x.sum(axis=1))
    posterior = LogPosterior(Likelihood(x, Features.plain(parameters), y, "matern52", JITTER), GpSettings())
    proposals = Proposals.drawn(rng, parameters + 2, count=3, thin=4)
    mode = np.zeros(parameters + 2)
    native, reference = posterior.chain(mode, proposals), draws(posterior, mode, proposals, BOUND)
    np.testing.assert_array_equal(native, reference)
    assert len(native) == 3 and np.abs(native[-1]).max() > 0
