from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
from rich.console import Console

from tunepass.reports.progress import PlainDisplay, clock_text, open_display, panel
from tunepass.study.trust import Trust


@dataclass(frozen=True)
class Shown:
    phase: str = "search"
    evaluations: int = 3
    max_evals: int | None = None
    elapsed_s: float = 1.0
    budget_s: float | None = 60.0
    best_value: float | None = 98.3
    unit: str = "ms"
    gain: float | None = 4.19
    improved: bool = True
    best_text: str = "TILE=64, NAME=[bold]"
    failures: Mapping[str, int] = field(default_factory=dict)
    trust: Trust | None = None
    note: str = ""


def test_plain_lines_say_what_changed() -> None:
    stream = io.StringIO()
    with PlainDisplay(stream, "matmul") as display:
        display(Shown())
        display(Shown(improved=False))  # nothing new: no line
        display(Shown(improved=False, failures={"compile": 1}))
        display(Shown(improved=False, failures={"compile": 2}))
        display(Shown(improved=False, failures={"compile": 2}, elapsed_s=30))  # still alive
    assert stream.getvalue().splitlines() == [
        "matmul * 3 evaluated; best 98.3 ms, 4.19x the default; 0:59 left",
        "matmul   3 evaluated; best 98.3 ms, 4.19x the default; failed: 1 compile; 0:59 left",
        "matmul   3 evaluated; best 98.3 ms, 4.19x the default; failed: 2 compile; 0:30 left",
    ]


def test_a_note_is_said_at_once() -> None:
    for terminal in (False, True):
        stream = io.StringIO()
        with open_display(stream, "matmul", terminal=terminal) as display:
            display(Shown())
            display(Shown(improved=False, note="waiting for [a] core"))
        assert stream.getvalue().splitlines()[-1] == "matmul   waiting for [a] core"


def test_the_panel_takes_text_as_text() -> None:
    stream = io.StringIO()
    Console(file=stream, width=100).print(panel("matmul", Shown(failures={"timeout": 2})))
    text = stream.getvalue()
    assert "[bold]" in text and "2 timeout" in text and "4.19x the default" in text


def test_the_live_display_leaves_no_residue() -> None:
    stream = io.StringIO()
    with open_display(stream, "matmul", terminal=True) as display:
        display(Shown())
        display(replace(Shown(), best_value=None, gain=None, budget_s=None, max_evals=7))
    assert stream.getvalue() == ""


@pytest.mark.parametrize("seconds,text", [(0, "0:00"), (59.4, "0:59"), (59.6, "1:00"), (3600, "1:00:00")])
def test_clock(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text


def test_the_worth_of_a_prior_is_shown_while_it_is_measured() -> None:
    stream = io.StringIO()
    with PlainDisplay(stream, "matmul") as display:
        display(Shown(trust=Trust(0.875, 0.5, 12)))
        display(Shown(trust=Trust(0.0, None, 1)))
    first, second = stream.getvalue().splitlines()
    assert "prior agrees 0.88, weight 0.50" in first and "prior" not in second
