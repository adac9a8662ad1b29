"""The samples of high-level synthesis: sizes of their spaces, estimates, and values that emission writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tunepass.diagnostics import Source
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import evaluate
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.hls.model import costs
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Choice, Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

SAMPLES = Path(__file__).parents[3] / "samples" / "hls"
SIZES = {
    "matmul.cpp": 108,
    "fir.cpp": 36,
    "matvec.c": 5_700,
    "stencil.c": 15_147,
    "convolution.cl": 300,
    "histogram.cl": 15,
}
DEVICES = {".cpp": "zcu102", ".c": "vu9p", ".cl": "stratix-v"}
AT_LEAST = {  # of the default's cycles: each output, or each input, once a cycle; at most 200 cycles each
    "matmul.cpp": 256**3 // 32,
    "fir.cpp": 4096,
    "matvec.c": 512 * 400 // 16,
    "stencil.c": 20 * 126 * 126 // 16,
    "convolution.cl": 4194304,
    "histogram.cl": 1048576,
}
SPARE = "#pragma tunepass param SPARE: ordinal(1, 2) = 1\n#define SPARE 1\nstatic int spare(void) { return SPARE; }\n"


def read(name: str, text: str | None = None) -> Kernel:
    (kernel,) = HlsFrontend().parse(Source(name, text or (SAMPLES / name).read_text(encoding="utf-8"))).kernels
    return kernel


def space_of(kernel: Kernel) -> Space:
    return Space(kernel.parameters, kernel.constraints)


def said(kernel: Kernel, name: str, values: Configuration | None = None) -> dict[str, float]:
    columns = {p.name: p.column([values[p.name] if values else p.default]) for p in kernel.parameters}
    found = costs(kernel.body_as(HlsKernel), load(DEVICES[Path(name).suffix]))

    def value(e: Expr) -> float:
        return float(evaluate(e, columns, 1).values[0])

    return {key: value(e) for key, e in found.values.items()} | {"fits": value(found.fits)}


def test_there_are_six() -> None:
    assert sorted(path.name for path in SAMPLES.iterdir()) == sorted(SIZES)


@pytest.mark.parametrize("name", SIZES)
def test_the_space_is_as_large_as_its_pragmas_say(name: str) -> None:
    assert space_of(read(name)).size == SIZES[name]
    assert not HlsFrontend().parse(Source(name, (SAMPLES / name).read_text(encoding="utf-8"))).warnings


@pytest.mark.parametrize("name", SIZES)
def test_the_default_is_estimated_and_fits(name: str) -> None:
    found = said(read(name), name)
    assert AT_LEAST[name] <= found["cycles"] <= 200 * AT_LEAST[name]
    assert found["fits"] == 1 and found["seconds"] > 0


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.slow_but(3)
def test_what_is_emitted_has_the_values_and_their_price(name: str) -> None:
    kernel = read(name)
    space = space_of(kernel)
    for values in space.sample(3, np.random.default_rng(0)):
        choices = tuple(Choice(p, v) for p, v in values.items())
        (file,) = HlsFrontend().emit((kernel.scheduled(choices),), "tuned")
        assert "auto{" not in file.text
        settled = file.text.replace("#pragma tunepass constraint", "#pragma unknown")  # of knobs that are numbers now
        again = read(name, file.text if "tunepass param" in file.text else SPARE + settled)
        assert said(again, name) == pytest.approx(said(kernel, name, values))


@pytest.mark.parametrize("name", ["matmul.cpp", "convolution.cl", "histogram.cl", "matvec.c"])
@pytest.mark.slow_but(4)
def test_more_in_parallel_takes_fewer_cycles(name: str) -> None:
    kernel = read(name)
    space = space_of(kernel)
    default = {p.name: p.default for p in kernel.parameters}
    wide = {"matmul.cpp": {"LANES": 16, "BANKS": 16}, "convolution.cl": {"UNROLL": 16}, "histogram.cl": {"COPIES": 16},
            "matvec.c": {"COLUMNS_AT_ONCE": 10}}[name]  # fmt: skip
    (plain, faster) = space.configurations(space.columns([default, default | wide]))
    assert said(kernel, name, faster)["cycles"] < 0.5 * said(kernel, name, plain)["cycles"]
