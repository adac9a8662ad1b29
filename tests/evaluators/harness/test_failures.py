"""What a harness reported decides the stage of its failure."""

from __future__ import annotations

import pytest

from tunepass.evaluators.harness.dialogue.report import Report
from tunepass.evaluators.harness.failures import harness_failure
from tunepass.evaluators.process.run import Completed, Limits

LIMITS = Limits(wall_s=2.5)


def test_success_is_no_failure() -> None:
    assert harness_failure(Completed(ended="exit", returncode=0), Report(done=True), LIMITS) is None


@pytest.mark.parametrize(
    "report,stage,words",
    [
        (Report(fault=("out_of_bounds", "C", "80", "10", "8")), "out_of_bounds", "touched C[10], 1 past its end"),
        (Report(fault=("out_of_bounds", "C", "-1", "10", "8")), "out_of_bounds", "touched C[-1], 1 before its start"),
        (Report(fault=("read_only", "A")), "wrong_result", "wrote to A"),
        (Report(fault=("stack",)), "crash", "ran out of stack"),
        (Report(fault=("thrown", "std::runtime_error: no")), "crash", "left the kernel: std::runtime_error: no"),
        (Report(fault=("thrown", "std::bad_alloc: std::bad_alloc")), "memory", "std::bad_alloc"),
        (Report(refused_bytes=5), "memory", "an allocation of 5 bytes was refused"),
        (Report(error="no memory"), "run", "no memory"),
        (Report(), "crash", "the kernel ended the program"),
    ],
)
def test_harnesses(report: Report, stage: str, words: str) -> None:
    failure = harness_failure(Completed(ended="exit", returncode=0), report, LIMITS)
    assert failure is not None and failure.stage == stage and words in failure.log
