"""What `make bench-gpu-device` prints, without a GPU."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.benchmarks.bench_gpu_device import Row, facts, main, print_rows, spearman
from tunepass.evaluators.gpu_run.protocol import Device
from tunepass.hwmodels.gpu.device import load

A100 = Device(
    name="NVIDIA A100-SXM4-40GB",
    vendor="NVIDIA",
    version="CUDA driver 13.0",
    is_gpu=True,
    threads=1024,
    block=(1024, 1024, 64),
    grid=(2147483647, 65535, 65535),
    shared_byte=163 << 10,
    memory_byte=40 << 30,
    l2_byte=40 << 20,
    multiprocessors=108,
    clock_mhz=1410,
    memory_clock_mhz=1215,
    memory_bus_bit=5120,
    registers=65536,
    shared_per_multiprocessor_byte=164 << 10,
    threads_per_multiprocessor=2048,
    blocks_per_multiprocessor=32,
    warp=32,
)


def test_facts_of_a_driver_are_held_to_the_devices_yaml() -> None:
    gpu = load(A100.name)
    assert [fact.name for fact in facts(A100, gpu) if not fact.agrees] == []
    wrong = facts(replace(A100, multiprocessors=80), gpu)
    assert [fact.name for fact in wrong if not fact.agrees] == ["multiprocessors"]


def test_a_line_of_rows_says_what_came_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    times = [(1.0, 2.0), (2.0, 3.0), (4.0, 9.0)]
    rows = [Row("s.cu", {}, "measured", "", measured, estimated, {}) for measured, estimated in times]
    print_rows("s.cu", [*rows, Row("s.cu", {}, "timeout", "", None, 1.0, {})])
    line = capsys.readouterr().out
    assert "4 configurations: 3 measured, 1 timeout; ms: best 1, median 2" in line
    assert "Spearman 1.00, estimated / measured 1.89, its best tenth within 1.00" in line
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)


def test_where_there_is_no_such_device_it_says_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--device", "cuda:99"]) == 4
    assert "there is no device cuda:99; found: " in capsys.readouterr().err
