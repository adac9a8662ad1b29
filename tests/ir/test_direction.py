"""Whether more of a metric is better, by its name and its unit."""

from __future__ import annotations

import pytest

from tunepass.ir.direction import larger_is_better


@pytest.mark.parametrize(
    "name,unit",
    [
        ("speed", "MB/s"),
        ("rate", "iterations/s"),
        ("n", "ops/s"),
        ("x", "GFLOPS"),
        ("x", "GFLOP/s"),
        ("x", "fps"),
        ("throughput", ""),
        ("write_bandwidth", ""),
        ("gflops", ""),
        ("iterations_per_second", ""),
        ("requests_per_s", ""),
    ],
)
def test_throughput_is_maximised(name: str, unit: str) -> None:
    assert larger_is_better(name, unit) is True


@pytest.mark.parametrize(
    "name,unit", [("time", "ms"), ("cost", ""), ("frame", "ms/frame"), ("memory", "MB"), ("cycles", ""), ("rate", "%")]
)
def test_other_metrics_are_minimised(name: str, unit: str) -> None:
    assert larger_is_better(name, unit) is False


@pytest.mark.parametrize("name", ["rate", "score", "hit_rate", "miss_rate", "performance"])
def test_names_that_leave_it_open(name: str) -> None:
    assert larger_is_better(name, "") is None
