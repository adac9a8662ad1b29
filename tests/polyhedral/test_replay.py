"""Generated loops against the schedule that they are made of."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl
import pytest

from tests.polyhedral.scops import SYRK
from tests.properties.test_scop_schedules import function, read
from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.code import Block, Code, Loop, Reader
from tunepass.polyhedral.codegen.expressions import Name, Number, Operation, add
from tunepass.polyhedral.codegen.replay import keeps_schedule, runs, scheduled_runs, value_of
from tunepass.polyhedral.codegen.schedule import syntax_tree
from tunepass.polyhedral.codegen.write import is_faithful
from tunepass.polyhedral.schedules.apply import planned
from tunepass.polyhedral.schedules.plan import Plan

STEPS = """\
for (i = 1; i < n; i += 3)
    for (j = 0; j < m; j += 2) {
        A[i][j] = 1u;
        B[i][j] = A[i][j] + 2u;
    }
"""
TRIANGLE = "for (i = 1; i < n; i += 3)\n    for (j = i; j < n - 1; j += 2)\n        A[i][j] += 1u;\n"


def generated(scop: Scop, plan: Plan) -> tuple[isl.Schedule, Code]:
    node, bands, schedule = syntax_tree(scop, planned(scop, plan))
    return schedule, Reader(scop, bands).code(node)


def test_what_is_written_is_what_is_scheduled() -> None:
    scop = read(function(STEPS))
    schedule, code = generated(scop, Plan(tile=(("j", 4),)))
    wanted = scheduled_runs(scop, schedule, {"n": 6, "m": 8})
    assert wanted is not None and len(wanted) == 2 * 2 * 4
    assert wanted[:3] == [("S0", (1, 0)), ("S1", (1, 0)), ("S0", (1, 2))]
    assert list(runs(code, {"n": 6, "m": 8})) == wanted
    assert is_faithful(scop, Plan(tile=(("j", 4),)))


@pytest.mark.parametrize("change", ["less", "again", "otherwise"])
def test_lost_repeated_and_exchanged_iterations_are_noticed(change: str) -> None:
    scop = read(function(STEPS))
    schedule, code = generated(scop, Plan())
    assert isinstance(code, Loop)
    shorter = replace(code, last=add(code.last, Number(-code.step)))
    first, others = replace(code, last=code.first), replace(code, first=add(code.first, Number(code.step)))
    changed = {"less": shorter, "again": Block((code, code)), "otherwise": Block((others, first))}[change]
    assert keeps_schedule(scop, schedule, Block((first, others)))
    assert not keeps_schedule(scop, schedule, changed)


def test_nests_without_steps_are_not_tried() -> None:
    schedule, _ = generated(SYRK, Plan())
    assert keeps_schedule(SYRK, schedule, Block(()))


def test_a_plan_that_the_generator_spoils_is_not_faithful() -> None:
    """islpy 2024.2 to 2026.2 lose iterations here; a later one may not."""
    scop, plan = read(function(TRIANGLE)), Plan(tile=(("i", 2), ("j", 3)))
    schedule, code = generated(scop, plan)
    wanted = scheduled_runs(scop, schedule, {"n": 9, "m": 11})
    assert is_faithful(scop, plan) == (list(runs(code, {"n": 9, "m": 11})) == wanted)


def test_expressions_are_worked_out_as_c_does() -> None:
    n = Name("n")
    assert value_of(Operation("/", (n, Number(2))), {"n": -3}) == -1
    assert value_of(Operation("%", (n, Number(2))), {"n": -3}) == -1
    assert value_of(Operation("floor", (n, Number(2))), {"n": -3}) == -2
    chosen = Operation("?:", (Operation("<", (n, Number(0))), Number(4), Operation("/", (Number(1), Number(0)))))
    assert value_of(chosen, {"n": -1}) == 4
