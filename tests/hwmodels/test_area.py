"""Resources and memories against numbers computed by hand; laws that any device keeps."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tunepass.diagnostics import Source
from tunepass.expr import algebra, numpy_eval
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.nodes import INTEGER, Name
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.characterise.fit import choose
from tunepass.hwmodels.fpga import memory as memories
from tunepass.hwmodels.fpga.area import AreaModel
from tunepass.hwmodels.fpga.device import load, names, read
from tunepass.hwmodels.fpga.model import costs
from tunepass.hwmodels.fpga.placement import place
from tunepass.hwmodels.fpga.resources import Area, constant
from tunepass.ir.hardware import Program

SAMPLES = Path(__file__).parents[2] / "samples" / "spatial"
PROGRAMS = (
    "Attention",
    "BlackScholes",
    "Convolution",
    "FFT",
    "DotProduct",
    "GDA",
    "GEMM",
    "KMeans",
    "OuterProduct",
    "TPCHQ6",
)


def design(program, device, number, accel, host="", **values):
    """Resources above the device's shell."""
    raw = AreaModel(program(accel, host), device).raw().area
    shell = constant(device.structures["fringe"])
    return {name: number(raw[name], **values) - number(shell[name]) for name in raw}


def test_operations_are_repeated_by_par(program, device, number):
    accel = (
        "val x = SRAM[Float](64); val y = SRAM[Float](64)\nForeach(64 by 1 par 4) { i => y(i) = x(i) * x(i) + 1.0f }"
    )
    found = design(program, device, number, accel)
    assert found["DSPs"] == 4  # one multiplier a lane
    assert found["MEM16"] == 4 * (43 + 50)
    assert found["LUT5"] == 4 * (21 + 125)
    # a counter of 7 bits (64 needs 7) with 4 lanes: LUT3 7 + 4
    assert found["LUT3"] == 4 * (152 + 397) + 7 + 4


def test_delay_lines(program, device, number):
    # the index waits 2 + 8 cycles for the store: 32 bits * 10 = 320 >= 256 bits, so it is block RAM, one column
    accel = "val x = SRAM[Float](64); val y = SRAM[Float](64)\nForeach(64 by 1 par {p}) { i => y(i) = x(i) * 2.0f }"
    for p in (1, 4):
        blocks = design(program, device, number, accel.replace("{p}", str(p)))["BRAM"]
        # memories: p banks of each of x and y, one block each
        assert blocks == 2 * p + max(1, 32 * p // 40)


def test_short_delay_lines_are_registers(program, device, number):
    accel = "val x = SRAM[Int](64); val y = SRAM[Int](64)\nForeach(64 by 1) { i => y(i) = x(i) }"
    found = design(program, device, number, accel)
    assert found["Mregs"] == 32 * 2  # the index waits 2 cycles


@pytest.mark.parametrize(
    "width,words,expected", [(32, 512, 1), (32, 513, 2), (1, 16384, 1), (10, 2049, 2), (80, 512, 2)]
)
def test_blocks(device, number, width, words, expected):
    assert number(memories.blocks(width, algebra.lift(words), device)) == expected


def test_banks_along_one_and_two_dimensions(program, device, number):
    accel = """val m = SRAM[Int](16, 64); val r = SRAM[Int](16, 64)
    Foreach(16 by 1, 64 by 1 par 4) { (i, j) => r(i, j) = m(j, i) }"""
    built = program(accel)
    used = memories.accesses(built)
    by_name = {m.name: m for m in built.all_memories()}
    assert [number(b) for b in memories.banks_of(by_name["m"], used["m"])] == [4, 1]
    assert [number(b) for b in memories.banks_of(by_name["r"], used["r"])] == [1, 4]


def test_two_patterns_bank_diagonally(program, number):
    accel = """val m = SRAM[Int](12, 12); val r = SRAM[Int](12, 12)
    Foreach(12 by 1, 12 by 1 par 4) { (i, j) => r(i, j) = m(i, j) }
    Foreach(12 by 1, 12 by 1 par 6) { (i, j) => r(i, j) = m(j, i) }"""
    built = program(accel)
    (m,) = (m for m in built.all_memories() if m.name == "m")
    assert [number(b) for b in memories.banks_of(m, memories.accesses(built)["m"])] == [1, 12]


def test_metapipes_buffer_what_their_stages_pass_on(program, device, number):
    accel = """Foreach(8 by 1) { k =>
      val a = SRAM[Int](64); val b = SRAM[Int](64)
      Foreach(64 by 1) { i => a(i) = k }
      Foreach(64 by 1) { i => b(i) = a(i) * 2 }
      Foreach(64 by 1) { i => b(i) = a(i) + 2 }
    }"""
    built = program(accel)
    model = AreaModel(built, device)
    assert number(model.buffers["a"], pipeline_5=True) == 3  # written in stage 0, read in stages 1 and 2
    assert number(model.buffers["b"], pipeline_5=True) == 2
    assert number(model.buffers["a"], pipeline_5=False) == 1


def test_controllers_and_channels(program, device, number):
    host = "val a = DRAM[Int](64)"
    accel = """Sequential.Foreach(4 by 1) { k =>
      val x = SRAM[Int](64)
      x load a(0::64)
      a(0::64) store x
    }"""
    found = design(program, device, number, accel, host)
    assert found["Channels"] == 2
    # accel with one stage 7 + 40, the loop with two 14 + 40, a load 50, a store 91
    assert found["LUT4"] == 47 + 54 + 50 + 91


def test_placement_by_hand(device):
    area = Area({"LUT3": 1000, "LUT6": 500, "MEM16": 200, "Regs": 100, "BRAM": 10, "DSPs": 3})
    got = place(area, device)
    routing, lost = (
        max(0.0, sum(a * 1700 / (1700 + b) for a, b in c.saturating) + c.per_block * 10)
        for c in (device.placement.routing_luts, device.placement.unavailable_alms)
    )
    packed = (1000 + 200 + routing) / 2 + 50
    value = float(numpy_eval.evaluate(got["alms"], {}, 1).values[0])
    assert value == round(1700 + routing - packed + lost)
    assert float(numpy_eval.evaluate(got["dsps"], {}, 1).values[0]) == 3


def columns_of(kernel, n, seed=0):
    rng = np.random.default_rng(seed)
    return {p.name: np.array(p.domain)[rng.integers(len(p.domain), size=n)] for p in kernel.parameters}


TILES = frozenset({"block", "B", "BN", "tileSizeA", "tileSizeB", "bm", "bn", "bp", "ts", "rTileSize"})


@functools.cache
def kernel_of(name):
    path = SAMPLES / f"{name}.scala"
    return SpatialFrontend().parse(Source(path.name, path.read_text())).kernels[0]


@pytest.mark.parametrize("device_name", names())
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_estimates_are_finite_and_not_negative(name, device_name):
    kernel = kernel_of(name)
    model = costs(kernel.body_as(Program), load(device_name))
    columns = columns_of(kernel, 500)
    for what, e in model.values.items():
        found = numpy_eval.evaluate(e, columns, 500)
        assert found.defined is None or np.all(found.defined), what
        assert np.all(np.isfinite(found.values)) and np.all(np.asarray(found.values) >= 0), what


@pytest.mark.parametrize("device_name", names())
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_more_par_never_needs_less(name, device_name):
    """The next larger par factor: no resource but block RAM shrinks (more banks can pack into fewer blocks)."""
    kernel = kernel_of(name)
    raw = AreaModel(kernel.body_as(Program), load(device_name)).raw().area
    columns = columns_of(kernel, 300, seed=1)
    for p in kernel.parameters:
        if p.name in TILES or p.name.startswith("pipeline_"):
            continue
        domain = np.array(sorted(p.domain))
        places = np.searchsorted(domain, columns[p.name])
        more = {**columns, p.name: domain[np.minimum(places + 1, len(domain) - 1)]}
        for what in set(raw) - {"BRAM"}:
            less, many = (np.asarray(numpy_eval.evaluate(raw[what], c, 300).values, float) for c in (columns, more))
            assert np.all(many >= less), (p.name, what)


@pytest.mark.parametrize("name", PROGRAMS)
def test_alms_after_placement_do_not_fall_with_more_lanes(name):
    """Not by more than the placement is off in the median: fewer RAM blocks may need fewer wires."""
    kernel = kernel_of(name)
    model = costs(kernel.body_as(Program), load("stratix-v"))
    columns = columns_of(kernel, 2000, seed=2)
    for p in kernel.parameters:
        domain = np.array(sorted(p.domain))
        if domain.dtype == bool or p.name in TILES:
            continue
        places = np.searchsorted(domain, columns[p.name])
        more = {**columns, p.name: domain[np.minimum(places + 1, len(domain) - 1)]}
        less, many = (
            np.asarray(numpy_eval.evaluate(model.values["alms"], c, 2000).values, float) for c in (columns, more)
        )
        fits = np.asarray(numpy_eval.evaluate(model.fits, columns, 2000).values, bool)
        assert np.all((many >= 0.9975 * less) | ~fits), p.name


def test_the_parts_add_up():
    kernel = kernel_of("BlackScholes")
    model = costs(kernel.body_as(Program), load("stratix-v"))
    labels = [(part.label, part.depth) for part in model.timing]
    assert labels[:4] == [("startup", 0), ("accel", 0), ("foreach_73", 1), ("parallel_81", 2)]
    assert set(model.limits) == {"alms", "ffs", "dsps", "brams", "channels"}
    assert math.isclose(model.limits["channels"], 13)


@pytest.mark.parametrize("device_name", ["ecp5", "xc7", "cyclonev"])
def test_blocks_are_those_that_the_tool_chooses(device_name, number):
    """The expression over a depth that is a parameter agrees with the choice for numbers."""
    device, d = load(device_name), Name("d", INTEGER)
    shapes, price = device.memory.shapes, device.memory.row_blocks_per_bit
    for width in (8, 24, 36):
        e = memories.blocks(width, d, device)
        for depth in (1, 512, 1025, 4096, 20_000):
            assert number(e, d=depth) == choose(width, depth, shapes, price)[0]


def test_what_a_device_is_like(device):
    bare = replace(device, placement=None, lut_inputs=4)
    got = place(Area({"LUT3": 10, "LUT5": 3, "LUT6": 2, "LUT": 5, "MEM16": 7, "Regs": 4, "Mregs": 1, "BRAM": 2}), bare)
    value = {name: float(numpy_eval.evaluate(e, {}, 1).values[0]) for name, e in got.items()}
    assert value["luts"] == 10 + 3 * 2 + 2 * 4 + 5 + 7
    assert value["ffs"] == 5 and value["brams"] == 2 and "alms" not in value
    vu9p, xc7 = load("vu9p"), load("xc7")
    assert vu9p.area["flt_mul"] == xc7.area["flt_mul"] and vu9p.area["mux"] != xc7.area["mux"]
    assert vu9p.capacity["luts"] == 1_182_240 and vu9p.memory == xc7.memory


def test_unknown_and_broken_devices():
    with pytest.raises(ModelError, match="did you mean stratix-v"):
        load("stratix")
    with pytest.raises(ModelError, match="'latency' is missing"):
        read("name: x\n", "x")


@pytest.mark.parametrize("device_name", names())
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_bounds_over_boxes_contain_sampled_values(name, device_name):
    kernel = kernel_of(name)
    model = costs(kernel.body_as(Program), load(device_name))
    rng = np.random.default_rng(3)
    lo, hi, columns = {}, {}, {}
    for p in kernel.parameters:
        domain = np.sort(np.array(p.domain, dtype=float))
        places = np.sort(rng.integers(len(domain), size=(2, 200)), axis=0)
        lo[p.name], hi[p.name] = domain[places]
        inside = domain[rng.integers(places[0], places[1] + 1)]
        columns[p.name] = inside.astype(bool) if isinstance(p.domain[0], bool) else inside.astype(np.int64)
    wanted = [*model.values.values(), model.fits]
    for e, found in zip(wanted, IntervalExtension(wanted).bounds(lo, hi, 200)):
        values = np.asarray(numpy_eval.evaluate(e, columns, 200).values, dtype=float)
        assert np.all(values >= found.lo) and np.all(values <= found.hi)
