"""Evaluators that compile and run on this machine; what they need is imported when the first kernel is opened."""

from __future__ import annotations

from contextlib import AbstractContextManager

from tunepass.ir.kernel import Kernel
from tunepass.passes.base import Evaluators
from tunepass.study.outcome import Evaluate


def evaluators_for(command: tuple[str, ...], *, count: bool = False) -> Evaluators:
    """Compile with `command` and run, on this machine; `count` instructions rather than time a kernel."""

    def evaluators(kernel: Kernel) -> AbstractContextManager[Evaluate]:
        from tunepass.jobs.evaluation import evaluator

        return evaluator(kernel, command, count=count)

    return evaluators
