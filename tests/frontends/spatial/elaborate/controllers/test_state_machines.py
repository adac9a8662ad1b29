"""State machines and how often they run."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, controllers, parse
from tunepass.expr.printer import to_text


def test_equal_steps_to_a_constant_are_a_counter() -> None:
    (machine,) = controllers(app("val x = SRAM[Int](64)\nFSM(2)(i => i < 50) { i => x(i) = i } { i => i + 4 }"))
    (counter,) = machine.counters
    assert counter.stop is not None
    assert [to_text(e) for e in (counter.start, counter.stop, counter.step)] == ["2", "50", "4"]


def test_the_steps_of_any_other_machine_are_open() -> None:
    text = app("val x = SRAM[Int](64)\nFSM(0)(i => x(i) < 50) { i => x(i) = i } { i => mux(x(i) == 0, 1, i + 4) }")
    assert [w.message for w in parse(text).warnings] == ["`steps_5` is not known here; times assume 64"]
    (machine,) = controllers(text)
    assert [to_text(c.stop) for c in machine.counters if c.stop is not None] == ["64"]


def test_a_machine_without_an_initial_value_starts_at_zero() -> None:
    accel = "val x = SRAM[Int](64)\nFSM[Int](i => i < 50) { i => x(i) = i } { i => i + 5 }"
    (machine,) = controllers(app(accel))
    (counter,) = machine.counters
    assert counter.stop is not None
    assert [to_text(e) for e in (counter.start, counter.stop, counter.step)] == ["0", "50", "5"]
