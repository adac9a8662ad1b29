"""The templates' Verilog, as text; the cases they refuse."""

from __future__ import annotations

import re

import pytest

from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.characterise.float_templates import exponent_bits
from tunepass.hwmodels.characterise.verilog import FAMILIES, Template, wrapper

SIZES = {"w": 16, "n": 5, "d": 96}


def example(family):
    return Template.of(family, **{size: SIZES[size] for size in FAMILIES[family].sizes})


@pytest.mark.parametrize("family", FAMILIES)
def test_the_verilog_of_a_template(family, golden):
    golden(f"verilog/{family}.v", example(family).verilog())


@pytest.mark.parametrize("family", FAMILIES)
def test_every_output_is_driven(family):
    template = example(family)
    text = template.verilog()
    for way, name, _ in template.ports():
        if way == "output":
            assert re.search(rf"assign {name}\b", text), name


def test_a_wrapper_gives_every_pin_its_own_bits():
    two = [Template.of("fix_add", w=8), Template.of("mux", w=4)]
    text = wrapper("top", two)
    assert "input wire [25:0] i, output wire [11:0] o" in text  # a clock, 8 + 8 bits, 1 + 4 + 4 bits; 8 and 4
    assert "fix_add_w8 u_fix_add_w8(.clk(i[0]), .a(i[8:1]), .b(i[16:9]), .q(o[7:0]));" in text


def test_floats_are_as_ieee_754_has_them():
    assert [exponent_bits(w) for w in (16, 32, 64)] == [5, 8, 11]


def test_what_is_no_template():
    with pytest.raises(ModelError, match="unknown template 'fix_ad'"):
        Template.of("fix_ad", w=8)
    with pytest.raises(ModelError, match="template sram takes w, d"):
        Template.of("sram", w=8)
    with pytest.raises(ModelError, match="at least 1"):
        Template.of("fix_add", w=0)
