"""Energy, power and area of small networks: by hand, by their units, and by how they move with the parameters."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from tests.hwmodels.accelerator.networks import NETWORK, network, priced, values
from tunepass.diagnostics import SourceError, SpaceError
from tunepass.expr import algebra as alg
from tunepass.expr.python_eval import evaluate
from tunepass.hwmodels.accelerator.device import load
from tunepass.hwmodels.accelerator.units import read_pj

RATED = NETWORK.replace("dialect(vitis)", "dialect(vitis) rate(1000000)")
BITS = (1, 2, 8, 16, 32)
FACTORS = (1, 2, 4, 8)


def value(name: str, text: str = NETWORK, **given: int) -> float:
    return float(values(network(text), name, **{key: [number] for key, number in given.items()})[0])


def test_energy_by_hand() -> None:
    """One product of 8 bits a layer, from banks that are as small as the file's smallest."""
    device = load("accel-40nm")
    product = device.multiplier.energy_pj * 8 * 8 / 32**2
    addition = device.adder.energy_pj * 21 / 32
    accesses = (8 + 2 * 20 + 20) * device.register.energy_pj + 0.28  # input; sum loaded, stored and cleared; weight
    relu = (device.adder.energy_pj + device.logic.energy_pj) * 20 / 32
    ends = (20 + 8 + 20 + 8) * device.register.energy_pj  # both sums are loaded and both outputs stored
    expected = 2 * (product + addition + accesses) + relu + ends
    assert value("energy", INPUTS=1, HIDDEN=1, OUTPUTS=1) == pytest.approx(expected * 1e-12, rel=1e-6)


def test_power_is_at_the_rate_that_is_asked_for() -> None:
    energy, leakage = value("energy", RATED), value("leakage", RATED)
    assert value("power", RATED) == pytest.approx(1000 * energy * 1e6 + leakage)
    assert value("power") == pytest.approx(1000 * energy / value("seconds") + leakage)


def test_a_design_that_is_slower_than_the_rate_does_not_fit() -> None:
    """1 us is 166 cycles: 9 inputs, 9 neurons and 9 outputs take 2 (81 + 2) on one lane."""
    rated = network(RATED)
    sizes = {"INPUTS": [9, 9], "HIDDEN": [9, 9], "OUTPUTS": [9, 8], "LANES": [1, 1]}
    assert list(values(rated, "cycles", **sizes)) == [166, 157]
    assert list(values(rated, "fits", **sizes)) == [True, True]
    faster = network(RATED.replace("1000000", "1010000"))
    assert list(values(faster, "fits", **sizes)) == [False, True]


@pytest.mark.parametrize("name", ["energy", "power", "leakage", "logic_area", "sram_byte"])
def test_more_bits_take_more(name: str) -> None:
    amounts = values(network(RATED), name, BITS=BITS, HIDDEN=[9] * 5)
    assert all(left < right for left, right in pairwise(amounts))


@pytest.mark.parametrize("name", ["cycles", "energy", "leakage", "logic_area", "sram_byte"])
@pytest.mark.parametrize("size", ["INPUTS", "HIDDEN", "OUTPUTS"])
def test_a_larger_network_takes_no_less(name: str, size: str) -> None:
    sizes = {"INPUTS": [9] * 9, "HIDDEN": [9] * 9, "OUTPUTS": [9] * 9, size: range(1, 10)}
    amounts = values(network(), name, **sizes)
    assert all(left <= right for left, right in pairwise(amounts)) and amounts[0] < amounts[-1]


def test_more_lanes_are_no_slower_and_leak_more() -> None:
    kernel = network(RATED)
    for banks in FACTORS:
        given = {"LANES": FACTORS, "BANKS": [banks] * 4, "HIDDEN": [8] * 4}
        assert all(left >= right for left, right in pairwise(values(kernel, "cycles", **given)))
        assert all(left < right for left, right in pairwise(values(kernel, "leakage", **given)))
        assert all(left < right for left, right in pairwise(values(kernel, "logic_area", **given)))


def test_units_are_consistent() -> None:
    costs = priced(network())
    assert set(costs.units) == set(costs.values)
    assert (costs.units["seconds"], costs.units["energy"], costs.units["power"]) == ("s", "J", "mW")
    assert value("seconds") == pytest.approx(value("cycles") * 6e-9)


def test_reads_are_those_of_the_file_and_straight_lines_over_the_logarithm() -> None:
    sram = load("accel-40nm").sram
    sizes = np.array([100, 256, 700, 4096, 5000, 131072])
    for column, bits in enumerate((8, 16, 32, 64)):
        known = [(np.log2(size), row[column]) for size, row in sram.read_pj]
        expected = np.interp(np.log2(sizes), *zip(*known))
        found = [evaluate(read_pj(sram, alg.lift(int(size)), bits), {}) for size in sizes]
        assert found == pytest.approx(expected)
    assert evaluate(read_pj(sram, alg.lift(256), 2), {}) == pytest.approx(0.28 / 4)  # four share a word of 8 bits
    assert evaluate(read_pj(sram, alg.lift(256), 12), {}) == pytest.approx(0.305)


def test_a_bank_beyond_the_file_is_an_extrapolation() -> None:
    large = NETWORK.replace("INPUTS: integer(1..9)", "INPUTS: integer(1..99999)")
    assert value("within_fit", large) == 1 and value("within_fit", large, INPUTS=99999) == 0


REFUSED = {
    "holds more than a sum of products": ("w1[o][i] * x[i]", "w1[o][i] * x[i] + 1"),
    "not one of `w[o][i]` and `x[i]`": ("w1[o][i] * x[i]", "w1[o][0] * x[i]"),
    "lanes are copies of the loop over outputs": ("sum += w1", "\n#pragma HLS unroll factor=2\n sum += w1"),
    "pipeline the loop over inputs": ("factor=LANES\n", "factor=LANES\n#pragma HLS pipeline\n"),
    "starts an iteration a cycle": ("sum += w1", "\n#pragma HLS pipeline II=2\n sum += w1"),
    "iterations of `i` is not known": ("i < INPUTS", "i < o"),
    "products are not summed in a scalar": ("sum += w1[o][i] * x[i];", "h[o] = h[o] + w1[o][i] * x[i];"),
    "weights are read in a layer's product alone": ("y[o] = sum;", "y[o] = sum + w1[0][0];"),
    "limits on operators": (
        "number h[HIDDEN];",
        "number h[HIDDEN];\n#pragma HLS allocation operation instances=mul limit=1",
    ),
    "prices one launch": ("dialect(vitis)", "dialect(vitis) launches(10)"),
    "all lanes use `h`": ("#pragma HLS array_partition variable=h complete\n", ""),
    "banks of `w1` are cyclic": ("variable=w1 cyclic", "variable=w1 block"),
    "has not one loop in it": ("h[o] = sum > 0 ? sum : 0;", "for (int k = 0; k < 3; k++) h[o] = sum;"),
    "two layers read the same weights": ("w2[o][i]", "w1[o][i]"),
    "no numbers for `fix_div`": ("h[o] = sum > 0 ? sum : 0", "h[o] = sum / x[0]"),
    "has numbers for one clock": ("dialect(vitis)", "dialect(vitis) clock(300)"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_no_network_of_layers_is_refused_at_its_place(message: str) -> None:
    written, changed = REFUSED[message]
    assert written in NETWORK
    with pytest.raises((SourceError, SpaceError), match=re.escape(message)) as raised:
        priced(network(NETWORK.replace(written, changed)))
    assert raised.value.diagnostics[0].span is not None


def test_the_loop_over_inputs_may_be_pipelined() -> None:
    text = NETWORK.replace("sum += w1", "\n#pragma HLS pipeline II=1\n sum += w1")
    assert text != NETWORK and value("cycles", text) == value("cycles")


def test_numbers_that_the_design_knows_need_no_units() -> None:
    shifted = NETWORK.replace("sum > 0 ? sum : 0", "(sum > 0 ? sum : 0) >> (BITS == 8 ? BITS - 3 : 1 << (BITS - 1))")
    assert shifted != NETWORK and value("energy", shifted) == pytest.approx(value("energy"), rel=0.02)
    by_data = NETWORK.replace("sum > 0 ? sum : 0", "(sum > 0 ? sum : 0) >> x[0]")
    assert value("energy", by_data) > 1.02 * value("energy")


def test_the_clock_of_the_device_may_be_stated() -> None:
    assert value("cycles", NETWORK.replace("dialect(vitis)", "dialect(vitis) clock(166.7)")) == value("cycles")
