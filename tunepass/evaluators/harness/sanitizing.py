"""A candidate once under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.harness import BuiltHarness, Calls, HarnessRun
from tunepass.evaluators.process.run import Limits
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
ENVIRONMENT = (
    ("ASAN_OPTIONS", "detect_leaks=0:exitcode=99:detect_stack_use_after_return=0"),
    ("UBSAN_OPTIONS", "print_stacktrace=0"),
)
SLOWDOWN = 20.0
BOUNDS = re.compile(r"buffer-(over|under)flow|use-after|out-of-bounds|out of bounds|insufficient space")
ASAN = re.compile(r"ERROR: AddressSanitizer: (.*)")
UBSAN = re.compile(r"([^\n]*: runtime error: .*)")


def run_sanitized(
    harness: BuiltHarness, candidate: Candidate, folder: Path, *, rename_main: bool, seed: int, limits: Limits
) -> Calls | Failed:
    """What the candidate computes, or what the sanitizers say. Raises ToolError where the compiler has none."""
    watched = replace(
        candidate, flags=(*candidate.flags, *FLAGS), environment=(*candidate.environment, *ENVIRONMENT), requests=()
    )
    target, _, failure = harness.compiling.compile_candidate(watched, folder, rename_main=rename_main)
    if failure is not None:
        return failure
    program, failure = harness.link(target, watched, folder, by_own=True)
    if program is None:
        raise ToolError("the compiler cannot link with its sanitizers", hint=failure.log if failure else None)
    slow = replace(limits, wall_s=limits.wall_s * SLOWDOWN, limit_reservations=False)
    result = HarnessRun(program, folder, watched.environment).sanitized(seed, slow)
    return _classified(result) if isinstance(result, Failed) else result.outputs


def _classified(failure: Failed) -> Failed:
    """The failure by what the sanitizer printed; unchanged where no sanitizer printed anything."""
    address, undefined = ASAN.search(failure.log), UBSAN.search(failure.log)
    if address:
        return Failed("out_of_bounds" if BOUNDS.search(address[1]) else "crash", f"AddressSanitizer: {failure.log}")
    if undefined:
        return Failed("out_of_bounds" if BOUNDS.search(undefined[1]) else "crash", undefined[1].strip())
    return failure
