"""Toggles: one for each loop of the source, by its name there, and kept when it is switched off."""

from __future__ import annotations

import pytest

from tests.frontends.spatial.apps import app, controllers, parse
from tunepass.diagnostics import Source
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.frontends.spatial.parameters.toggles import sequential
from tunepass.ir.hardware import Program
from tunepass.ir.kernel import Choice, Kernel

TWICE = """val d = DRAM[Int](64); val x = SRAM[Int](8)
def fill(n: scala.Int, p: scala.Int) = { {HEAD}(n by 8 par p) { i => x load d(i::i+8)
  Foreach(8 by 1) { j => x(j) = j } } }
fill(64, 1)
fill(32, 2)"""


def emitted(kernel: Kernel, **values: bool | int) -> str:
    return SpatialFrontend().emit((kernel.scheduled(tuple(Choice(k, v) for k, v in values.items())),))[0].text


def kernel_of(text: str) -> Kernel:
    return SpatialFrontend().parse(Source("Twice.scala", text)).kernels[0]


def test_a_loop_of_a_function_that_is_inlined_twice_has_one_toggle() -> None:
    text = app(TWICE.replace("{HEAD}", "Foreach"))
    (kernel,) = parse(text).kernels
    assert [p.name for p in kernel.parameters] == ["pipeline_5"]
    outer = [c for c in controllers(text) if c.toggle is not None]
    assert [c.toggle for c in outer] == ["pipeline_5"] * 2
    labels = [c.label for c in kernel.body_as(Program).accel.walk()]
    assert len(set(labels)) == len(labels)


def test_a_loop_with_one_stage_here_and_two_there_follows_one_toggle() -> None:
    text = app("""val x = SRAM[Int](8)
def fill(both: Boolean) = { Foreach(8 by 1) { i => Foreach(8 by 1) { j => x(j) = j }
  if (both) { Foreach(8 by 1) { j => x(j) = i } } } }
fill(false)
fill(true)""")
    assert [(c.toggle, len(c.stages)) for c in controllers(text)] == [("pipeline_5", 1), ("pipeline_5", 2)]


@pytest.mark.parametrize(
    "head,name,off",
    [
        ("Foreach", "pipeline_5", "Sequential.Foreach"),
        ("'OUTER.Foreach", "pipeline_OUTER", "'OUTER.Sequential.Foreach"),
        ('Named("rows.a").Foreach', "pipeline_rows_a", 'Named("rows.a").Sequential.Foreach'),
        ("Pipe(ii = 2).Foreach", "pipeline_5", "Sequential.Foreach"),
    ],
)
def test_a_toggle_that_is_off_is_there_when_the_source_is_read_again(head: str, name: str, off: str) -> None:
    text = app(TWICE.replace("{HEAD}", head))
    (kernel,) = parse(text).kernels
    assert [(p.name, p.default) for p in kernel.parameters] == [(name, True)]
    switched = emitted(kernel, **{name: False})
    assert f"/* tunepass {name} was {head} */ {off}(" in switched
    again = kernel_of(switched)
    assert [(p.name, p.default) for p in again.parameters] == [(name, False)]
    assert emitted(again, **{name: False}) == switched and emitted(again, **{name: True}) == text
    before, after = ([(c.toggle, c.interval) for c in k.body_as(Program).accel.walk()] for k in (kernel, again))
    assert before == after


def test_a_loop_that_the_user_made_sequential_has_no_toggle() -> None:
    assert kernel_of(app(TWICE.replace("{HEAD}", "Sequential.Foreach"))).parameters == ()
    wrong = app(TWICE.replace("{HEAD}", "/* tunepass pipeline_5 was Reduce */ Sequential.Foreach"))
    assert kernel_of(wrong).parameters == ()


def test_the_styles_before_a_head_give_way_to_sequential() -> None:
    assert sequential("Pipe.II(2).Reduce[T]") == "Sequential.Reduce[T]"
    assert sequential("'A.Pipe(ii = 1).MemReduce") == "'A.Sequential.MemReduce"


def test_a_parameter_of_a_function_that_is_inlined_twice_is_one() -> None:
    accel = """val x = SRAM[Int](96)
def fill(k: Int) = { val p = 2 (1 -> 8); Foreach(96 by 1 par p) { i => x(i) = k } }
fill(1)
fill(2)"""
    (kernel,) = parse(app(accel)).kernels
    assert [p.name for p in kernel.parameters] == ["p"]
    assert "val p = 4 (1 -> 8)" in emitted(kernel, p=4)


def test_loops_of_one_name_keep_their_toggles_when_a_later_one_is_switched_off() -> None:
    """The mark of a loop that is off says `pipeline_L_2`, which no other loop is called then."""
    loop = "'L.Foreach(8 by 1) { i => Foreach(8 by 1) { j => x(j) = j }; Foreach(8 by 1) { j => x(j) = i } }\n"
    (kernel,) = parse(app("val x = SRAM[Int](8)\n" + 4 * loop)).kernels
    names = [p.name for p in kernel.parameters]
    assert names == ["pipeline_L", "pipeline_L_2", "pipeline_L_3", "pipeline_L_4"]
    for off in names:
        again = kernel_of(emitted(kernel, **{name: name != off for name in names}))
        assert [(p.name, p.default) for p in again.parameters] == [(name, name != off) for name in names]
        toggles = [c.toggle for c in again.body_as(Program).accel.walk() if c.toggle is not None]
        assert toggles == names
