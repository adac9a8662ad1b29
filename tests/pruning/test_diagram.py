"""The solver `diagram` meets its contract, and says what it cannot count."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import SpaceError
from tunepass.pruning.diagram import DiagramSolver
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer, Permutation, Real
from tunepass.testing.pruning_solver import PruningSolverContract


class TestDiagram(PruningSolverContract):
    @pytest.fixture
    def solver(self) -> DiagramSolver:
        return DiagramSolver()


def test_free_reals_are_not_counted() -> None:
    parameters = (Integer("units", 1, 10), Real("rate", 1e-4, 1.0))
    left = DiagramSolver().remaining(parameters, [Constraint.parse("units <= 4", parameters)])
    assert left.count.low == left.count.high == 4
    assert [list(part) for part in left.columns()] == [["units"]]


def test_a_real_that_conditions_depend_on_is_a_diagnostic() -> None:
    parameters = (Integer("units", 1, 10), Real("rate", 1e-4, 1.0))
    with pytest.raises(SpaceError, match="rate is a real number that conditions depend on"):
        DiagramSolver().remaining(parameters, [Constraint.parse("units * rate <= 4", parameters)])


def test_orders_are_counted() -> None:
    parameters = (Integer("units", 1, 3), Permutation("order", 4))
    left = DiagramSolver().remaining(parameters, [Constraint.parse("pos(order, 0) < units", parameters)])
    assert left.count.low == 6 + 12 + 18
    assert set(left.kept()) == {"units"}
