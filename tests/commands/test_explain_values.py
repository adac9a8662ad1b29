"""How `explain` shows the value of a trial."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tunepass.commands.explain import _value
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.trial import Trial

PAST = SimpleNamespace(job=SimpleNamespace(objective=Objective("time", unit="ms")))


@pytest.mark.parametrize(
    "outcome,shown",
    [
        (Measured({"time": 2.5}, (2.5,)), "2.5 ms"),
        (Measured({"time": 2.5}, (2.5,), censored=True), "2.5 ms cut short"),
        (Measured({"time": 2.5}, censored=True), "at least 2.5 ms cut short"),
        (Failed("crash"), "crash"),
    ],
)
def test_values(outcome: Outcome, shown: str) -> None:
    assert _value(PAST, Trial(1, Configuration({}), outcome)) == shown  # type: ignore[arg-type]
