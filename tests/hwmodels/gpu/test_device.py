"""GPUs from YAML."""

from __future__ import annotations

import pytest

from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.gpu.device import architectures, load, names, read, read_architectures, resolve

TEXT = """\
name: g
description: a test
source: made up
architecture: "8.0"
sms: 10
clock_hz: 1e9
l2_byte: 1048576
l2_byte_per_clock: 512
dram_byte: 1073741824
dram_byte_per_s: 1e11
launch_ns: 2000
"""
ASKED = (
    *("k80", "v100", "t4", "2080-ti", "titan-rtx", "a100", "a4000", "a6000", "3090", "3060-laptop", "l40", "h100"),
    *("h200", "mi50", "mi250x", "w6600", "w7800"),
)


def test_every_device_and_every_architecture_can_be_read() -> None:
    devices = [load(name) for name in names()]
    assert set(ASKED) <= {device.name for device in devices} and {d.name for d in devices} == set(names())
    assert {device.architecture.name for device in devices} == set(architectures())
    assert all(device.source and device.architecture.source for device in devices)


# Peak TFLOP/s in single precision as the vendors publish them (a fused multiply-add is two), K80 and MI250X of one die;
# W7800 without dual issue, which doubles what its data sheet says.
@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("k80", 4.37),
        ("p100", 10.6),
        ("v100", 15.7),
        ("t4", 8.1),
        ("2080-ti", 13.4),
        ("titan-rtx", 16.3),
        ("a100", 19.5),
        ("a4000", 19.2),
        ("a6000", 38.7),
        ("3090", 35.6),
        ("l40", 90.5),
        ("h100", 66.9),
        ("h100-pcie", 51.2),
        ("h200", 66.9),
        ("mi50", 13.3),
        ("mi100", 23.1),
        ("mi250x", 23.95),
        ("w6600", 10.4),
        ("w7800", 22.6),
    ],
)
def test_lanes_and_clocks_give_the_published_peak(name: str, published: float) -> None:
    gpu = load(name)
    assert 2 * gpu.sms * gpu.architecture.lanes.fp32 * gpu.clock_hz == pytest.approx(published * 1e12, rel=0.01)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a100", "a100"),
        ("A100", "a100"),
        ("NVIDIA A100-SXM4-40GB", "a100"),
        ("NVIDIA A100 80GB PCIe", "a100-80gb"),
        ("2080ti", "2080-ti"),
        ("RTX 2080 Ti", "2080-ti"),
        ("NVIDIA GeForce RTX 2080 Ti", "2080-ti"),
        ("NVIDIA TITAN RTX", "titan-rtx"),
        ("Tesla V100-SXM2-16GB", "v100"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA GeForce RTX 3060 Laptop GPU", "3060-laptop"),
        ("AMD Instinct MI250X", "mi250x"),
        ("AMD Radeon PRO W6600", "w6600"),
        ("Tesla K80", "k80"),
        ("NVIDIA GeForce RTX 3090 Ti", None),
        ("NVIDIA TITAN V", None),
        ("a1000", None),
        ("L40S", None),
        ("", None),
        ("NVIDIA", None),
    ],
)
def test_names_as_people_and_drivers_write_them(written: str, meant: str | None) -> None:
    assert resolve(written) == meant


def test_an_unknown_name_is_told_its_neighbour() -> None:
    with pytest.raises(ModelError) as caught:
        load("a10O")
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.message.startswith("no GPU 'a10O'") and diagnostic.hint == "did you mean 'a100'?"


def test_what_compilers_are_told() -> None:
    assert [load(name).target for name in ("k80", "a100", "b200", "mi250x")] == ["sm_37", "sm_80", "sm_100", "gfx90a"]


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("sms: 10\n", "", "a GPU lacks `sms`", 1),
        ("sms: 10", "sms: ten", "this is an integer, 1 or more", 5),
        ("sms: 10", "sms: 0", "this is an integer, 1 or more", 5),
        ("1e9", "-1", "this is a positive number", 6),
        ('"8.0"', '"8.5"', "no architecture `8.5`", 4),
        ("l2_byte:", "l2:", "a GPU has no `l2`", 7),
        ("name: g", "name: [g]", "this is one text", 1),
    ],
)
def test_what_is_wrong_is_said_where_it_is(old: str, new: str, message: str, line: int) -> None:
    with pytest.raises(ModelError) as caught:
        read(TEXT.replace(old, new, 1), "g.yaml")
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.message == message and diagnostic.span is not None and diagnostic.span.line == line


@pytest.mark.parametrize("text", ["", "a: [", "- a", "a: &x 1", "9.9: {vendor: intel}"])
def test_hostile_text(text: str) -> None:
    with pytest.raises(ModelError):
        read(text, "g.yaml")
    if text:
        with pytest.raises(ModelError):
            read_architectures(text, "a.yaml")
