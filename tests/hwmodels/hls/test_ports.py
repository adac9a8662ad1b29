"""AXI ports: how many elements a start of a pipelined loop may move through them."""

import pytest

from tunepass.diagnostics import Source
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.hls.model import costs
from tunepass.hwmodels.hls.tools import tool
from tunepass.ir.hls import HlsKernel

ADD = """#pragma tunepass param U: pow2(1, 64) = 1
#pragma tunepass hls add(a: in int[4096], b: in int[4096], c: out int[4096])
#define U 1
void add(const int *a, const int *b, int *c) {
#pragma HLS interface m_axi port=a bundle=left
#pragma HLS interface m_axi port=b bundle=right
#pragma HLS interface m_axi port=c bundle=left
  for (int i = 0; i < 4096; i++) {
#pragma HLS pipeline
#pragma HLS unroll factor=U
    c[i] = a[i] + b[i];
  }
}
"""


def interval(text: str, copies: int) -> float:
    (kernel,) = HlsFrontend().parse(Source("add.cpp", text)).kernels
    price = costs(kernel.body_as(HlsKernel), load("vu9p"))
    (loop,) = [part for part in price.timing if "II" in part.values]
    return float(evaluate(loop.values["II"], {"U": copies}))  # type: ignore[arg-type]


@pytest.mark.parametrize("copies,starts", [(1, 1), (16, 1), (32, 2), (64, 4)])
def test_neighbouring_elements_come_as_many_as_a_port_is_wide(copies: int, starts: int) -> None:
    assert interval(ADD, copies) == starts


def test_a_port_that_is_not_widened_brings_an_element_a_beat() -> None:
    assert interval(ADD.replace("bundle=left", "bundle=left max_widen_bitwidth=32"), 16) == 16


def test_arrays_of_one_bundle_take_turns_reads_and_writes_do_not() -> None:
    assert interval(ADD.replace("bundle=right", "bundle=left"), 1) == 2


def test_elements_that_lie_apart_come_one_by_one() -> None:
    assert interval(ADD.replace("a[i]", "a[i * 16 % 4096]"), 16) == 16


def test_vectors_come_whole() -> None:
    wide = ADD.replace("int *", "hls::vector<int, 16> *").replace("int[4096]", "int[4096][16]")
    assert interval(wide, 1) == 1
    assert interval(wide, 2) == 2


def test_the_first_element_waits_for_the_request() -> None:
    (kernel,) = HlsFrontend().parse(Source("add.cpp", ADD)).kernels
    price = costs(kernel.body_as(HlsKernel), load("vu9p"))
    (loop,) = [part for part in price.timing if "depth" in part.values]
    request = tool("merlin-2020.2").transfers.request_cycles
    assert float(evaluate(loop.values["depth"], {"U": 1})) > request  # type: ignore[arg-type]
