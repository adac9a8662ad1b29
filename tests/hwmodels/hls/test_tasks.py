"""Tasks of dataflow regions: what passes between them says how far they run at once."""

from tunepass.diagnostics import Source
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.hls.model import costs
from tunepass.ir.hls import HlsKernel

STREAMS = """#pragma tunepass param U: pow2(1, 4) = 1
#pragma tunepass hls top
#define U 1
static void first(const int a[1024], hls::stream<int> &s) {
  for (int i = 0; i < 1024; i++) {
#pragma HLS pipeline
#pragma HLS unroll factor=U
    s.write(a[i]);
  }
}
static void second(hls::stream<int> &s, int b[1024]) {
  for (int i = 0; i < 1024; i++) {
#pragma HLS pipeline
    b[i] = s.read() * 3;
  }
}
void top(const int a[1024], int b[1024]) {
#pragma HLS dataflow
  hls::stream<int> s;
  first(a, s);
  second(s, b);
}
"""
BUFFER = STREAMS.replace("hls::stream<int> &s", "int s[1024]").replace("hls::stream<int> s;", "int s[1024];")
BUFFER = BUFFER.replace("s.write(a[i])", "s[i] = a[i]").replace("s.read()", "s[i]")
REPEATED = BUFFER.replace(
    "#pragma HLS dataflow\n  int s", "for (int n = 0; n < 64; n++) {\n#pragma HLS dataflow\n  int s"
)
REPEATED = REPEATED.replace("second(s, b);\n", "second(s, b);\n  }\n")


def values(text: str) -> dict[str, float]:
    (kernel,) = HlsFrontend().parse(Source("top.cpp", text)).kernels
    price = costs(kernel.body_as(HlsKernel), load("vu9p"))
    return {name: float(evaluate(e, {"U": 1})) for name, e in price.values.items()}  # type: ignore[arg-type]


def in_turn(text: str) -> str:
    return text.replace("#pragma HLS dataflow\n", "")


def test_tasks_that_a_stream_connects_run_at_once() -> None:
    assert 1024 < values(STREAMS)["cycles"] < 1300 < 2048 < values(in_turn(STREAMS))["cycles"]


def test_a_task_waits_for_an_array_that_another_fills() -> None:
    assert values(BUFFER)["cycles"] == values(in_turn(BUFFER))["cycles"] > 2048


def test_in_a_loop_each_task_works_on_another_iteration() -> None:
    slowest, both = values(REPEATED)["cycles"] / 64, values(in_turn(REPEATED))["cycles"] / 64
    assert 1024 < slowest < 1300 < 2048 < both


def test_tasks_share_no_operators() -> None:
    text = STREAMS.replace("s.write(a[i])", "s.write(a[i] * 5)")
    assert values(text)["dsps"] == 2 * values(in_turn(text))["dsps"]


def test_a_dataflow_region_is_a_row_with_its_tasks_inside() -> None:
    (kernel,) = HlsFrontend().parse(Source("top.cpp", STREAMS)).kernels
    price = costs(kernel.body_as(HlsKernel), load("vu9p"))
    rows = [(part.label, part.depth) for part in price.timing]
    assert rows == [("top", 0), ("top, dataflow", 1), ("i", 2), ("i_2", 2)]
