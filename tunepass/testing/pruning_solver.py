"""Contract of pruning solvers. A test class inherits this and supplies the `solver` fixture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from tunepass.expr.numpy_eval import satisfied
from tunepass.pruning.base import Remaining, Solver
from tunepass.space.columns import Columns, join
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter

PARAMETERS: tuple[Parameter, ...] = (
    Ordinal("filters", [64, 16, 32, 128]),
    Integer("depth", 1, 6),
    Categorical("wide", [False, True]),
    Categorical("padding", ["same", "valid"]),
    Integer("free", 0, 4),
)
WEIGHTS = "depth * filters * filters * if(wide, 2, 1) + filters * 10"
SIZE = 'if(padding == "same", 32, 32 - 2 * depth)'
CONDITIONS = (
    f"{WEIGHTS} <= 20000",
    f"{SIZE} * {SIZE} * filters <= 40000",
    f"{WEIGHTS} >= 3000",
    f"filters / ({SIZE} - 24) <= 12",
    "filters % depth == 0",
    "depth * filters <= 100 or wide",
    "depth + filters < 10",
)


def constraints(texts: Sequence[str]) -> list[Constraint]:
    return [Constraint.parse(text, PARAMETERS) for text in texts]


def every_row() -> Columns:
    rows = list(product(*(p.domain for p in PARAMETERS)))
    return {p.name: p.column([row[i] for row in rows]) for i, p in enumerate(PARAMETERS)}


def brute_force(texts: Sequence[str]) -> tuple[Columns, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Every assignment, and which meet the conditions by the reference evaluator."""
    columns = every_row()
    n = len(columns["free"])
    mask = np.ones(n, np.bool_)
    for c in constraints(texts):
        mask &= satisfied(c.expression, columns, n)
    return columns, mask


def rows_of(columns: Columns) -> set[tuple[object, ...]]:
    return set(zip(*(p.values(columns[p.name]) for p in PARAMETERS)))


def check(remaining: Remaining, texts: Sequence[str]) -> None:
    """The remaining configurations are those that brute force leaves."""
    columns, mask = brute_force(texts)
    assert remaining.count.low == remaining.count.high == mask.sum()
    assert np.array_equal(remaining.contains(columns), mask)
    parts = list(remaining.columns(chunk=7))
    listed = join(parts) if parts else {p.name: p.column([]) for p in PARAMETERS}
    assert len(listed["free"]) == mask.sum()
    assert rows_of(listed) == rows_of({name: column[mask] for name, column in columns.items()})
    for p in PARAMETERS:
        values = {p.values(columns[p.name][mask])[i] for i in range(mask.sum())}
        assert [bool(k) for k in remaining.kept()[p.name]] == [value in values for value in p.domain], p.name


class PruningSolverContract:
    @pytest.fixture
    def solver(self) -> Solver:
        raise NotImplementedError("supply a fixture that gives a solver whose steps are small")

    @pytest.mark.parametrize("texts", [(), *((c,) for c in CONDITIONS), CONDITIONS[:2], CONDITIONS[:4], CONDITIONS])
    def test_what_is_left_is_what_brute_force_leaves(self, solver: Solver, texts: tuple[str, ...]) -> None:
        check(solver.remaining(PARAMETERS, constraints(texts)), texts)

    @pytest.mark.parametrize("seed", range(10))
    def test_any_polynomial_is_bounded_exactly(self, solver: Solver, seed: int) -> None:
        rng = np.random.default_rng(seed)
        a, b, c, d = rng.integers(-3, 10, size=4).tolist()
        most = int(rng.integers(-200, 4000))
        text = f"{a} * filters * depth + {b} * depth ** 2 * if(wide, {c}, free) - {d} * filters // (free + 1) <= {most}"
        check(solver.remaining(PARAMETERS, constraints([text])), [text])

    def test_a_condition_without_parameters_decides_alone(self, solver: Solver) -> None:
        check(solver.remaining(PARAMETERS, constraints(["1 > 2"])), ["1 > 2"])
        check(solver.remaining(PARAMETERS, constraints(["2 > 1"])), ["2 > 1"])
