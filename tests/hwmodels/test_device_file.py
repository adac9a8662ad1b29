"""Devices that a user's file describes: what is read, and the places of what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.fpga import device_file

SHIPPED = {name: devices.shipped_text(name) for name in devices.names()}
SMALL = """\
name: board
like: ecp5
family: lattice
description: a small part
capacity: {source: data sheet, luts: 24000, ffs: 24000, dsps: 28, brams: 56}
"""


@pytest.mark.parametrize("name", list(SHIPPED))
@pytest.mark.slow_but(2)
def test_a_device_that_ships_is_a_file_as_well(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.yaml"
    path.write_text(SHIPPED[name])
    device = devices.load(str(path))
    assert device.digest and device.capacity == devices.load(name).capacity and device.area == devices.load(name).area


def test_a_file_states_what_differs_and_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "board.yml"
    path.write_text(SMALL)
    first = devices.load(str(path))
    assert first.capacity["luts"] == 24000 and first.area == devices.load("ecp5").area
    path.write_text(SMALL.replace("24000", "12000"))
    again = devices.load(str(path))
    assert again.capacity["luts"] == 12000 and again.digest != first.digest


WRONG = [
    ("like: ecp5", "like: epc5", "2:7: error: no device that ships is called so"),
    ("family:", "famly:", "3:1: error: a device has no `famly`"),
    ("luts: 24000", "luts: many", "5:38: error: `luts` is a number"),
    ("luts: 24000", "luts: -1", "5:38: error: `luts` is not negative"),
    ("dsps: 28", "dsps: [28]", "5:63: error: `dsps` is a number"),
    ("description: a small part", "clock_hz: 0", "4:11: error: `clock_hz` is positive"),
    ("description: a small part", "clock_hz: .inf", "4:11: error: `clock_hz` is a number"),
    ("description: a small part", "area: {fix_ad: {LUT: 1}}", "4:8: error: `area` has no `fix_ad`"),
    ("description: a small part", "area: {fix_add: {LUT: {point: [[1, 2]]}}}", "4:24: error: `LUT` has no `point`"),
    ("description: a small part", "area: {fix_add: {LUT: {points: []}}}", "4:32: error: `points` has a row at least"),
    (
        "description: a small part",
        "area: {fix_add: {LUT: {points: [[8, 2], [8, 3]]}}}",
        "4:41: error: the rows of `points` ascend",
    ),
    ("description: a small part", "area: {fix_add: {LUT: {points: [[8]]}}}", "4:33: error: a row of `points` has"),
    ("description: a small part", "description: &a x", "4:14: error: a device has no anchors"),
    ("description: a small part", "description: [a", "5:9: error: this is not YAML"),
]


@pytest.mark.parametrize("old,new,expected", WRONG, ids=[new for _, new, _ in WRONG])
def test_what_is_wrong_is_shown_at_its_place(old: str, new: str, expected: str) -> None:
    with pytest.raises(ModelError) as caught:
        device_file.check(Source("board.yaml", SMALL.replace(old, new)), SHIPPED)
    text = str(caught.value)
    assert text.startswith("board.yaml:") and expected in text and "^" in text, text


def test_what_is_no_device(tmp_path: Path) -> None:
    for text, expected in (("", "is empty"), ("- 1", "a device is a mapping"), ("name: x", "is missing")):
        path = tmp_path / "board.yaml"
        path.write_text(text)
        with pytest.raises(ModelError, match=expected):
            devices.load(str(path))
    with pytest.raises(ModelError, match="No such file"):
        devices.load(str(tmp_path / "other.yaml"))
    with pytest.raises(ModelError, match=re.escape("a file of your own ends in .yaml")):
        devices.load("nosuch")
