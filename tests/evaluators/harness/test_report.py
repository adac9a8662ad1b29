"""What a program may report, and what only a forger would."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from tunepass.evaluators.harness.dialogue.report import ArrayShape, ForgedReport, Report, read_cases, shapes
from tunepass.evaluators.measure.timing import Sample

ARRAYS = (ArrayShape("x", "f8", 2), ArrayShape("ready", "b1", 3))


def test_lines_of_a_harness_are_taken_in() -> None:
    report = Report()
    for line in (
        "array x f8 2",
        "array ready b1 3",
        "sample 1.5e-06 0 2.2e-05 0.000e+00",
        "refused 100",
        "refused 7",
        "error no memory",
    ):
        report.add(line)
    assert report.arrays == list(ARRAYS) and report.samples == [Sample(1.5e-06, 0, 2.2e-05, 0.0)]
    assert (report.error, report.refused_bytes) == ("no memory", 100)


@pytest.mark.parametrize(
    "line",
    [
        "sample nan 0 1e-5 0",
        "sample inf 0 1e-5 0",
        "sample 0 0 1e-5 0",
        "sample -1e-9 0 1e-5 0",
        "sample 1e-9 0 0 0",
        "sample 1e-9 -1 1e-5 0",
        "sample 1e-9 0 1e-5",
        "sample 1e-9 0 1e-5 0 0",
        "sample 1e300 0 1e-5 0",
        "array x f8 99999999999999999999",
        "array x f3 1",
        "array x O8 1",
        "fault out_of_bounds x 1 2 0",
        "fault out_of_bounds x one 2 8",
        "fault elsewhere",
        "refused many",
        "plan 1 2e-8",
        "error " + 600 * "x",
        "finished",
        "",
    ],
)
def test_a_line_out_of_form_or_bounds_is_forged(line: str) -> None:
    with pytest.raises(ForgedReport):
        Report().add(line)


@pytest.fixture
def file() -> Iterator[int]:
    made = os.memfd_create("results")
    yield made
    os.close(made)


def test_outputs_are_read_call_by_call(file: int) -> None:
    for k in range(2):
        os.write(file, np.array([k, 2.5]).tobytes() + np.array([True, False, k == 1]).tobytes())
    [(first, second)] = read_cases(file, [ARRAYS], 2)
    assert first[0].values.tolist() == [0, 2.5] and second[1].values.tolist() == [True, False, True]
    assert shapes(first) == ARRAYS


@pytest.mark.parametrize("size", [0, 18, 20, 8 << 30])
def test_results_of_another_size_are_forged(file: int, size: int) -> None:
    os.truncate(file, size)
    with pytest.raises(ForgedReport, match=f"{size} bytes of results where 19 are due"):
        read_cases(file, [ARRAYS], 1)
