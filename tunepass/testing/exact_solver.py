"""Contract of exact solvers. A test class inherits this and supplies the `solver` fixture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.exact.base import Certificate, ExactSolver, Floats, Front
from tunepass.expr import numpy_eval
from tunepass.expr.nodes import Expr
from tunepass.expr.parser import parse
from tunepass.space.parameter import Categorical, Integer, Ordinal, Real
from tunepass.space.space import Space
from tunepass.study.results.pareto import nondominated

TILES = "ceildiv(4096, tile)"
TIME = f"if(overlap, max({TILES}, 40) + tile, {TILES} + 40 + tile) * ceildiv(96, par) + 100 // lanes"
AREA = "par * (50 + lanes) + 3 * tile + if(overlap, 40, 0)"
RATE = "tile / (par + lanes)"
LIMITS = ("tile * par <= 600", "lanes <= 2 * par")


def numeric_space(*constraints: str) -> Space:
    """2,592 configurations before constraints; every numeric kind of parameter, values out of order."""
    return Space(
        [
            Ordinal("tile", [96, 4, 8, 16, 32, 64]),
            Integer("par", 1, 24),
            Integer("lanes", 1, 9),
            Categorical("overlap", [True, False]),
        ],
        constraints=constraints,
    )


def expressions(space: Space, *texts: str) -> list[Expr]:
    return [parse(text, {p.name: p.type for p in space.parameters}) for text in texts]


def values_at(space: Space, expressions: Sequence[Expr], front: Front) -> Floats:
    """The expressions' values (n, m) at the front's configurations, by the reference evaluator."""
    columns, n = space.columns(front.configurations), len(front.configurations)
    return np.stack([np.asarray(numpy_eval.evaluate(e, columns, n).values, float) for e in expressions], axis=1)


def brute_force(space: Space, objectives: Sequence[Expr], constraints: Sequence[Expr] = ()) -> Floats:
    """Every nondominated loss vector, by the reference evaluator on every configuration."""
    (columns,) = space.enumerate_columns(chunk=1 << 20)
    losses = np.stack(
        [np.asarray(numpy_eval.evaluate(e, columns, space.size).values, float) for e in objectives], axis=1
    )
    for constraint in constraints:
        losses[~numpy_eval.satisfied(constraint, columns, space.size)] = np.nan
    losses = losses[np.isfinite(losses).all(axis=1)]
    return np.unique(losses[nondominated(losses)], axis=0) if len(losses) else losses


def accounts_for_every_point(certificate: Certificate) -> bool:
    c = certificate
    return c.points == c.evaluated + c.bounded + c.infeasible + c.open


class ExactSolverContract:
    @pytest.fixture
    def solver(self) -> ExactSolver:
        raise NotImplementedError("supply a fixture that gives a solver whose steps are small")

    @pytest.mark.parametrize("limits", [(), ("tile * par <= 600",), ("tile % par == 0", "lanes <= par")])
    @pytest.mark.parametrize("tied", [(), ("par <= tile",)])
    @pytest.mark.parametrize("objectives", [(TIME, AREA), (TIME,), (TIME, AREA, "lanes + par % 5"), (RATE, AREA)])
    def test_the_front_is_that_of_brute_force(
        self, solver: ExactSolver, objectives: tuple[str, ...], tied: tuple[str, ...], limits: tuple[str, ...]
    ) -> None:
        space = numeric_space(*tied)
        losses, constraints = expressions(space, *objectives), expressions(space, *limits)
        front = solver.solve(space, losses, constraints)
        assert np.array_equal(front.values, brute_force(space, losses, constraints))
        assert np.array_equal(front.values, values_at(space, losses, front))
        assert all(space.contains(c) for c in front.configurations)
        assert front.gap == 0 and front.certificate.exact and accounts_for_every_point(front.certificate)
        assert front.certificate.found == len(front.configurations)

    def test_nothing_feasible_is_an_empty_exact_front(self, solver: ExactSolver) -> None:
        space = numeric_space()
        front = solver.solve(space, expressions(space, TIME, AREA), expressions(space, "par > 24"))
        assert front.configurations == () and front.values.shape == (0, 2) and front.certificate.exact

    def test_undefined_objectives_are_left_out(self, solver: ExactSolver) -> None:
        space = numeric_space()
        losses = expressions(space, "tile / (par - 3)", AREA)
        assert np.array_equal(solver.solve(space, losses).values, brute_force(space, losses))

    @pytest.mark.parametrize("most", [1, 300, 900])
    def test_the_gap_bounds_what_a_stopped_search_missed(self, solver: ExactSolver, most: int) -> None:
        space = numeric_space()
        losses = expressions(space, TIME, AREA)
        stopped = solver.solve(space, losses, max_points=most)
        assert accounts_for_every_point(stopped.certificate)
        assert stopped.certificate.exact == (stopped.certificate.open == 0)
        if len(stopped.values) and np.isfinite(stopped.gap):
            ratios = stopped.values[None] / brute_force(space, losses)[:, None]
            assert (ratios.max(axis=2).min(axis=1) <= 1 + stopped.gap + 1e-9).all()
        assert np.array_equal(stopped.values, values_at(space, losses, stopped))

    def test_it_stops_when_told_and_reports_every_step(self, solver: ExactSolver) -> None:
        space, answers, seen = numeric_space(), iter([False, False, True]), list[Certificate]()
        stopped = solver.solve(
            space, expressions(space, TIME, AREA), stop=lambda: next(answers, True), progress=seen.append
        )
        assert len(seen) == 2 and seen[-1] == stopped.certificate
        assert stopped.certificate.open > 0 and stopped.gap > 0

    def test_the_same_search_gives_the_same_front(self, solver: ExactSolver) -> None:
        space = numeric_space("tile % par == 0")
        losses, limits = expressions(space, TIME, AREA), expressions(space, *LIMITS)
        one, other = solver.solve(space, losses, limits), solver.solve(space, losses, limits)
        assert one.configurations == other.configurations and one.certificate == other.certificate

    def test_reals_are_refused(self, solver: ExactSolver) -> None:
        with pytest.raises(SpaceError, match=r"needs parameters with finitely many|cannot be enumerated"):
            solver.solve(Space([Real("x", 0.0, 1.0)]), [])

    def test_a_table_of_rows_is_solved_as_it_is_or_refused(self, solver: ExactSolver) -> None:
        space = Space.from_table([{"a": 1, "b": 5}, {"a": 2, "b": 3}, {"a": 3, "b": 4}])
        losses = expressions(space, "a", "b")
        try:
            front = solver.solve(space, losses)
        except SpaceError as error:
            assert "table of rows" in str(error)
        else:
            assert np.array_equal(front.values, brute_force(space, losses))
