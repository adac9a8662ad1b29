from __future__ import annotations

import pytest

from tests.frontends.gpu.sources import SCALE, SCALE_CL
from tunepass.diagnostics import Source
from tunepass.frontends.base import Frontend
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.testing.frontend import FrontendContract


class TestCuda(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return GpuFrontend()

    @pytest.fixture
    def source(self) -> Source:
        return Source("some/where/scale.cu", SCALE)


class TestOpenCL(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return GpuFrontend()

    @pytest.fixture
    def source(self) -> Source:
        return Source("scale.cl", SCALE_CL)
