"""The tests that Optuna gives to samplers (optuna.testing.pytest_samplers), for TunepassSampler."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("optuna", minversion="5.0", reason="Optuna is not installed: pip install 'tunepass[optuna]'")

import optuna
from optuna.testing import pytest_samplers

from tunepass.integrations.optuna import TunepassSampler

optuna.logging.set_verbosity(optuna.logging.WARNING)


class OfTunepass:
    @pytest.fixture
    def sampler(self) -> Callable[[], TunepassSampler]:
        return lambda: TunepassSampler(seed=0)


class TestBasic(OfTunepass, pytest_samplers.BasicSamplerTestCase):
    pass


class TestRelative(OfTunepass, pytest_samplers.RelativeSamplerTestCase):
    pass


class TestMultiObjective(OfTunepass, pytest_samplers.MultiObjectiveSamplerTestCase):
    pass
