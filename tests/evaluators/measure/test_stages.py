"""Seconds by stage."""

from __future__ import annotations

import time

import pytest

from tunepass.evaluators.measure.stages import measuring, spent
from tunepass.study.outcome import Failed, Measured


def test_an_inner_stage_is_not_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 3.0, 10.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    seconds: dict[str, float] = {}
    with spent(seconds, "compile"), spent(seconds, "apply"):
        pass
    assert seconds == {"apply": 2.0, "compile": 8.0}


def test_a_measurement_that_was_cut_was_a_probe() -> None:
    assert measuring(Measured({"time": 1.0})) == "measure" == measuring(Failed("crash"))
    assert measuring(Measured({"time": 1.0}, censored=True)) == "probe"
