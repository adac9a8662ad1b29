"""DRAM: what a board moves at most, and what a load may cost; on every program, device and configuration."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.diagnostics import Source
from tunepass.expr import algebra, numpy_eval
from tunepass.expr.nodes import INTEGER, Name
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.fpga import dram
from tunepass.hwmodels.fpga.bandwidth import Bandwidth
from tunepass.hwmodels.fpga.cycles import CycleModel
from tunepass.hwmodels.fpga.device import load, names
from tunepass.hwmodels.fpga.model import costs
from tunepass.ir.hardware import FLOAT, Program, Transfer
from tunepass.ir.kernel import Kernel

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "spatial").glob("*.scala"))
BOARD = load("stratix-v")
NET = BOARD.tile_load
COPY = "val a = DRAM[Float](65536)"
READ = "val x = SRAM[Float](4096)\nx load a(0::4096 par 16)"


def sample(path: Path) -> Kernel:
    return SpatialFrontend().parse(Source(path.name, path.read_text())).kernels[0]


def drawn(kernel: Kernel, n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    return {p.name: np.array([p.domain[i] for i in rng.integers(len(p.domain), size=n)]) for p in kernel.parameters}


@pytest.mark.parametrize("device_name", names())
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_no_configuration_moves_more_than_the_board(path, device_name):
    kernel, device = sample(path), load(device_name)
    program = kernel.body_as(Program)
    columns = drawn(kernel, 400)
    moved, cycles = (
        np.asarray(numpy_eval.evaluate(e, columns, 400).values, float) + np.zeros(400)
        for e in (Bandwidth(program, device).bytes_of(program.accel), CycleModel(program, device).total())
    )
    assert moved.min() > 0
    assert np.all(moved <= device.dram.byte_per_cycle(device.clock_hz) * cycles)


def test_the_board_is_that_of_the_papers():
    assert BOARD.dram.byte_per_cycle(BOARD.clock_hz) * BOARD.clock_hz == 76.8e9  # HyperMapper 2.0, section V-A


def test_loads_side_by_side_share_the_channels(program, number):
    slow = replace(BOARD, dram=replace(BOARD.dram, channels=1, byte_per_s=BOARD.clock_hz))  # a byte a cycle
    single, pair = (
        number(CycleModel(program(text, COPY), slow).total()) - slow.startup_cycles
        for text in (f"Parallel {{ {READ} }}", f"Parallel {{ {READ}\n{READ.replace('x', 'y')} }}")
    )
    assert single == 4 * 4096 + 1 and pair == 2 * 4 * 4096 + 1


def test_a_gather_moves_a_burst_for_every_word(program, number):
    host = "val a = DRAM[Int](65536)"
    accel = "val i = SRAM[Int](512); val x = SRAM[Int](512)\nx gather a(i par 16, 512)"
    built = program(accel, host)
    moved = number(Bandwidth(built, BOARD).bytes_of(built.accel))
    assert moved == 512 * max(BOARD.dram.burst_byte, round(BOARD.dram.row_byte))


def cycles_of(words: int, rows: int, par: int, readers: int) -> float:
    e = dram.load(*map(algebra.lift, (words, rows, par, readers)), BOARD.dram, NET)
    value = algebra.number(e)
    assert value is not None
    return float(value)


shapes = {
    "words": st.integers(1, 100_000), "rows": st.integers(1, 5_000), "par": st.integers(1, 512)
}  # fmt: skip


@examples(300)
@given(**shapes, readers=st.integers(1, 40))
def test_several_lanes_cost_no_more_than_one(words, rows, par, readers):
    assert cycles_of(words, rows, par, readers) <= cycles_of(words, rows, 1, readers)


@examples(300)
@given(**shapes, readers=st.integers(1, 8), copies=st.integers(1, 16))
def test_copies_cost_no_more_than_taking_turns(words, rows, par, readers, copies):
    together = algebra.number(_copied(words, rows, par, readers, copies))
    alone = cycles_of(words, rows, par, readers)
    assert together is not None and together <= copies * alone


def _copied(words, rows, par, readers, copies):
    transfer = Transfer("load", "a", "x", FLOAT, (algebra.lift(rows), algebra.lift(words)), algebra.lift(par))
    return dram.cycles(transfer, dram.Readers(*map(algebra.lift, (readers * copies, readers, copies))), BOARD)


@examples(200)
@given(**shapes, readers=st.integers(1, 40), lanes=st.integers(1, 400))
def test_a_store_with_several_lanes_costs_no_more_than_one(words, rows, par, readers, lanes):
    del rows, par
    cost = [algebra.number(dram.store(*map(algebra.lift, (words, p, readers)))) for p in (1, lanes)]
    assert cost[1] <= cost[0]


@pytest.mark.parametrize("words,rows,par,readers,share", [
    (960, 100, 8, 1, 0.575486), (4800, 1000, 48, 12, 0.212569), (1920, 500, 24, 4, 0.1781),
])  # fmt: skip
def test_a_tile_load_is_about_what_was_measured(words, rows, par, readers, share):
    """Of spatial-lang's TileLoadData.csv, as shares of a load with one lane."""
    assert cycles_of(words, rows, par, readers) / cycles_of(words, rows, 1, readers) == pytest.approx(share, rel=0.15)


def test_an_expression_over_parameters_agrees_with_numbers(number):
    e = dram.load(*(Name(n, INTEGER) for n in ("b", "r", "p", "c")), BOARD.dram, NET)
    for b, r, p, c in ((64, 2, 4, 3), (96, 7, 1, 12), (192, 30, 64, 20), (9600, 2000, 48, 40)):
        assert number(e, b=b, r=r, p=p, c=c) == cycles_of(b, r, p, c)


def test_beyond_the_box_the_inputs_are_clamped():
    box = NET.tile
    inside = cycles_of(box.columns, box.rows, box.par, box.readers)
    assert cycles_of(box.columns, box.rows, 8 * box.par, box.readers) == inside
    assert cycles_of(box.columns, box.rows, box.par, 2 * box.readers) == 2 * inside
    longer = cycles_of(4 * box.columns, box.rows, box.par, box.readers)
    assert longer == pytest.approx(4 * inside, rel=0.02)


@pytest.mark.parametrize("lengths,par,known", [
    ("0::4096 par p", 96, True), ("0::4096 par p", 97, False), ("0::4096 par 1", 500, True),
])  # fmt: skip
def test_what_was_not_fitted_is_marked(program, number, lengths, par, known):
    built = program(f"val x = SRAM[Float](4096)\nx load a({lengths})", f"{COPY}; val p = 4 (1 -> 512)")
    kernel_costs = costs(built, BOARD)
    assert bool(number(kernel_costs.within_fit, p=par)) is known


def test_tiles_have_their_own_box(program, number):
    host = "val m = DRAM[Float](8192, 8192); val r = 4 (1 -> 4096); val p = 4 (1 -> 512)"
    built = program("val x = SRAM[Float](r, 960)\nx load m(0::r, 0::960 par p)", host)
    within = costs(built, BOARD).within_fit
    asked = [(1000, 48), (1001, 48), (1000, 49)]
    assert [bool(number(within, r=r, p=p)) for r, p in asked] == [True, False, False]


def test_every_device_says_where_its_dram_is_from():
    for name in names():
        board = load(name).dram
        assert board.source and board.byte_per_cycle(load(name).clock_hz) > 1 and math.isfinite(board.row_byte)
