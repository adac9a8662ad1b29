"""Programs of a round that are timed together."""

from __future__ import annotations

import pytest

from tunepass.evaluators.harness.dialogue.witness import Witness
from tunepass.evaluators.harness.together import Slices, _values
from tunepass.evaluators.measure.timing import Sample
from tunepass.study.outcome import Failed


@pytest.mark.parametrize(
    ("call_s", "slices"),
    [
        (1e-6, Slices(8, 40)),
        (1.5e-3, Slices(8, 7)),
        (0.015, Slices(4, 1)),
        (0.03, Slices(2, 1)),
        (5.0, Slices(2, 1)),
    ],
)
def test_long_calls_make_few_slices(call_s: float, slices: Slices) -> None:
    assert Slices.of(call_s, 0.08) == slices


def test_who_works_while_others_are_measured_has_all_of_them_measured_alone() -> None:
    samples = [[Sample(1e-3, 0, 1e-5)] * 3] * 2
    failed = Failed("crash", "")
    assert _values([(samples, Witness(())), failed]) == [pytest.approx(1e-3), failed]
    assert _values([(samples, Witness(())), failed, (samples, Witness((), restless=True))]) == [None, failed, None]
