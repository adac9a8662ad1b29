"""The kinds of amounts in a device's file."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.expr import numpy_eval
from tunepass.expr.algebra import lift
from tunepass.expr.nodes import INTEGER, Name
from tunepass.hwmodels.fpga.curves import Depth, Points, Steps, Ways, curve, evaluate, sized


def at(e, **values):
    columns = {name: np.array([v]) for name, v in values.items()}
    return float(numpy_eval.evaluate(lift(e), columns, 1).values[0])


def test_polynomials():
    assert evaluate(curve(3), 100) == 3
    assert evaluate(curve([1, 2, 0.5]), 4) == 1 + 8 + 8


def test_points_are_joined_and_prolonged():
    found = curve({"points": [[8, 8], [16, 24], [32, 24]]})
    assert found == Points(((8, 8), (16, 24), (32, 24)))
    assert [evaluate(found, x) for x in (4, 8, 12, 16, 24, 64)] == [4, 8, 16, 24, 24, 24]
    assert evaluate(Points(((8, 8), (16, 2))), 64) == 0  # never below nothing


def test_steps():
    found = curve({"steps": [[9, 1], [18, 2]]})
    assert found == Steps(((9, 1), (18, 2)))
    assert [evaluate(found, x) for x in (1, 9, 10, 18, 36)] == [1, 1, 2, 2, 8]


def test_ways_by_number_and_by_name():
    found = sized({"ways": [[2, 3, 1], [4, 5, 3], [8, 5, 6]]})
    assert isinstance(found, Ways)
    for n, wanted in ((1, 13), (2, 13), (3, 24), (4, 35), (6, 50), (8, 65), (16, 125)):
        assert at(found.at(10, n)) == at(found.at(10, Name("n", INTEGER)), n=n) == wanted


def test_depth():
    found = sized({"depth": [1, 2, 10]})
    assert isinstance(found, Depth)
    assert at(found.at(64)) == 1 + 2 * 6
    assert at(found.at(65)) == 1 + 2 * 7 + 10
    assert at(found.at(Name("d", INTEGER)), d=64) == 1 + 2 * 6 + 10  # it may be any depth


def test_other_kinds_are_refused():
    with pytest.raises(ValueError, match="points or steps"):
        curve({"table": [[1, 2]]})
    with pytest.raises(ValueError, match="ways or depth"):
        sized({"points": [[1, 2]]})
