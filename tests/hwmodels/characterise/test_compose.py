"""The templates that a design point is made of."""

from __future__ import annotations

from tunepass.backends.base import Target
from tunepass.hwmodels.characterise.check import estimate
from tunepass.hwmodels.characterise.compose import Composition
from tunepass.hwmodels.characterise.verilog import Template
from tunepass.hwmodels.fpga.device import load
from tunepass.jobs.characterise import compare_point
from tunepass.jobs.estimates import estimator_of

ACCEL = """Foreach(64 by 16 par 2) { k =>
  val x = SRAM[Int](96); val y = SRAM[Int](96)
  Foreach(96 by 1 par {p}) { i => x(i) = i + k }
  Foreach(96 by 1 par {p}) { i => y(i) = x(i) * x(i) }
}"""


def test_copies_by_hand(program):
    made = Composition(program(ACCEL.replace("{p}", "4")), load("ecp5"), {"pipeline_5": True})
    copies = made.templates()
    assert copies[Template.of("fix_add", w=32)] == copies[Template.of("fix_mul", w=32)] == 2 * 4
    assert copies[Template.of("counter", w=7, n=2)] == 1  # the outer loop's, over 64
    assert copies[Template.of("counter", w=7, n=4)] == 2 * 2  # both inner ones over 96, in both lanes
    assert copies[Template.of("pipelined", n=2)] == 1
    assert copies[Template.of("buffered", w=32, d=24, n=2)] == 2 * 4  # x: four banks, one copy for each stage
    assert copies[Template.of("sram", w=32, d=24)] == 2 * 4  # y


def test_a_point_is_compared_template_by_template():
    model, _ = estimator_of("samples/spatial/BlackScholes.scala", None, Target(device="ecp5", restrict=False))
    asked = []

    def run(templates, target):
        asked.append(target)
        return {t: estimate(t, load(model.device)) for t in templates}

    design = compare_point(model, model.default, run)
    assert asked == ["ecp5"]
    assert {p.template.family for p in design.parts} >= {"flt_add", "flt_mul", "flt_div", "counter", "sequential"}
    assert {"delay lines", "flt_exp"} <= set(design.left_out)
    for resource in ("LUT", "Regs", "DSPs", "BRAM"):
        guess, true = design.total(resource)
        assert guess == true > 0
