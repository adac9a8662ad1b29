"""Patterns are literal text around one {name}."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import SourceError
from tunepass.evaluators.measure.metrics import JsonNumber, MetricPattern
from tunepass.study.objective import Objective

TIME = Objective("time", unit="ms")


@pytest.mark.parametrize(
    "pattern,output,value",
    [
        ("time: {time} ms", "time: 12.5 ms\n", 12.5),
        ("time: {time} ms", "time:   3e-2\tms", 0.03),
        ("time: {time} ms", "time: 1 ms\ntime: 2 ms", 2.0),
        ("{time}", "-7", -7.0),
        ("[{time}]", "(1) [2]", 2.0),
        ("a.c {time}", "abc 1", None),
        ("time: {time} ms", "time: nan ms", None),
        ("time: {time} ms", "time: inf ms", None),
        ("time: {time} ms", "time: fast ms", None),
        ("time: {time} ms", "", None),
    ],
)
def test_find(pattern: str, output: str, value: float | None) -> None:
    assert MetricPattern(pattern, TIME).find(output) == value


@pytest.mark.parametrize("pattern", ["no hole", "{a} and {b}"])
def test_a_pattern_without_exactly_one_hole_is_refused(pattern: str) -> None:
    with pytest.raises(SourceError, match="a metric pattern holds one"):
        MetricPattern(pattern, TIME)


@pytest.mark.parametrize(
    "output,found",
    [
        ('{"runs": [{"ms": 1.5}, {"ms": 2}]}', 2.0),
        ('warming up\n{"runs": [1, {"ms": 3}]}\ndone\n', 3.0),
        ('{"runs": [{"ms": 1.5}]}', None),
        ('{"runs": [0, {"ms": "2"}]}', None),
        ('{"runs": [0, {"ms": true}]}', None),
        ('{"runs": [0, {"ms": NaN}]}', None),
        ('{"runs": [0, {"ms": 1e999}]}', None),
        ('{"runs": {"1": {"ms": 4}}}', 4.0),
        ("[" * 100_000, None),
        ("", None),
    ],
)
def test_numbers_in_json(output: str, found: float | None) -> None:
    assert JsonNumber("runs.1.ms", TIME).find(output) == found
