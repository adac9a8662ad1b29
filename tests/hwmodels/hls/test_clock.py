"""Designs that are made for several clocks: operators have more stages at faster ones, DRAM is as slow as it is."""

import pytest

from tunepass.diagnostics import Source
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.hls.model import costs
from tunepass.hwmodels.hls.operators import stages
from tunepass.hwmodels.hls.tools import tool
from tunepass.ir.hls import HlsKernel

SUM = """#pragma tunepass param MHZ: ordinal(125, 250, 400) = 250
#pragma tunepass hls sum clock(MHZ)
void sum(float a[256], float *out)
{
  float s = 0;
  for (int i = 0; i < 256; i++) s += a[i] * a[i];
  *out = s;
}
"""
TOOL = tool("merlin-2020.2")


def values(text: str, clock: int) -> dict[str, float]:
    (kernel,) = HlsFrontend().parse(Source("sum.cpp", text)).kernels
    price = costs(kernel.body_as(HlsKernel), load("vu9p"))
    return {name: float(evaluate(e, {"MHZ": clock})) for name, e in price.values.items()}  # type: ignore[arg-type]


def test_the_table_is_for_its_own_clock() -> None:
    assert TOOL.at(TOOL.clock_hz) is TOOL


def test_a_faster_clock_has_more_stages_and_a_slower_one_fewer() -> None:
    fast, slow = TOOL.at(2 * TOOL.clock_hz), TOOL.at(TOOL.clock_hz / 2)
    add = TOOL.operators["double_add"].cycles
    assert fast.operators["double_add"].cycles == 2 * add
    assert slow.operators["double_add"].cycles == stages(add, 0.5) < add
    assert fast.transfers.request_cycles == 2 * TOOL.transfers.request_cycles


@pytest.mark.parametrize(
    "cycles,ratio,whole", [(7, 0.5, 4), (6, 0.5, 3), (1, 0.25, 0.25), (0.5, 1.5, 0.75), (1, 1.1, 2)]
)
def test_stages_are_whole(cycles: float, ratio: float, whole: float) -> None:
    assert stages(cycles, ratio) == whole


def test_a_sum_takes_fewer_cycles_at_a_slow_clock_and_not_less_time() -> None:
    slow, usual, fast = (values(SUM, clock) for clock in (125, 250, 400))
    assert slow["cycles"] < usual["cycles"] < fast["cycles"]
    assert slow["seconds"] == pytest.approx(slow["cycles"] / 125e6)
    assert (
        values(SUM.replace("clock(MHZ)", "clock(400)").replace("250, 400) = 250", "250, 400) = 250 flag"), 400) == fast
    )
