"""The closed forms of cycles against the scheduler of the dependence graph."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from tests.hwmodels.accelerator.networks import network, values
from tunepass.hwmodels.accelerator.device import Process, load
from tunepass.hwmodels.accelerator.schedule import LayerShape, cycles, dependence_graph, schedule

SIZES, WIDTHS = (1, 2, 5, 7), (1, 2, 3, 4, 8)
GRID = list(product(SIZES, (1, 3, 8), (1, 4), WIDTHS, WIDTHS))  # inputs, hidden, outputs, lanes, banks


def slow_multiplier() -> Process:
    process = load("accel-40nm")
    return replace(process, multiplier=replace(process.multiplier, delay_ns=2.5 * process.clock_ns))


@pytest.mark.parametrize("process", [load("accel-40nm"), slow_multiplier()], ids=["chained", "pipelined"])
def test_cycles_are_those_of_the_schedule(process: Process) -> None:
    columns = dict(zip(("INPUTS", "HIDDEN", "OUTPUTS", "LANES", "BANKS"), zip(*GRID)))
    closed = values(network(), "cycles", process, **columns)
    depth = process.multiply_add_cycles
    for (i, h, o, lanes, banks), expected in zip(GRID, closed):
        layers = [
            LayerShape(inputs=i, outputs=h, lanes=lanes, banks=banks),
            LayerShape(inputs=h, outputs=o, lanes=lanes, banks=banks),
        ]
        assert cycles(layers, depth) == expected, (i, h, o, lanes, banks)


def test_a_schedule_keeps_dependences_and_units() -> None:
    nodes = dependence_graph([LayerShape(inputs=3, outputs=5, lanes=4, banks=3), LayerShape(inputs=5, outputs=2)])
    starts = schedule(nodes)
    assert all(starts[n] >= starts[p] + wait for n, node in enumerate(nodes) for p, wait in node.parents)
    used = [(node.unit, start) for node, start in zip(nodes, starts) if node.unit is not None]
    assert len(set(used)) == len(used) == 2 * (3 * 5 + 5 * 2)


def test_a_lane_and_a_bank_multiply_once_a_cycle() -> None:
    """6 products, then the last one's multiply-add and the output."""
    assert cycles([LayerShape(inputs=2, outputs=3)]) == 8
    assert cycles([LayerShape(inputs=2, outputs=3, lanes=3)]) == 8  # one bank gives one word a cycle
    assert cycles([LayerShape(inputs=2, outputs=3, lanes=3, banks=3)]) == 4
    assert cycles([LayerShape(inputs=2, outputs=3, lanes=3, banks=3)], 2) == 5


def test_a_multiply_add_of_two_delays_that_fit_the_clock_takes_a_cycle() -> None:
    assert load("accel-40nm").multiply_add_cycles == 1
    assert slow_multiplier().multiply_add_cycles == 4
