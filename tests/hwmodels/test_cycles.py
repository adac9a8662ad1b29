"""Cycles against numbers computed by hand from the formulas in the modules' docstrings."""

from __future__ import annotations

import math

import pytest

from tunepass.expr import algebra
from tunepass.hwmodels.fpga import dram
from tunepass.hwmodels.fpga.area import par_of, pipelined
from tunepass.hwmodels.fpga.cycles import CycleModel
from tunepass.hwmodels.fpga.device import load

STARTUP = 43_000
MEMORIES = "val x = SRAM[Int](1024); val y = SRAM[Int](1024); val f = SRAM[Float](1024);"
# load 2 + multiply 6 + store 1 = 9
SCALE = "Foreach(1000 by 1 par 8) { i => y(i) = x(i) * 3 }"


def cycles(program, device, number, accel, host="", **values):
    return number(CycleModel(program(f"{MEMORIES}\n{accel}", host), device).total(), **values) - STARTUP


def test_inner_loop(program, device, number):
    # N = ceil(1000 / 8) = 125; L + (N - 1) + 1
    assert cycles(program, device, number, SCALE) == 9 + 124 + 1


def test_initiation_interval_of_an_accumulation(program, device, number):
    # x(0) = x(0) * 3: read 2, multiply 6, write 1; from the read being ready to the write done: 7
    assert cycles(program, device, number, "Foreach(10 by 1) { i => x(0) = x(0) * 3 }") == 9 + 9 * 7 + 1
    # a sum of integers is specialised
    assert cycles(program, device, number, "Foreach(10 by 1) { i => x(0) = x(0) + 3 }") == 2 + 1 + 1 + 9 + 1 - 0 - 1


def test_the_users_interval_counts(program, device, number):
    assert cycles(program, device, number, "Pipe(ii = 4).Foreach(10 by 1) { i => y(i) = x(i) * 3 }") == 9 + 9 * 4 + 1


def test_inner_reduction(program, device, number):
    # map: load 2, multiply 8 = 10; tree of 4 lanes: 2 levels of 12; N = 256; the sum itself takes 0 and the write 1
    accel = "val s = Reg[Float](0)\nReduce(s)(1024 by 1 par 4) { i => f(i) * f(i) } { _ + _ }"
    assert cycles(program, device, number, accel) == 10 + 2 * 12 + 255 * 1 + 1


def test_parallel_is_the_slowest_stage(program, device, number):
    accel = f"Parallel {{ {SCALE}\n Foreach(10 by 1) {{ i => y(i) = x(i) * 3 }} }}"
    assert cycles(program, device, number, accel) == 134 + 1


@pytest.mark.parametrize("overlap,expected", [(True, 134 * 6 + (134 + 19) + 1), (False, 7 * (134 + 19) + 1)])
def test_metapipe_and_sequential(program, device, number, overlap, expected):
    # stages of 134 and 9 + 9 + 1 = 19 cycles, 7 iterations
    accel = f"Foreach(7 by 1) {{ k => {SCALE}\n Foreach(10 by 1) {{ i => y(i) = x(i) * 3 }} }}"
    assert cycles(program, device, number, accel, pipeline_6=overlap) == expected


def test_sequential_as_the_source_says(program, device, number):
    accel = f"Sequential.Foreach(7 by 1) {{ k => {SCALE}\n Foreach(10 by 1) {{ i => y(i) = x(i) * 3 }} }}"
    assert cycles(program, device, number, accel) == 7 * (134 + 19) + 1


def test_block_reduction(program, device, number):
    accel = """val acc = SRAM[Int](64)
    MemReduce(acc par 2)(10 by 1) { k =>
      val part = SRAM[Int](64)
      Foreach(64 by 1) { i => part(i) = x(i) * 3 }
      part
    } { _ + _ }"""
    stage = 9 + 63 + 1
    # load 2, no tree for one lane, 32 accumulations of load 2 + add 0 + store 1
    accumulate = 2 + 0 + 32 * 3
    assert cycles(program, device, number, accel, pipeline_7=True) == 9 * accumulate + stage + accumulate + 1
    assert cycles(program, device, number, accel, pipeline_7=False) == 10 * (stage + accumulate) + 1


def test_parameters_stay_in_the_expression(program, device, number):
    accel = "Foreach(1000 by 1 par p) { i => y(i) = x(i) * 3 }"
    for p in (1, 3, 8):
        got = cycles(program, device, number, accel, "val p = 1 (1 -> 16)", p=p)
        assert got == 9 + math.ceil(1000 / p) - 1 + 1


def test_a_store(number):
    def store(b, p, c):
        return number(dram.store(algebra.lift(b), algebra.lift(p), algebra.lift(c)))

    assert store(960, 1, 6) == 960  # below 8 lanes and 8 readers: no overhead
    assert store(960, 4, 14) == math.ceil(240 * (1 + 0.0175 * 4))
    o = 0.02 * 6 - 0.019
    assert store(960, 16, 6) == math.ceil(60 * (o * 16 + 1 - 8 * o))


@pytest.mark.parametrize("words,readers,expected", [
    (960, 1, 110 + 53 + 960),
    (960, 6, math.ceil((1 + 0.165 * math.log(6) / math.log(12)) * (163 + 960))),
    (50, 12, math.ceil((1 + 0.307 / (1 + math.exp(0.114))) * (163 + 96))),
    (192, 12, math.ceil((1 + 0.185 / (1 + math.exp(-1.04))) * (163 + 192))),
])  # fmt: skip
def test_a_load_with_one_lane(number, device, words, readers, expected):
    e = dram.load(*map(algebra.lift, (words, 1, 1, readers)), device.dram, device.tile_load)
    assert number(e) == expected


def test_contention(program, number):
    host = "val a = DRAM[Int](4096); val b = DRAM[Int](4096); val op = 1 (1 -> 4)"
    accel = """Foreach(4096 by 64 par op) { i =>
      val x = SRAM[Int](64); val y = SRAM[Int](64)
      Parallel { x load a(i::i+64); y load b(i::i+64) }
      Foreach(64 by 1) { j => y(j) = x(j) }
      b(i::i+64) store y
    }"""
    built = program(accel, host)
    controllers = list(built.accel.walk())
    seen = dram.contention(
        built.accel, {c.label: pipelined(c) for c in controllers}, {c.label: par_of(c.counters) for c in controllers}
    )
    x, y, back = (seen[id(t)] for t in built.accel.transfers())
    (toggle,) = (c.toggle for c in controllers if c.toggle)
    for op in (1, 2, 3):
        # overlapping: all three run at once, op copies of each; taking turns: the two loads, then the store
        assert [number(e, op=op, **{toggle: True}) for e in (x, y, back)] == [3 * op] * 3
        assert [number(e, op=op, **{toggle: False}) for e in (x, y, back)] == [2 * op, 2 * op, op]


def test_the_fitted_stretch_is_the_devices(program, number):
    stretched = number(CycleModel(program(MEMORIES + SCALE), load("stratix-v")).total())
    assert stretched == STARTUP + math.floor(9 * load("stratix-v").body_stretch + 0.5) + 124 + 1


def test_the_steps_of_a_state_machine_do_not_overlap(program, device, number):
    # load 2 + multiply 6 + store 1 = 9, for 0, 16, ... 112
    assert cycles(program, device, number, "FSM(0)(i => i < 128) { i => y(i) = x(i) * 3 } { i => i + 16 }") == 8 * 9
