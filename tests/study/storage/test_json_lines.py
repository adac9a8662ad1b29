"""Studies and trials as JSON lines: round trips, and lines that are not what they say."""

from __future__ import annotations

import json

import pytest

from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.storage.checked import Damage
from tunepass.study.storage.json_lines import StoredTrial, StudyCells, lines, read
from tunepass.study.trial import Trial

STUDY = StudyCells("a.c::f@01", "{}", '[{"name":"time","unit":"ms","maximise":false}]', '{"flags":"-O2"}', "2026-01-01")
CONFIGURATION = Configuration({"TILE": 4, "OPT": "-O3 'ä'", "ratio": 0.5, "on": True, "order": (1, 0)})
TRIALS = [
    StoredTrial(STUDY.name, Trial(0, CONFIGURATION, outcome, {"compile": 0.5}, "log\n", 2.5, same_as, "code"), "today")
    for outcome, same_as in [
        (Measured({"time": 1.5}, (1.5, 2.0), censored=True), None),
        (Infeasible("fits"), 0),
        (Failed("compile", "error: \N{SNOWMAN}"), None),
        (Measured({"time": 1.5}, censored=True), None),
    ]
]


def test_they_read_as_they_were_written() -> None:
    text = "".join(lines([STUDY, *TRIALS]))
    assert text.startswith('{"kind":"store","version":1}\n{"kind":"study","name":"a.c::f@01"') and text.count("\n") == 6
    assert list(read(text)) == [STUDY, *TRIALS]


@pytest.mark.parametrize(
    "change,message",
    [
        ({"number": -1}, "number is -1"),
        ({"number": True}, "number is True"),
        ({"configuration": {"TILE": {}}}, "TILE of configuration is {}"),
        ({"configuration": []}, "not an object"),
        ({"outcome": "won"}, "outcome is 'won'"),
        ({"objectives": {"time": "fast"}}, "time of objectives is 'fast', not a number"),
        ({"objectives": {"time": 10**400}}, "not a finite number"),
        ({"samples": 3}, "samples is 3, not a list"),
        ({"seconds": {"compile": -1}}, "less than none"),
        ({"same_as": "0"}, "same_as is '0'"),
        ({"kind": "trail"}, "kind is 'trail'"),
        ({"kind": "store"}, "version is None"),
    ],
)
def test_a_line_that_does_not_fit_is_named(change: dict[str, object], message: str) -> None:
    line = json.dumps({**json.loads(list(lines(TRIALS[:1]))[1]), **change})
    (damage,) = read("\n" + line)
    assert isinstance(damage, Damage) and damage.message.startswith("line 2: ") and message in damage.message


@pytest.mark.parametrize("line", ["{", "[]", "3", '{"kind":NaN}', "[" * 100_000, '{"kind":' + "9" * 5000 + "}"])
def test_a_line_that_is_no_object_is_named(line: str) -> None:
    (damage,) = read(line)
    assert isinstance(damage, Damage) and damage.message.startswith("line 1: ")
