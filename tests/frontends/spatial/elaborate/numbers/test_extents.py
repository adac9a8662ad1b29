"""Open sizes: followed through what is computed from them, assumed in times, never a constraint."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app, controllers, parse, program
from tunepass.expr.printer import to_text
from tunepass.ir.hardware import Controller


def stops(accel: str, host: str = "") -> list[str]:
    """The ends of every counter, in the order of the program."""
    walk = program(app(accel, host)).accel.walk()
    return [to_text(counter.stop) for c in walk for counter in c.counters if counter.stop is not None]


def constraints(accel: str, host: str) -> list[str]:
    (kernel,) = parse(app(accel, host)).kernels
    return [constraint.text for constraint in kernel.constraints]


LOOP = "val x = SRAM[Int](tile)\nForeach(N by tile par op) { i => Foreach(tile by 1) { j => x(j) = i } }"
PARAMETERS = "val tile = 64 (64 -> 64 -> 960)\nval op = 1 (1 -> 4)"


def test_an_assumed_size_constrains_nothing() -> None:
    host = f"{PARAMETERS}\nval n = args(0).to[Int]\nval N = ArgIn[Int]; setArg(N, n)"
    assert constraints(LOOP, host) == []
    assert stops(LOOP, host) == ["1024", "tile"]


def test_a_bound_constrains_even_after_its_use() -> None:
    host = f"{PARAMETERS}\nval n = args(0).to[Int]\nval N = ArgIn[Int]; setArg(N, n * 2); bound(n) = 480"
    assert constraints(LOOP, host) == [
        "op < ceildiv(960, tile)",
        "ceildiv(960, tile) % op == 0",
        "tile <= 960",
        "960 % tile == 0",
    ]


def test_what_is_left_of_a_tile_is_the_tile() -> None:
    host = f"{PARAMETERS}\nval mp = 2 (1 -> 8)\nval R = ArgIn[Int]; bound(R) = 9600"
    accel = """val x = SRAM[Int](960)
      Foreach(R by tile) { r =>
        val left = Reg[Int]
        Pipe { left := min(R.value - r, tile) }
        Foreach(left by 1 par mp) { i => x(i) = r }
      }"""
    assert stops(accel, host) == ["9600", "tile"]
    assert "tile % mp == 0" in constraints(accel, host)


@pytest.mark.parametrize(
    "writes,stop",
    [
        ("n := 12", "12"),
        ("n := 0; n := N", "480"),
        ("n := 1; n := n + 1", "64"),
        ("n := y(3)", "64"),
        ("n := m; m := 3", "64"),
        ("m := 7; n := m", "7"),
    ],
)
def test_a_register_holds_the_largest_number_written_to_it(writes: str, stop: str) -> None:
    accel = f"""val y = SRAM[Int](500); val z = SRAM[Int](64); val n = Reg[Int](0); val m = Reg[Int](0)
      {writes}
      Foreach(n by 1) {{ i => z(i) = i }}"""
    assert stops(accel, "val N = ArgIn[Int]; bound(N) = 480") == [stop]


def test_a_loop_inside_a_triangle_runs_the_mean_of_its_range() -> None:
    accel = """val x = SRAM[Int](100)
      Foreach(100 by 1 par 2) { i => Foreach(i by 1) { j => x(j) = i } }
      Foreach(100 by 1) { i => Foreach(i until 100) { j => x(j) = i } }"""
    assert stops(accel) == ["100", "50", "100", "50"]
    assert parse(app(accel)).warnings == ()


def test_a_range_from_data_has_the_length_that_it_is_written_with() -> None:
    host = "val d = DRAM[Int](4096)"
    accel = """val x = SRAM[Int](256); val at = SRAM[Int](8)
      Foreach(8 by 1) { i => x load d(at(i) :: at(i) + 16) }"""
    parsed = parse(app(accel, host))
    (transfer,) = program(app(accel, host)).accel.transfers()
    assert parsed.warnings == () and [to_text(e) for e in transfer.lengths] == ["16"]


def test_a_par_factor_and_a_memory_are_not_assumed() -> None:
    accel = "val x = SRAM[Int](n)\nForeach(n by 1 par n) { i => x(i) = i }"
    (loop,) = controllers(app(accel, "val n = args(0).to[Int]"))
    assert isinstance(loop, Controller) and to_text(loop.counters[0].par) == "1"
    assert [to_text(d) for m in program(app(accel, "val n = args(0).to[Int]")).all_memories() for d in m.dims] == ["1"]


def test_loops_over_data_have_names_of_their_own() -> None:
    accel = """val x = SRAM[Int](100); val n = Reg[Int]
      n := x(0)
      Foreach(n by 1) { i => println(i) }
      Foreach(n by 1) { i => println(i) }; Foreach(x(1) by 1) { i => println(i) }"""
    assert [(w.message, w.hint) for w in parse(app(accel)).warnings] == [
        ("`n` is not known here; times assume 64", "give --size n=N"),
        ("`n_2` is not known here; times assume 64", "give --size n_2=N"),
        ("`trips_7` is not known here; times assume 64", "give --size trips_7=N"),
    ]


@pytest.mark.parametrize(
    "value,stop",
    [
        ("n + 4", "20"),
        ("n >> 2", "4"),
        ("n << 1", "32"),
        ("n / 3", "5"),
        ("min(n, y(0))", "16"),
        ("max(n, 20)", "20"),
        ("mux(y(0) == 1, n, 40)", "40"),
        ("n.to[Int]", "16"),
        ("y(0) + n", "64"),
        ("max(n, y(0))", "64"),
    ],
)
def test_what_is_computed_from_a_register_follows_it(value: str, stop: str) -> None:
    accel = f"""val y = SRAM[Int](8); val z = SRAM[Int](64); val n = Reg[Int](0)
      n := 16
      Foreach({value} by 1) {{ i => z(i) = i }}"""
    assert stops(accel) == [stop]


def test_loops_that_would_run_backwards_run_not_at_all() -> None:
    host = "val k = 3 (1 -> 9)"
    accel = """val x = SRAM[Int](k)
      Foreach(5 until 2) { i => x(i) = i }
      Foreach(4 - k by 1) { i => x(i) = i }
      Foreach(12 - k by 1) { i => x(i) = i }
      Foreach(8 until 0 by -2) { i => x(i) = i }"""
    assert stops(accel, host) == ["5", "max(4 - k, 0)", "12 - k", "0"]


def test_a_restriction_that_leaves_no_value_is_left_out() -> None:
    host = "val p = 32 (32, 96)\nval q = 1 (1 -> 4)"
    accel = "val x = SRAM[Int](16)\nForeach(16 by 1 par p) { i => x(i) = i }\nForeach(6 by 1 par q) { i => x(i) = i }"
    assert constraints(accel, host) == ["6 % q == 0"]
    assert [w.message for w in parse(app(accel, host)).warnings] == [
        "no value of `p` keeps `16 % p == 0`; it is not restricted so"
    ]
