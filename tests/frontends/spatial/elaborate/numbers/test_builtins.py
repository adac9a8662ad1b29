"""Numbers and their types."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, operation_names, program
from tunepass.ir.hardware import FLOAT, INT, Controller


def test_types_of_operations() -> None:
    accel = program(app("val x = SRAM[Float](8)\nForeach(8 by 1) { i => x(i) = x(i) * 2.0f + i.to[Float] }")).accel
    (loop,) = accel.stages
    assert isinstance(loop, Controller)
    assert [(op.name, op.element) for op in loop.operations] == [
        ("iterator", INT),
        ("sram_load", FLOAT),
        ("flt_mul", FLOAT),
        ("fix_to_flt", FLOAT),
        ("flt_add", FLOAT),
        ("sram_store", FLOAT),
    ]


def test_polynomials_and_functions_of_one_value() -> None:
    accel = "val x = SRAM[Float](8)\nForeach(8 by 1) { i => x(i) = sqrt_approx(x(i)) + abs(x(i)) }"
    names = operation_names(app(accel))
    assert names.count("flt_mul") == 3 and names.count("flt_abs") == 1
