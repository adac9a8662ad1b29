"""The calibration loop of programs without a harness."""

from __future__ import annotations

from tunepass.evaluators.measure.speed import machine_speed


def test_the_machine_has_a_speed() -> None:
    assert 1e2 < machine_speed() < 1e7
