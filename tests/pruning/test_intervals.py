"""The solver `intervals` meets its contract; stopped, its counts are bounds."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import SpaceError
from tunepass.pruning import intervals
from tunepass.pruning.intervals import IntervalSolver
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer, Ordinal, Permutation
from tunepass.testing.pruning_solver import CONDITIONS, PARAMETERS, PruningSolverContract, brute_force, constraints


class TestIntervals(PruningSolverContract):
    @pytest.fixture
    def solver(self, monkeypatch: pytest.MonkeyPatch) -> IntervalSolver:
        monkeypatch.setattr(intervals, "BATCH", 8)
        monkeypatch.setattr(intervals, "LEAF", 4)
        return IntervalSolver()


@pytest.mark.parametrize("boxes", [0, 1, 5, 20, 100])
def test_a_search_that_is_stopped_bounds_the_count(boxes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "BATCH", 2)
    monkeypatch.setattr(intervals, "LEAF", 1)
    left = IntervalSolver(boxes).remaining(PARAMETERS, constraints(CONDITIONS[:2]))
    _, kept = brute_force(CONDITIONS[:2])
    assert left.count.low <= kept.sum() <= left.count.high
    if not left.count.exact:
        with pytest.raises(SpaceError, match="bounded, not known"):
            next(left.columns())


def test_a_monotone_condition_over_many_configurations_takes_few_boxes() -> None:
    parameters = tuple(Ordinal(f"w{i}", list(range(8, 8 * 41, 8))) for i in range(3))
    text = " + ".join(f"9 * w{i} * w{(i + 1) % 3}" for i in range(3)) + " <= 400000"
    left = IntervalSolver(20_000).remaining(parameters, [Constraint.parse(text, parameters)])
    widths = range(8, 328, 8)
    brute = sum(9 * (a * b + b * c + c * a) <= 400000 for a in widths for b in widths for c in widths)
    assert left.count.low == left.count.high == brute


def test_orders_are_refused() -> None:
    parameters = (Integer("units", 1, 3), Permutation("order", 4))
    with pytest.raises(SpaceError, match="order is an order"):
        IntervalSolver().remaining(parameters, [Constraint.parse("pos(order, 0) < units", parameters)])
