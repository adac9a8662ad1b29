"""Constraints of directives against the proof for each configuration."""

from __future__ import annotations

import itertools

import pytest

from tests.polyhedral.scops import FORWARD, JACOBI, ROWS, SOLVE, SYRK
from tunepass.diagnostics import SourceError
from tunepass.expr.python_eval import evaluate
from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import Factor, Pair, ScopDirectives
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.plan import plan_of
from tunepass.polyhedral.spaces.constraints import known_constraints
from tunepass.space.parameter import Categorical, Ordinal, Parameter, Permutation


def directives_of(scop: Scop) -> tuple[ScopDirectives, dict[str, Parameter]]:
    """An order, tiles and copies of every loop."""
    loops = [loop.name for loop in scop.loops]
    parameters: dict[str, Parameter] = {"ORDER": Permutation("ORDER", loops)}
    parameters |= {f"T_{loop}": Ordinal(f"T_{loop}", [1, 4]) for loop in loops}
    parameters |= {f"U_{loop}": Ordinal(f"U_{loop}", [1, 2]) for loop in loops}
    return (
        ScopDirectives(
            order=("ORDER",),
            tile=tuple(Factor(loop, f"T_{loop}") for loop in loops),
            unroll_and_jam=tuple(Factor(loop, f"U_{loop}") for loop in loops),
        ),
        parameters,
    )


@pytest.mark.parametrize("scop", [SYRK, JACOBI, SOLVE, ROWS, FORWARD])
def test_what_constraints_allow_is_legal_and_little_else_is(scop: Scop) -> None:
    directives, parameters = directives_of(scop)
    constraints = known_constraints(scop, directives, parameters, scop.pragma)
    allowed = refused = 0
    for values in itertools.islice(
        itertools.product(*(p.domain for p in parameters.values())), 0, None, 41 if scop is SYRK else 7
    ):
        configuration = dict(zip(parameters, values))
        legal = is_legal(scop, plan_of(directives, configuration))
        if all(evaluate(c.expression, configuration) for c in constraints):
            assert legal, configuration
            allowed += 1
        refused += legal
    assert allowed >= 0.5 * refused


def test_a_thread_for_each_iteration_of_a_loop_that_carries_a_dependence_is_not_suggested() -> None:
    parameters: dict[str, Parameter] = {name: Categorical(name, (False, True)) for name in ("P", "Q")}
    directives = ScopDirectives(parallel=(Factor("t", "P"), Factor("i", "Q")))
    found = known_constraints(JACOBI, directives, parameters, JACOBI.pragma)
    assert [c.text for c in found] == ["not P"]


@pytest.mark.parametrize(
    "directives",
    [
        ScopDirectives(reverse=(Factor("t", True),)),
        ScopDirectives(fuse=(Pair("i", "i_2"),)),
        ScopDirectives(unroll_and_jam=(Factor("t", 4),)),
        ScopDirectives(parallel=(Factor("t", True),)),
    ],
)
def test_what_is_fixed_and_illegal_is_a_diagnostic(directives: ScopDirectives) -> None:
    with pytest.raises(SourceError, match="would change what the nest computes"):
        known_constraints(JACOBI, directives, {}, JACOBI.pragma)
