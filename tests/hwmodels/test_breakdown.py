"""Where cycles and resources go: the parts add up, in every sample and at several configurations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.examples import scaled
from tunepass.diagnostics import Source
from tunepass.expr import numpy_eval
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.fpga import breakdown
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.fpga.model import costs
from tunepass.ir.hardware import Program

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "spatial").glob("*.scala"))


def walk(parts):
    for part in parts:
        yield part
        yield from walk(part.inside)


@pytest.mark.parametrize("name", ["stratix-v", "ecp5", "vu9p"])
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.each_value
@pytest.mark.slow_but(3)
def test_parts_add_up_to_the_whole(path, name):
    (kernel,) = SpatialFrontend().parse(Source(path.name, path.read_text())).kernels
    device = load(name)
    model = costs(kernel.body_as(Program), device)
    rng = np.random.default_rng(5)
    for _ in range(scaled(4)):
        columns = {p.name: np.array([p.domain[int(rng.integers(len(p.domain)))]]) for p in kernel.parameters}
        parts = breakdown.cycles(model, columns)
        whole = float(numpy_eval.evaluate(model.values["cycles"], columns, 1).values[0])
        assert np.isclose(sum(part.values["cycles"] for part in parts), whole)
        for part in walk(parts):
            assert part.own["cycles"] >= -1e-9 * whole, part.label
        placed = breakdown.resources(model, device, columns)
        for name in [name for name in breakdown.RESOURCES if name in model.values]:
            whole = float(numpy_eval.evaluate(model.values[name], columns, 1).values[0])
            assert np.isclose(sum(part.values[name] for part in placed), whole)
        for part in walk(placed[:-1]):
            assert min(part.own.values()) >= -1e-6, part.label
        if device.placement is None:  # nothing is added but rounding
            assert all(abs(value) <= 1 for value in placed[-1].own.values())


def test_the_slowest_stage_of_a_pipeline_gets_its_turns(program):
    # stages of 134 and 19 cycles, 7 iterations: (7 - 1) * 134 + 134 + 19 + 1
    accel = """val x = SRAM[Int](1024); val y = SRAM[Int](1024)
    Foreach(7 by 1) { k =>
      Foreach(1000 by 1 par 8) { i => y(i) = x(i) * 3 }
      Foreach(10 by 1) { i => y(i) = x(i) * 3 }
    }"""
    from dataclasses import replace

    built = program(accel)
    device = replace(load("stratix-v"), body_stretch=1.0)
    model = costs(built, device)
    (toggle,) = [c.toggle for c in built.accel.walk() if c.toggle]
    for overlap, expected in ((1, [7 * 134, 19]), (0, [7 * 134, 7 * 19])):
        _, accel_part = breakdown.cycles(model, {toggle: np.array([overlap])})
        (loop,) = accel_part.inside
        assert [part.values["cycles"] for part in loop.inside] == expected
        assert loop.own["cycles"] == 1 and [part.values["times"] for part in loop.inside] == [7, 7]
