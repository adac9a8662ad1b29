"""The classes keep the contracts of their roles: `python -m pytest tests` where the package is installed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tunepass_plan.hill_climber import HillClimber
from tunepass_plan.language import PlanFrontend
from tunepass_plan.neighbours import Neighbours

import tunepass as tp
from tunepass.testing import BackendContract, Build, FrontendContract, StrategyContract, SurrogateContract

SOURCE = tp.Source("copy.plan", (Path(__file__).parents[1] / "copy.plan").read_text())


class TestFrontend(FrontendContract):
    @pytest.fixture
    def frontend(self) -> tp.Frontend:
        return PlanFrontend()

    @pytest.fixture
    def source(self) -> tp.Source:
        return SOURCE


class TestBackend(BackendContract):
    @pytest.fixture
    def kernel(self) -> tp.Kernel:
        return PlanFrontend().parse(SOURCE).kernels[0]


class TestHillClimber(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return HillClimber


class TestNeighbours(SurrogateContract):
    @pytest.fixture
    def make(self) -> Callable[[], tp.Surrogate]:
        return Neighbours
