"""Every way to end has its name."""

from __future__ import annotations

import pytest

from tunepass.evaluators.process.failures import compile_failure, run_failure
from tunepass.evaluators.process.run import Completed, Limits

LIMITS = Limits(wall_s=2.5, memory_bytes=1000, output_bytes=10, processes=4)


@pytest.mark.parametrize(
    "done,stage,words",
    [
        (Completed(ended="timeout"), "timeout", "did not end within 2.5 s"),
        (Completed(ended="output", stdout="x"), "output", "printed more than 10 bytes\nx"),
        (Completed(ended="memory"), "memory", "used more than 1,000 bytes"),
        (Completed(ended="processes"), "run", "started more than 4 processes"),
        (Completed(ended="signal", signal="SIGFPE"), "crash", "was ended by SIGFPE"),
        (Completed(ended="signal", signal="SIGXCPU"), "timeout", "SIGXCPU"),
        (Completed(ended="signal", signal="SIGXFSZ"), "output", "SIGXFSZ"),
        (Completed(ended="signal", signal="SIGABRT", stderr="std::bad_alloc"), "memory", "bad_alloc"),
        (Completed(ended="signal", signal="SIGSEGV", peak_bytes=950), "memory", "SIGSEGV"),
        (Completed(ended="exit", returncode=1, stderr="bad input"), "run", "status 1\nbad input"),
        (Completed(ended="exit", returncode=0, left_behind=2), "run", "left 2 processes running"),
    ],
)
def test_runs(done: Completed, stage: str, words: str) -> None:
    failure = run_failure(done, LIMITS)
    assert failure is not None and failure.stage == stage and words in failure.log


def test_success_is_no_failure() -> None:
    fine = Completed(ended="exit", returncode=0)
    assert run_failure(fine, LIMITS) is None and compile_failure(fine, LIMITS) is None


def test_compiles() -> None:
    failure = compile_failure(Completed(ended="timeout"), LIMITS)
    assert failure is not None and (failure.stage, failure.log) == ("compile", "the compiler did not end within 2.5 s")
