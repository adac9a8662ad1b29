from __future__ import annotations

import pytest

from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.measure.output_comparison import numbers_differ, outputs_differ
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.study.objective import Objective

TIME = Objective("time", unit="ms")
TIMES = MetricPattern("time: {time} ms", TIME)
CLOSE = Tolerance(relative=1e-6, ulps=0)


def test_compared_numbers() -> None:
    total = [MetricPattern("sum {sum}", Objective("sum"))]
    assert numbers_differ("sum 2.0\n", "sum 2.000000001\n", total, CLOSE) is None
    assert numbers_differ("sum 2.0\n", "sum 2.1\n", total, CLOSE) == "sum: expected 2.0, got 2.1"
    assert "no finite number" in (numbers_differ("sum 2.0\n", "sum nan\n", total, CLOSE) or "")


@pytest.mark.parametrize(
    "got,problem",
    [
        ("a 1.0 and -2e3\ntime: 9 ms\n", None),
        ("a   1.0000001 and -2000\ntime: 9 ms\n\n", None),
        ("a 1.1 and -2e3\ntime: 9 ms\n", "line 1 of the output"),
        ("b 1.0 and -2e3\ntime: 9 ms\n", "line 1 of the output"),
        ("a 1.0 and -2e3\ntime: none\n", "line 2 of the output"),
        ("a 1.0 and -2e3\n", "has 1 lines, expected 2"),
        ("", "has 0 lines"),
    ],
)
def test_whole_outputs(got: str, problem: str | None) -> None:
    found = outputs_differ("a 1.0 and -2e3\ntime: 5 ms\n", got, [TIMES], CLOSE)
    assert (found is None) if problem is None else (problem in (found or ""))
