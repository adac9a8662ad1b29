"""What host code says of sizes: arrays, what functions are called with, asserts."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app, parse, program
from tunepass.expr.printer import to_text

LOOP = "val x = SRAM[Int](4096)\nForeach(N by 1) { i => x(i) = i }"


def stop(text: str) -> str:
    """The end of the first loop."""
    counter = next(counter for c in program(text).accel.walk() for counter in c.counters)
    assert counter.stop is not None
    return to_text(counter.stop)


@pytest.mark.parametrize(
    "length",
    [
        "Array.tabulate(640){ i => i }.length",
        "Array.fill[Int](640){ 0 }.map{ a => a + 1 }.length",
        "(0::640){ i => i }.length",
        "(0 until 640){ i => i }.zip(other){ (a, b) => a }.length",
        "(0::20, 0::640){ (i, j) => i }.cols",
        "Matrix.tabulate(640, 20){ (i, j) => i }.rows",
    ],
)
def test_an_array_is_as_long_as_it_is_written(length: str) -> None:
    assert stop(app(LOOP, f"val n = {length}\nval N = ArgIn[Int]; setArg(N, n)")) == "640"


@pytest.mark.parametrize(
    "said",
    [
        "assert(n <= 640)",
        'assert(n < 641, "too many")',
        "assert(640 >= n && n > 3)",
        "assert(n == 640)",
        "require((n <= 640))",
    ],
)
def test_an_assert_bounds(said: str) -> None:
    assert stop(app(LOOP, f"val n = args(0).to[Int]\n{said}\nval N = ArgIn[Int]; setArg(N, n)")) == "640"


@pytest.mark.parametrize("said,restricted", [("n <= 1536", []), ("n == 1536", ["1537 % p == 0"])])
def test_a_limit_is_assumed_and_a_value_constrains(said: str, restricted: list[str]) -> None:
    host = f"val p = 1 (1 -> 8)\nval n = args(0).to[Int]\nassert({said})\nval N = ArgIn[Int]; setArg(N, n)"
    parsed = parse(app("val x = SRAM[Int](4096)\nForeach(N + 1 by 1 par p) { i => x(i) = i }", host))
    assert [c.text for c in parsed.kernels[0].constraints] == restricted
    told = ["`n` is not known here; times assume 1536, as `assert` has it"]
    assert [w.message for w in parsed.warnings] == ([] if restricted else told)


def test_a_bound_wins_over_an_assert() -> None:
    host = "val n = args(0).to[Int]; bound(n) = 320\nassert(n < 641)\nval N = ArgIn[Int]; setArg(N, n)"
    assert stop(app(LOOP, host)) == "320"


def test_a_function_is_called_with_what_its_caller_has() -> None:
    text = """object App extends SpatialApp {
  def fill(xs: Array[Int], rows: Int): Unit = {
    val N = ArgIn[Int]; val R = ArgIn[Int]
    setArg(N, xs.length); setArg(R, rows)
    Accel { val x = SRAM[Int](4096); Foreach(N by 1, R by 1) { (i, j) => x(i) = j } }
  }
  def main(): Unit = {
    val width = 640
    val xs = Array.tabulate(width){ i => i }
    fill(xs.map{ a => a * 2 }, width / 2)
  }
}
"""
    assert parse(text).warnings == ()
    counters = [c for controller in program(text).accel.walk() for c in controller.counters]
    assert [to_text(c.stop) for c in counters if c.stop is not None] == ["640", "320"]
