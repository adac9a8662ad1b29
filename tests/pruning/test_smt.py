"""The exported script: text that any solver reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tunepass.expr import algebra
from tunepass.expr.parser import parse
from tunepass.pruning.base import Limit
from tunepass.pruning.smt import smt_script
from tunepass.pruning.z3_session import z3_module
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real

PARAMETERS: tuple[Parameter, ...] = (
    Ordinal("filters", [16, 64, 32], default=32),
    Integer("depth", 2, 10, step=4),
    Categorical("padding", ["same", "valid"]),
    Categorical("bias", [True, False]),
    Real("rate", 0.25, 0.5),
    Permutation("order", 3),
    Integer("mod", 1, 4),
)


def script(most: int) -> str:
    """Weights of a small model, and constraints of every kind of parameter."""
    texts = ["filters % depth != 1 or bias", 'padding == "same" or pos(order, 0) < mod', "rate * depth <= 4.5"]
    constraints = [Constraint.parse(text, PARAMETERS) for text in texts]
    weights = parse("depth * filters * filters + filters * bias", {p.name: p.type for p in PARAMETERS})
    kept = Constraint(algebra.compare(weights, "<=", most), f"weights <= {most}")
    limit = Limit("weights", weights, most, "", "--limit", kept)
    return "\n".join(smt_script(PARAMETERS, constraints, [limit], "model.py::model")) + "\n"


def test_the_script_is_as_it_was(golden: Callable[[str, str], None]) -> None:
    golden("pruning/model.smt2", script(9000))


@pytest.mark.parametrize("most,expected", [(9000, "sat"), (500, "unsat")])
def test_a_solver_answers_it(most: int, expected: str) -> None:
    pytest.importorskip("z3")
    z3 = z3_module()
    solver = z3.Solver()
    solver.from_string(script(most))
    assert str(solver.check()) == expected


def test_a_real_limit_on_whole_numbers_needs_a_logic_with_reals() -> None:
    parameters = (Integer("a", 1, 8), Integer("b", 1, 8))
    text = "\n".join(smt_script(parameters, [Constraint.parse("a * b <= 4.5", parameters)], [], "of whole numbers"))
    assert "(set-logic QF_NIRA)" in text
    whole = smt_script(parameters, [Constraint.parse("a * b <= 4", parameters)], [], "of whole numbers")
    assert "(set-logic QF_NIA)" in "\n".join(whole)
