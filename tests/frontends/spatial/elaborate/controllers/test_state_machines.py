"""State machines and how often they run."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, controllers, parse
from tunepass.expr.printer import to_text


def test_equal_steps_to_a_constant_are_a_counter() -> None:
    (machine,) = controllers(app("val x = SRAM[Int](64)\nFSM(2)(i => i < 50) { i => x(i) = i } { i => i + 4 }"))
    (counter,) = machine.counters
    assert counter.stop is not None
    assert [to_text(e) for e in (counter.start, counter.stop, counter.step)] == ["2", "50", "4"]


def test_any_other_machine_runs_once_with_a_warning() -> None:
    parsed = parse(app("val x = SRAM[Int](64)\nFSM(0)(i => x(i) < 50) { i => x(i) = i } { i => i + 4 }"))
    assert [w.message for w in parsed.warnings] == ["how often this state machine runs is unknown; once is assumed"]
