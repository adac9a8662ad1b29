"""Device files of accelerators."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.hwmodels.accelerator.device import PACKAGE, load, names, read
from tunepass.hwmodels.accelerator.model import AcceleratorModel
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.device_reader import shipped_text
from tunepass.hwmodels.plugin_devices import family_of

TEXT = shipped_text(PACKAGE, "devices/accel-40nm.yaml")


def test_every_section_has_its_source() -> None:
    device = load("accel-40nm")
    sections = (device.multiplier, device.adder, device.logic, device.shifter, device.register, device.sram)
    assert names() == ("accel-40nm",) and all(section.source for section in (device, *sections))


def test_its_summary() -> None:
    summary = AcceleratorModel().summary("accel-40nm")
    assert (summary.family, round(summary.clock_hz or 0)) == ("accelerator", 166666667)
    assert family_of(TEXT) == "accelerator"


def test_an_unknown_device_has_a_near_name() -> None:
    with pytest.raises(ModelError) as raised:
        load("accel-45nm")
    assert raised.value.diagnostics[0].hint == "did you mean 'accel-40nm'?"


@pytest.mark.parametrize(
    ("written", "changed", "message"),
    [
        ("delay_ns: 1.75", "delay_ns: 6.5", "an addition has to fit the clock"),
        ("    1024:", "    128:", "the smallest first"),
        ("energy_pj: 8.63", "energy_pj: none", "positive number"),
        ("clock_ns: 6", "clock_mhz: 6", "has no `clock_mhz`"),
        ("[0.28, 0.33, 0.51, 0.94]", "[0.28, 0.33]", "one number for each of `words_byte`"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_at_its_place(written: str, changed: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as raised:
        read(Source("mine.yaml", TEXT.replace(written, changed)))
    assert raised.value.diagnostics[0].span is not None
