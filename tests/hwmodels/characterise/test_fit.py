"""A device is fitted to recorded counts, and its file gives back what was fitted."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.characterise import check, plan, write
from tunepass.hwmodels.characterise.fit import choose, fit, least_squares, row_price
from tunepass.hwmodels.characterise.verilog import Template
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.fpga.curves import Steps
from tunepass.jobs import characterise as characterising

RECORDED = Path(__file__).with_name("ecp5_counts.txt")
SHAPES = ((36, 512, 1), (18, 1024, 1), (9, 2048, 1))


@pytest.fixture(scope="module")
def counts():
    named = {}
    for line in RECORDED.read_text().splitlines()[1:]:
        name, *numbers = line.split()
        named[name] = dict(zip(check.RESOURCES, map(float, numbers)))
    return {t: named[t.name] for t in (*plan.fitted(), *plan.held_back())}


def test_nothing_that_is_held_back_is_fitted():
    assert not set(plan.fitted()) & set(plan.held_back())
    assert len(plan.held_back()) >= 60


def test_the_device_that_ships_is_what_the_counts_give(counts):
    text, errors = characterising.characterise("ecp5", counts, "Yosys 0.70")
    assert text == devices.text_of("ecp5")
    assert errors["all", "LUT"].mean <= 0.06 and errors["all", "Regs"].mean <= 0.03
    assert errors["all", "DSPs"].exact >= 0.95 and errors["all", "BRAM"].exact >= 0.95


def test_a_batch_does_not_depend_on_who_asks_for_it():
    whole = plan.batches((*plan.held_back(), *reversed(plan.fitted())))
    assert whole == plan.batches((*plan.fitted(), *plan.held_back()))
    held = plan.batches(reversed(plan.held_back()))
    assert held == whole[-len(held) :]
    other = Template.of("fix_add", w=7)
    assert plan.batches((other, *plan.fitted()[:2])) == [plan.fitted()[:2], (other,)]


def test_least_squares_are_exact():
    rows, weights = (
        [(1.0, x, x * x) for x in (1.0, 2.0, 5.0, 9.0)],
        [Fraction(1), Fraction(1, 3), Fraction(2), Fraction(1)],
    )
    assert least_squares(rows, [3 + 0.5 * x - 2 * x * x for _, x, _ in rows], weights) == [3, Fraction(1, 2), -2]
    noisy = [4.0, 9.0, 1.0, 7.0]
    scale = np.sqrt([float(w) ** 2 for w in weights])
    expected = np.linalg.lstsq(np.array(rows) * scale[:, None], np.array(noisy) * scale, rcond=None)[0]
    assert np.allclose([float(c) for c in least_squares(rows, noisy, weights)], expected)
    assert least_squares([(1.0, 0.0), (1.0, 0.0)], [2.0, 4.0], [Fraction(1)] * 2) == [3, 0]


@pytest.mark.parametrize("name", ["ecp5", "xc7", "cyclonev"])
def test_what_is_asked_of_every_characterised_device(name):
    """The figures that `tunepass characterize --check` prints, as they stand in the file."""
    text = devices.text_of(name)
    found = dict(re.findall(r"^  (\w+): \{mean: ([\d.]+, exact: [\d.]+)\}", text, re.M))
    mean, exact = ({r: float(f.split(", exact: ")[i]) for r, f in found.items()} for i in (0, 1))
    assert mean["LUT"] <= 0.06 and mean["Regs"] <= 0.03
    assert exact["DSPs"] >= 0.95 and exact["BRAM"] >= 0.95


def test_lines_keep_their_ends_only():
    linear = {Template.of("mux", w=w): {"LUT": w, "Regs": w, "DSPs": 0, "BRAM": 0} for w in (8, 16, 32)}
    assert fit(linear, SHAPES).area["mux"]["LUT"].points == ((8, 8), (32, 32))


def test_blocks_between_two_widths_are_those_of_the_wider():
    known = {8: 1, 9: 1, 18: 3, 20: 3, 36: 4}
    made = {Template.of("fix_mul", w=w): {"LUT": 0, "Regs": w, "DSPs": n, "BRAM": 0} for w, n in known.items()}
    table = fit(made, SHAPES).area["fix_mul"]
    assert table["DSPs"] == Steps(((9, 1), (20, 3), (36, 4)))
    assert "LUT" not in table
    assert [table["DSPs"].at(w) for w in (4, 9, 10, 36, 72)] == [1, 1, 3, 4, 16]


def test_more_ways_never_need_less():
    made = {}
    for n, bit in ((2, 1), (3, 4), (4, 3)):  # a tool's odd choice at four
        for w in (8, 32):
            made[Template.of("select", w=w, n=n)] = {"LUT": bit * w, "Regs": w, "DSPs": 0, "BRAM": 0}
    rows = fit(made, SHAPES).templates["select"]["LUT"].rows
    assert rows == ((2, 0, 1), (3, 0, 4), (4, 0, 4))


def test_the_price_of_rows():
    # 1,500 words of 32 bits: three rows of one block, or four columns of one: the dearer rows are, the more columns
    assert choose(32, 1500, SHAPES, 0.0) == (3, 3)
    assert choose(32, 1500, SHAPES, 1.0) == (4, 1)
    seen = {(32, 1500): (4, 0), (36, 1500): (4, 0), (8, 1500): (1, 0)}
    assert row_price(seen, SHAPES) > 1 / 32
    assert row_price({(32, 1500): (3, 70)}, SHAPES) < 1 / 32


def test_only_some_devices_are_characterised():
    with pytest.raises(ModelError, match="not one that is characterised"):
        characterising.characterise("stratix-v")
    with pytest.raises(ModelError, match="not one that is characterised"):
        write.head("name: x\n", "x")
