"""Energy against numbers computed by hand, and what any program's energy keeps to."""

from __future__ import annotations

import pytest

from tunepass.expr import algebra
from tunepass.hwmodels.fpga.curves import evaluate
from tunepass.hwmodels.fpga.energy import PICO, energy
from tunepass.hwmodels.fpga.model import costs

MEMORIES = "val x = SRAM[Float](1024); val y = SRAM[Float](1024)"


def joules(program, device, number, accel, host="", cycles=0, luts=0, **values):
    built = program(f"{MEMORIES}\n{accel}", host)
    return number(energy(built, device, algebra.lift(cycles), algebra.lift(luts)), **values)


def test_a_body_counts_as_often_as_it_is_executed(program, device, number):
    e = device.energy
    each = evaluate(e.operations["flt_mul"], 32) + 2 * 32 * e.access_pj_per_bit  # read, multiply, write
    body = "Foreach(1024 by 1 par 8) { i => y(i) = x(i) * 3.0f }"
    assert joules(program, device, number, body) == pytest.approx(1024 * each * PICO)
    nested = f"Foreach(7 by 1) {{ k => {body}\n{body} }}"
    assert joules(program, device, number, nested) == pytest.approx(7 * 2 * 1024 * each * PICO)


def test_lanes_move_no_energy_but_what_the_device_draws_meanwhile(program, device, number):
    body, host = "Foreach(1024 by 1 par p) { i => y(i) = x(i) * 3.0f }", "val p = 1 (1 -> 16)"
    one, eight = (joules(program, device, number, body, host, p=p) for p in (1, 8))
    assert one == eight
    slow = joules(program, device, number, body, host, cycles=device.clock_hz, luts=1000, p=1)
    assert slow == pytest.approx(one + device.energy.idle_w + 1000 * device.energy.lut_w)


def test_a_byte_of_dram_costs_more_than_one_on_the_chip(program, device, number):
    e = device.energy
    moved = joules(program, device, number, "x load a(0::1024 par 16)", "val a = DRAM[Float](1024)")
    assert moved == pytest.approx(4096 * (e.dram_pj_per_byte + 8 * e.access_pj_per_bit) * PICO)
    assert e.dram_pj_per_byte > 8 * e.access_pj_per_bit


def test_a_block_reduction_reads_two_and_writes_one(program, device, number):
    accel = """val acc = SRAM[Float](64)
    MemReduce(acc par 2)(10 by 1) { k =>
      val part = SRAM[Float](64)
      Foreach(64 by 1) { i => part(i) = x(i) }
      part
    } { _ + _ }"""
    e = device.energy
    copy, combine = 2 * 32 * e.access_pj_per_bit, evaluate(e.operations["flt_add"], 32) + 3 * 32 * e.access_pj_per_bit
    assert joules(program, device, number, accel) == pytest.approx(10 * 64 * (copy + combine) * PICO)


def test_energy_is_an_objective_in_joules(program, device):
    model = costs(program(f"{MEMORIES}\nForeach(8 by 1) {{ i => y(i) = x(i) }}"), device)
    assert model.units["energy"] == "J" and "energy" in model.values
