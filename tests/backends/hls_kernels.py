"""A kernel for high-level synthesis, and a stub of a model of it: the backend works with any."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.evaluators.toolchains.synthesis.fake_tools import install
from tunepass import registry
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import INTEGER, Name
from tunepass.hwmodels.base import CostModel, Costs, DeviceSummary
from tunepass.hwmodels.fpga.model import FpgaModel
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import load

TEXT = """\
#define N 8000
#define U 1
#define TILE 1
#pragma tunepass param U: integer(1..MOST) = 1
#pragma tunepass param TILE: ordinal(1, 2) = 1
#pragma tunepass hls scale
void scale(float a[N], float b[N]) {
    for (int i = 0; i < N; i++) {
#pragma HLS unroll factor=U
        b[i] = TILE * a[i];
    }
}
"""
INTEL = """\
#define U 1
#define TILE 1
#pragma tunepass param U: integer(1..MOST) = 1
#pragma tunepass param TILE: ordinal(1, 2) = 1
#pragma tunepass hls scale
__kernel __attribute__((task)) void scale(__global float *restrict a, __global float *restrict b) {
    // lanes: factor=U
    #pragma unroll U
    for (int i = 0; i < 8000; i++)
        b[i] = TILE * a[i];
}
"""


def scale_kernel(folder: Path, suffix: str = ".cpp", most: int = 24) -> Kernel:
    path = folder / f"scale{suffix}"
    path.write_text((INTEL if suffix == ".cl" else TEXT).replace("MOST", str(most)))
    return load(path)


class StubModel(CostModel):
    """Half of the cycles that the fake tools report, and fewer LUTs."""

    def devices(self) -> tuple[str, ...]:
        return FpgaModel().devices()

    def summary(self, device: str) -> DeviceSummary:
        return FpgaModel().summary(device)

    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs:
        lanes, tile = Name("U", INTEGER), Name("TILE", INTEGER)
        cycles = alg.add(alg.mul(20.0, tile), alg.div(4000, lanes))
        values = {
            "cycles": cycles,
            "seconds": alg.div(cycles, 250e6),
            "luts": alg.add(500, alg.mul(100, lanes)),
            "dsps": alg.mul(5, lanes),
        }
        limits = {"luts": 1_182_240, "dsps": 90}
        fits = alg.compare(values["dsps"], "<=", limits["dsps"])
        return Costs(values, {"cycles": "cycles", "seconds": "s"}, fits, limits, name="a stub of a model")


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model above in the place of the real one."""
    models = {**registry.COST_MODELS, "hls": "tests.backends.hls_kernels:StubModel"}
    monkeypatch.setattr(registry, "COST_MODELS", models)


@pytest.fixture
def calls(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fake tools on the PATH; the file that gets a line a call."""
    programs = tmp_path_factory.mktemp("programs")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TUNEPASS_CACHE", str(programs / "cache"))
    return install(programs, "vitis_hls", "v++", "merlincc", "aoc")
