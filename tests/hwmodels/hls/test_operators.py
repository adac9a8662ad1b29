"""Operators of whole numbers by their widths."""

import pytest

from tunepass.hwmodels.hls.operators import dsp_tiles, kind_of
from tunepass.hwmodels.hls.tools import tool
from tunepass.ir.hardware import FLOAT, INT, Fixed
from tunepass.ir.hls import HlsOperation

TOOL = tool("merlin-2020.2")


def fixed(bits: int) -> Fixed:
    return Fixed(True, bits, 0)


@pytest.mark.parametrize(
    "name,element,inputs,kind",
    [
        ("fix_add", INT, (INT, INT), "int_add"),
        ("fix_sub", fixed(30), (INT, INT), "int_add"),
        ("fix_add", fixed(12), (fixed(11), fixed(11)), "int_add_16"),
        ("fix_mul", INT, (INT, INT), "int_mul"),
        ("fix_mul", fixed(36), (fixed(18), fixed(18)), "int_mul_18_36"),
        ("fix_mod", fixed(64), (), "int_div_64"),
        ("flt_mul", FLOAT, (FLOAT, FLOAT), "float_mul"),
        ("bit_and", INT, (), "logic"),
    ],
)
def test_the_kind_tells_the_width_where_it_is_not_the_tables(name, element, inputs, kind) -> None:  # type: ignore[no-untyped-def]
    assert kind_of(HlsOperation(name=name, element=element), inputs) == kind


@pytest.mark.parametrize("bits,result,tiles", [(18, 36, 1), (27, 54, 2), (32, 32, 3), (32, 64, 4), (35, 70, 4)])
def test_tiles_of_a_product(bits: int, result: int, tiles: int) -> None:
    assert dsp_tiles(bits, result) == tiles


def test_the_tables_operators_are_those_of_32_bits() -> None:
    for verb in ("add", "div"):
        assert TOOL.of_kind(f"int_{verb}_32") == TOOL.of_kind(f"int_{verb}") == TOOL.operators[f"int_{verb}"]
    assert TOOL.of_kind("int_mul_32_32") == TOOL.operators["int_mul"]


def test_narrow_products_take_no_dsp_block_and_a_quotient_takes_a_cycle_a_bit() -> None:
    small = TOOL.of_kind("int_mul_8_16")
    assert (small.dsps, small.luts) == (0, 64)
    assert TOOL.of_kind("int_div_16").cycles == TOOL.operators["int_div"].cycles - 16
    assert TOOL.of_kind("int_add_64").luts == 2 * TOOL.operators["int_add"].luts
