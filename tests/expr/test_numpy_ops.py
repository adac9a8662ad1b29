"""numpy_ops and python_eval agree at the edges of 64 bits, where the random laws rarely look."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.expr import numpy_ops, python_eval

EDGES = [-(2**63), -(2**63) + 1, -(2**32), -3, -1, 0, 1, 2, 3, 62, 63, 64, 2**31, 2**62, 2**63 - 1]
NAMED = {
    "+": ("add", python_eval.BINARY["+"]),
    "-": ("subtract", python_eval.BINARY["-"]),
    "*": ("multiply", python_eval.BINARY["*"]),
    "//": ("floor_divide", python_eval.floor_divide),
    "%": ("modulo", python_eval.modulo),
    "**": ("power", python_eval.power),
    "<<": ("shift_left", python_eval.shift_left),
    ">>": ("shift_right", python_eval.shift_right),
    "ceildiv": ("ceil_divide", python_eval.ceil_divide),
    "gcd": ("gcd", python_eval.FUNCTION["gcd"]),
    "lcm": ("lcm", python_eval.FUNCTION["lcm"]),
}


def plain(op: str, a: int, b: int) -> int | str:
    try:
        return python_eval.fits(int(NAMED[op][1](a, b)))
    except python_eval.UndefinedValue:
        return "undefined"
    except python_eval.OverflowValue:
        return "overflow"


@pytest.mark.parametrize("op", NAMED)
def test_integers_at_the_edges(op: str) -> None:
    pairs = list(itertools.product(EDGES, EDGES))
    wanted = [plain(op, a, b) for a, b in pairs]
    columns = [np.array(c, dtype=np.int64) for c in zip(*pairs)]
    with np.errstate(all="ignore"):
        values, status = getattr(numpy_ops, NAMED[op][0])(*columns)
    words = {numpy_ops.UNDEFINED: "undefined", numpy_ops.OVERFLOW: "overflow"}
    codes = np.zeros(len(pairs), np.uint8) if status is None else status
    assert [words.get(int(s), int(v)) for v, s in zip(values, codes)] == wanted


def test_products_at_the_edge_are_settled_in_columns_of_any_shape() -> None:
    a = np.array([[1, 3_037_000_499, 2**62], [-(2**62), 2**31, 5]])
    b = np.array([[2**62], [2]])
    _, status = numpy_ops.multiply(a, b)
    expected = [[int(x) * int(y) for x, y in zip(row, np.broadcast_to(b, a.shape)[i])] for i, row in enumerate(a)]
    overflows = [[not -(2**63) <= v < 2**63 for v in row] for row in expected]
    assert (status == numpy_ops.OVERFLOW).tolist() == overflows
    assert numpy_ops.power(np.full((2, 4), 2), np.full((2, 4), 63))[1].tolist() == [[numpy_ops.OVERFLOW] * 4] * 2
