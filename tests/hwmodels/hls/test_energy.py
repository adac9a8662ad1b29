"""Energy of kernels for synthesis against numbers computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.hwmodels.hls.nests import N, product, running
from tunepass.expr import algebra as alg
from tunepass.expr.python_eval import evaluate
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.fpga.energy import PICO, energy_of_kind
from tunepass.hwmodels.hls.energy import energy
from tunepass.hwmodels.hls.model import costs
from tunepass.hwmodels.hls.nest import Nest
from tunepass.ir.hls import HlsKernel, NdRange

FPGA = load("vu9p")
BITS = 64
CHIP = BITS * FPGA.energy.access_pj_per_bit
DRAM = BITS / 8 * FPGA.energy.dram_pj_per_byte + CHIP
ADD, MULTIPLY = (energy_of_kind(name, BITS, FPGA) for name in ("flt_add", "flt_mul"))
USUAL = {"rows": 1, "columns": 1, "terms": 1, "flat": 0, "tile": 1}


def dynamic(kernel: HlsKernel) -> float:
    joules = evaluate(energy(Nest(kernel), FPGA, alg.lift(0.0), alg.lift(0)), {})
    return float(joules) / PICO  # type: ignore[arg-type]


def joules(kernel: HlsKernel, **values: int) -> float:
    price = costs(kernel, FPGA)
    values = {**USUAL, **values}
    power = FPGA.energy.idle_w + FPGA.energy.lut_w * float(evaluate(price.values["luts"], values))  # type: ignore[arg-type]
    drawn = power * float(evaluate(price.values["seconds"], values))  # type: ignore[arg-type]
    return (float(evaluate(price.values["energy"], values)) - drawn) / PICO  # type: ignore[arg-type]


def test_each_access_of_a_global_array_goes_to_dram() -> None:
    assert dynamic(running(dialect="vitis")) == pytest.approx(N * (3 * DRAM + ADD))


def test_launches_and_work_items_execute_all_anew() -> None:
    kernel = running(dialect="vitis")
    thrice = replace(kernel, launches=alg.lift(3))
    of_items = replace(kernel, range=NdRange(work_items=alg.lift(5), group=alg.lift(5)))
    assert dynamic(thrice) == pytest.approx(3 * dynamic(kernel))
    assert dynamic(of_items) == pytest.approx(5 * dynamic(kernel))


def test_what_merlin_copies_moves_once() -> None:
    operations = N**3 * (2 * CHIP + MULTIPLY + ADD) + N**2 * CHIP  # scalars are registers
    assert joules(product()) == pytest.approx(operations + 3 * N**2 * DRAM)
    assert joules(product(), terms=8) == pytest.approx(joules(product()))


def test_an_array_that_is_copied_in_a_loop_moves_more_often() -> None:
    assert joules(product(), columns=8) > joules(product())


def test_energy_is_in_joules() -> None:
    assert costs(product(), FPGA).units["energy"] == "J"
