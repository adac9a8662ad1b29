"""Patterns are literal text around one {name}."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import SourceError
from tunepass.evaluators.measure.metrics import JsonNumber, MetricPattern, Usage
from tunepass.evaluators.process.run import Completed
from tunepass.ir.run import Matches
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


@pytest.mark.parametrize("matches,value", [("last", 2.0), ("sum", 6.0), ("mean", 2.0), ("min", 1.0), ("max", 3.0)])
def test_every_match_counts_where_it_is_said(matches: Matches, value: float) -> None:
    assert MetricPattern("t: {t}", TIME, matches).find("t: 1\nt: 3\nt: 2\n") == value
    assert JsonNumber("runs.*.t", TIME, matches).find('{"runs": [{"t": 1}, {"t": 3}, {"t": 2}]}') == value
    assert MetricPattern("t: {t}", TIME, matches).find("t: nan\nt: 2\n") == (2.0 if matches == "last" else None)


def test_what_a_run_takes() -> None:
    done = Completed(ended="exit", returncode=0, seconds=2.0, cpu_s=0.5, peak_bytes=3 << 20)
    assert [Usage(measure, TIME).of(done) for measure in ("wall", "cpu", "memory")] == [2000.0, 500.0, 3.0]
