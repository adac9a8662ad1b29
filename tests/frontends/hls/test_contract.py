import pytest

from tests.frontends.hls.sources import GEMV
from tunepass.backends.base import frontend_of
from tunepass.diagnostics import Source
from tunepass.frontends.base import Frontend
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.testing.frontend import FrontendContract


class TestHlsFrontend(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return HlsFrontend()

    @pytest.fixture
    def source(self) -> Source:
        return Source("gemv.c", GEMV)


@pytest.mark.parametrize(
    "name,text,kind",
    [
        ("a.c", "#pragma ACCEL PIPELINE auto{P}\n", HlsFrontend),
        ("a.cpp", "#pragma tunepass hls top\n", HlsFrontend),
        ("a.cl", "// tunepass: hls top\n", HlsFrontend),
        ("a.c", "#pragma ACCEL PIPELINE auto{P}\n#pragma tunepass kernel f(n = 1)\n", CFrontend),
        ("a.c", "#pragma ACCEL PIPELINE flatten\n", CFrontend),
        ("a.cl", "#pragma tunepass kernel f()\n", GpuFrontend),
    ],
)
def test_a_source_finds_its_frontend_by_what_it_says(name: str, text: str, kind: type[Frontend]) -> None:
    assert type(frontend_of(name, text)) is kind
