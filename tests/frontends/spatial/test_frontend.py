"""Whole files, and apps by name."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import FILE, app, parse, program
from tunepass.diagnostics import Severity, Source, SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.base import Frontend
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.ir.hardware import INT, Controller, Fixed, Program, Schedule, Struct
from tunepass.ir.kernel import Choice
from tunepass.testing.frontend import FrontendContract


def test_a_whole_file() -> None:
    parsed = parse(FILE)
    (kernel,) = parsed.kernels
    assert kernel.name == "Filter"
    sizes = {"par_load": 5, "tile": 1001, "pipeline_ROWS": 2, "pipeline_46": 2}
    assert {p.name: p.size for p in kernel.parameters} == sizes
    memories = {m.name: m for m in kernel.body_as(Program).all_memories()}
    assert memories["line"].element == Fixed(True, 24, 8)
    assert memories["best"].element == Struct((("_1", INT), ("_2", Fixed(True, 24, 8))))
    assert to_text(memories["idle"].dims[0]) == "tile"
    assert not parsed.warnings


def test_the_controllers_of_a_whole_file() -> None:
    accel = program(FILE).accel
    kinds = [(s.kind, s.schedule) if isinstance(s, Controller) else (s.kind, None) for s in accel.stages]
    assert kinds[:4] == [
        ("foreach", Schedule.PIPELINED),
        ("gather", None),
        ("foreach", Schedule.INNER),
        ("foreach", Schedule.INNER),
    ]
    assert ("fsm", Schedule.INNER) in kinds and ("reduce", Schedule.INNER) in kinds


def test_trip_counts_come_from_bounds() -> None:
    rows = next(iter(program(FILE).accel.stages))
    assert isinstance(rows, Controller)
    assert rows.counters[0].stop is not None and to_text(rows.counters[0].stop) == "480"


def test_several_apps_and_one_by_name() -> None:
    text = app("val x = Reg[Int](0)\nx := 1") + "\n" + app("val y = Reg[Float](0)\ny := 1").replace("App", "Other")
    assert [k.name for k in parse(text).kernels] == ["App", "Other"]
    assert [k.name for k in parse(text, only="Other").kernels] == ["Other"]


def test_an_app_that_cannot_be_read_or_tuned_does_not_stop_the_others() -> None:
    loop = "val x = SRAM[Int](96)\nForeach(96 by 1 par p) { i => x(i) = i }"
    good = app(loop, "val p = 1 (1 -> 4)")
    bad = app("Foreach(4 by 1) { (i, j) => i }").replace("App", "Bad")
    still = app("val y = Reg[Int](0)\ny := 1").replace("App", "Still")
    parsed = parse("\n".join((bad, good, still)))
    assert [k.name for k in parsed.kernels] == ["App"]
    assert [(w.severity, w.message) for w in parsed.warnings] == [
        (Severity.WARNING, "app `Bad` is left out: `Foreach` has 1 counter and 2 iterators"),
        (Severity.WARNING, "app `Still` is left out: there is nothing to tune, no parameter is declared"),
    ]
    assert [k.name for k in parse("\n".join((bad, good, still)), only="Still").kernels] == ["Still"]
    with pytest.raises(SourceError, match="1 counter and 2 iterators"):
        parse("\n".join((bad, good)), only="Bad")
    with pytest.raises(SourceError) as caught:
        parse("\n".join((bad, bad.replace("Bad", "Worse"))))
    assert len(caught.value.diagnostics) == 2


def test_a_parameter_that_nothing_depends_on_is_left_as_it_is() -> None:
    text = app(
        "val x = SRAM[Int](96)\nForeach(96 by 1 par p) { i => x(i) = i }", "val p = 1 (1 -> 4)\nval q = 1 (1 -> 4)"
    )
    parsed = parse(text)
    assert [p.name for p in parsed.kernels[0].parameters] == ["p"]
    assert [w.message for w in parsed.warnings] == ["nothing that is priced depends on `q`; it stays as it is"]
    chosen = parsed.kernels[0].scheduled((Choice("p", 3),))
    assert SpatialFrontend().emit((chosen,))[0].text == text.replace("val p = 1", "val p = 3")


class TestContract(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return SpatialFrontend()

    @pytest.fixture
    def source(self) -> Source:
        accel = "val x = SRAM[Int](96)\nForeach(96 by 1 par p) { i => x(i) = i }\n"
        return Source("App.scala", app(accel, "val p = 2 (1 -> 8)") + "\n")
