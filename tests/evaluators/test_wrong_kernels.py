"""Kernels that are wrong somewhere, and faster for it, fail; what is right passes (tests/attacks runs whole builds)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.attacks.source import Attack
from tests.evaluators.kernels import QUICK
from tunepass.backends.c.backend import TIME
from tunepass.backends.c.tasks import call_task
from tunepass.diagnostics import Source
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured, Outcome

WRONG = sorted((Path(__file__).parents[1] / "attacks" / "wrong").glob("*.c"))


def task_of(folder: Path, text: str, command: tuple[str, ...] = ("gcc", "-O2"), name: str = "kernel.c") -> KernelTask:
    path = folder / name
    path.write_text(text)
    kernel = CFrontend().parse(Source(str(path), text), words=command).kernels[0]
    call = kernel.body_as(CKernel).call
    assert call is not None
    return replace(call_task(kernel, call, command, TIME), plan=QUICK)


def outcomes(task: KernelTask, *configurations: dict[str, object]) -> list[Outcome]:
    with CompileRun(task) as evaluator:
        return [evaluator.evaluate(Configuration(c)).outcome for c in configurations]  # type: ignore[arg-type]


# Found by a longer look at who may win: harness/test_races.py, test_thread_counts.py, test_concurrent_calls.py and
# test_longer_look.py.
LOOKED_AT = {"race", "eight_threads", "whole_team", "lost_update", "shared_scratch", "large_stack"}
LOOKED_AT |= {"counted_calls", "shares_of_processors", "lazily_filled"}


@pytest.mark.parametrize("path", [p for p in WRONG if p.stem not in LOOKED_AT], ids=lambda p: p.stem)
@pytest.mark.slow_but(12)
def test_a_wrong_kernel_fails(path: Path, tmp_path: Path) -> None:
    attack = Attack.read(path)
    after = {"AFTER": "-DAFTER=0"}
    honest, wrong = outcomes(
        task_of(tmp_path, attack.text, attack.compiler), {"ATTACK": 0, **after}, {"ATTACK": 1, **after}
    )
    assert isinstance(honest, Measured), honest
    assert isinstance(wrong, Failed) and wrong.stage in attack.expect, wrong


PACK = """
#pragma tunepass param WRONG: integer(0..2) = 0
#pragma tunepass kernel pack(n = 200, x: in double[n], kept: out double[n], bytes: out unsigned char[n])
#ifdef COUNTED
struct counts { long kept; } counts;
static int state = 3;
#endif
int pack(int n, const double *x, double *kept, unsigned char *bytes)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0) {
            bytes[k] = (unsigned char)(100 * x[i]);
            kept[k++] = x[i];
        }
#if WRONG == 1
    if (k)
        kept[0] = 0;
#endif
#ifdef COUNTED
    counts.kept += k + WRONG / 2;
    state = WRONG;
#endif
    return k;
}
#ifdef COUNTED
int see(void) { return state; }
#endif
"""


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.slow_but(2)
def test_how_much_is_written_may_depend_on_the_inputs(tmp_path: Path, counted: bool) -> None:
    """What lies beyond it is left by earlier calls; variables under an #if are compared where they exist."""
    command = ("gcc", "-O1", *(["-DCOUNTED"] if counted else []))
    task = task_of(tmp_path, PACK, command)
    right, wrong, uncounted = outcomes(task, {"WRONG": 0}, {"WRONG": 1}, {"WRONG": 2})
    assert isinstance(right, Measured), right
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result" and "kept" in wrong.log
    if counted:
        assert isinstance(uncounted, Failed) and "counts.kept: expected" in uncounted.log
    else:
        assert isinstance(uncounted, Measured), uncounted
