"""The solver `z3` meets its contract, where Z3 is installed."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import SpaceError, TunepassError
from tunepass.pruning.z3_session import z3_module
from tunepass.pruning.z3_solver import Z3Solver
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer, Ordinal, Real
from tunepass.testing.pruning_solver import PARAMETERS, PruningSolverContract, constraints


class TestZ3(PruningSolverContract):
    @pytest.fixture
    def solver(self) -> Z3Solver:
        pytest.importorskip("z3")
        return Z3Solver()


def test_rounding_at_the_limit_is_decided_by_the_reader() -> None:
    """0.1 + 0.2 is more than 0.3 in doubles, and 0.1 * 3 too; as real numbers 0.1 (a double) times 3 is still more."""
    pytest.importorskip("z3")
    parameters = (Ordinal("x", [0.1, 0.2, 0.3, 0.7]), Ordinal("y", [0.1, 0.2, 0.30000000000000004]))
    texts = ["x + y <= 0.30000000000000004", "x * 3.0 > 0.30000000000000001"]
    left = Z3Solver().remaining(parameters, [Constraint.parse(text, parameters) for text in texts])
    rows = [row for part in left.columns() for row in zip(part["x"].tolist(), part["y"].tolist())]
    expected = [
        (x, y) for x in parameters[0].domain for y in parameters[1].domain if x + y <= 0.1 + 0.2 and x * 3 > 0.3
    ]
    assert sorted(rows) == sorted(expected) and rows


def test_a_stopped_search_bounds_the_count() -> None:
    pytest.importorskip("z3")
    steps = iter(range(100))
    left = Z3Solver().remaining(
        PARAMETERS, constraints(["depth * filters < 200 + 3 * free"]), stop=lambda: next(steps) > 0
    )
    whole = Z3Solver().remaining(PARAMETERS, constraints(["depth * filters < 200 + 3 * free"])).count
    assert left.count.low <= whole.low == whole.high <= left.count.high
    assert not left.count.exact and 0 < left.count.gap <= 1
    with pytest.raises(SpaceError, match="bounded, not known"):
        next(left.columns())


def test_reals_that_conditions_depend_on_are_a_diagnostic() -> None:
    parameters = (Integer("units", 1, 10), Real("rate", 1e-4, 1.0))
    with pytest.raises(SpaceError, match="rate is a real number that conditions depend on"):
        Z3Solver().remaining(parameters, [Constraint.parse("units * rate <= 4", parameters)])


def test_without_z3_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "z3", None)
    with pytest.raises(TunepassError, match="Z3 is not installed"):
        z3_module()
