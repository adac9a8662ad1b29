"""Printed numbers are compared as precisely as they are printed; what varies or is measured is left out."""

from __future__ import annotations

import pytest

from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.measure.printed import expected_texts, number_is_right, printed_unit, texts_differ
from tunepass.ir.run import OutputCheck
from tunepass.study.objective import Objective

TIME = MetricPattern("{time}", Objective("time"))


@pytest.mark.parametrize("text,unit", [("12", 0), ("1.25", 0.01), ("-1.250e-3", 1e-6), ("3e4", 1e4), (".5", 0.1)])
def test_a_unit_of_the_last_place(text: str, unit: float) -> None:
    assert printed_unit(text) == pytest.approx(unit)


@pytest.mark.parametrize(
    "wanted,got,right",
    [
        ("0.25", "0.26", True),
        ("0.25", "0.27", False),
        ("-0.00", "0.00", True),
        ("123456.78", "123456.90", True),  # 1e-6 of it
        ("123456.78", "123457.00", False),
        ("7", "8", False),
        ("1000000000", "1000000001", False),
        ("3", "2.99999999", True),
        ("1.5", "1.49999", True),
        ("1.5", "1.43", False),
        ("nan", "-nan", True),
        ("nan", "0.1", False),
        ("inf", "inf", True),
        ("inf", "-inf", False),
        ("1.5", "nan", False),
    ],
)
def test_a_number_is_right_as_far_as_it_is_printed(wanted: str, got: str, right: bool) -> None:
    assert number_is_right(wanted, got, OutputCheck()) == right


def test_a_stated_tolerance_counts_for_whole_numbers_too() -> None:
    assert number_is_right("100", "101", OutputCheck(relative=0.01))
    assert number_is_right("1.000", "1.500", OutputCheck(relative=0, absolute=0.5))
    assert not number_is_right("1.000000", "1.00002", OutputCheck(relative=0))


def test_lines_that_vary_or_hold_the_metric_are_left_out() -> None:
    first = {"stdout": "pid 17\n0.125\n", "stderr": "begin A\n0.50 0.75\nend\n"}
    expected = expected_texts(first, {**first, "stdout": "pid 18\n0.125\n"}, (TIME,))
    assert (
        texts_differ(expected, {"stdout": "pid 99\n9.5\n", "stderr": "begin A\n0.50  0.75\nend"}, OutputCheck()) is None
    )
    assert [text.says_something for text in expected] == [False, True]
    wrong = {"stdout": "pid 1\n0.5\n", "stderr": "begin A\n0.50 0.95\nend\n"}
    assert texts_differ(expected, wrong, OutputCheck()) == "stderr, line 2, number 2: expected 0.75, got 0.95"


@pytest.mark.parametrize(
    "got,problem",
    [
        ("a 1\n", "stdout has 1 lines, expected 2"),
        ("a 1\nc 2\n", "stdout, line 2: expected 'b 2', got 'c 2'"),
        ("a 1\nb 2 3\n", "stdout, line 2: expected 'b 2', got 'b 2 3'"),
    ],
)
def test_text_and_the_number_of_lines_are_compared(got: str, problem: str) -> None:
    first = {"stdout": "a 1\nb 2\n"}
    assert texts_differ(expected_texts(first, first, ()), {"stdout": got}, OutputCheck()) == problem


def test_a_text_whose_length_varies_says_nothing() -> None:
    assert expected_texts({"stdout": "a\n"}, {"stdout": "a\na\n"}, ()) == ()
