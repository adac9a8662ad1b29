"""The floating-point state that a call leaves changed for its caller."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluators.test_wrong_kernels import task_of
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.reference.float_state import NAMES, changed_state, float_state_check
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured

LEAVES = """
#include <fenv.h>
#pragma tunepass param WAY: integer(0..2) = 0
#pragma tunepass kernel halves(n = 64, x: in int[n], y: out int[n])
void halves(int n, const int *x, int *y)
{
    fesetround(SOURCE || WAY == 1 ? FE_DOWNWARD : FE_TONEAREST);
    if (WAY == 2) feenableexcept(FE_DIVBYZERO);
    for (int i = 0; i < n; i++) y[i] = x[i] / 2;
}
"""


def test_a_candidate_may_leave_what_the_source_leaves() -> None:
    assert changed_state([], ()) is None and changed_state(["rounding"], {"rounding"}) is None
    failure = changed_state(["flushing", "flushing", "traps"], {"rounding"})
    assert failure is not None and failure.stage == "wrong_result"
    assert failure.log == f"leaves {NAMES['flushing']} and {NAMES['traps']} changed for its caller"


def test_the_row_says_what_could_not_be_compared() -> None:
    assert float_state_check([], "x86_64").state == "ran"
    assert "the source itself leaves" in float_state_check(["rounding"], "x86_64").reason
    assert "the rounding mode alone" in float_state_check([], "riscv64").reason


@pytest.mark.parametrize("source", [0, 1])
def test_what_a_call_leaves_is_seen_and_restored(source: int, tmp_path: Path) -> None:
    command = ("gcc", "-O1", "-D_GNU_SOURCE", f"-DSOURCE={source}")
    task = replace(task_of(tmp_path, LEAVES, command), metric="time")
    with CompileRun(task) as evaluator:
        usual, rounding, traps = (evaluator.evaluate(Configuration({"WAY": way})).outcome for way in range(3))
        assert evaluator.set_up().left == (frozenset({"rounding", "x87_control"} if source else ()))
    assert isinstance(usual, Measured)
    assert (
        isinstance(rounding, Measured) if source else isinstance(rounding, Failed) and NAMES["rounding"] in rounding.log
    )
    assert isinstance(traps, Failed) and NAMES["traps"] in traps.log
