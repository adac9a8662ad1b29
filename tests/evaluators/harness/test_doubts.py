"""Samples that the parent's clock does not bear out are taken again before they are a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from tunepass.evaluators.harness.dialogue.dialogues import Timed
from tunepass.evaluators.harness.dialogue.witness import Ordered, Witness
from tunepass.evaluators.harness.harness import HarnessRun
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.harness_judge import DOUBTS, HarnessJudge
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.measure.timing import MeasurePlan, Sample
from tunepass.study.outcome import Failed, Measured

SAMPLES = tuple(Sample(1e-3, 0, 1e-3) for _ in range(20))


def timed(outside_s: float) -> Timed:
    """Each sample in an order that takes so long from outside."""
    return Timed(SAMPLES, False, Witness(tuple(Ordered(outside_s, 1, range(i, i + 1)) for i in range(len(SAMPLES)))))


def judged(measurements: Iterator[Timed]) -> Measured | Failed:
    reference = SimpleNamespace(
        time_limits=lambda limits, plan: None, variants=(), filling=0, overheads=None, shapes=None
    )
    task = SimpleNamespace(plan=MeasurePlan(), metric="time", objective="time", run_limits=None, seeds=(1,))
    run = SimpleNamespace(time=lambda *given: next(measurements))
    judge = HarnessJudge(cast(KernelTask, task), lambda: cast(Reference, reference), Random(0))
    return judge.measured(cast(HarnessRun, run))[0]


def test_a_clock_that_disagrees_now_and_then_accuses_nobody() -> None:
    doubtful = [timed(3e-3)] * DOUBTS
    outcome = judged(iter([*doubtful, *[timed(1e-3)] * 9]))
    assert isinstance(outcome, Measured) and outcome.values["time"] == pytest.approx(1.0)


def test_a_clock_that_always_disagrees_is_a_verdict() -> None:
    outcome = judged(iter([timed(3e-3)] * (DOUBTS + 1)))
    assert isinstance(outcome, Failed) and outcome.stage == "cheated" and "seen from outside it takes" in outcome.log
