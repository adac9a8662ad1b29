"""Instructions of one call, counted by cachegrind: the same number on every run, on any machine. For CI.

The difference between two calls and one leaves out the start of the program and the filling of the arrays. The two have
different inputs, but the same ones on every run.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.harness.harness import HarnessRun, Shapes
from tunepass.evaluators.process.run import Limits
from tunepass.study.outcome import Failed

SLOWDOWN = 60.0  # of a program under valgrind, generously
REFS = re.compile(r"I\s+refs:\s+([\d,]+)")


def valgrind() -> str:
    path = shutil.which("valgrind")
    if path is None:
        raise ToolError("counting instructions needs valgrind", hint="Debian, Ubuntu: apt-get install valgrind")
    return path


def count_instructions(
    run: HarnessRun, seed: int, variant: int, limits: Limits, shapes: Shapes
) -> tuple[int, tuple[Output, ...]] | Failed:
    """Instructions of a call, and what the second call wrote for that variant."""
    words = (valgrind(), "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
    slow = replace(limits, wall_s=limits.wall_s * SLOWDOWN, limit_reservations=False)
    counts: list[int] = []
    outputs: tuple[Output, ...] = ()
    for calls in (1, 2):
        result = replace(run, prefix=words).count(seed, slow, calls, variant, shapes)
        if isinstance(result, Failed):
            return result
        printed_count = REFS.search(result.log)
        if printed_count is None:
            return Failed("metric", f"cachegrind printed no count\n{result.log}")
        counts.append(int(printed_count[1].replace(",", "")))
        outputs = result.outputs[-1]
    return counts[1] - counts[0], outputs
