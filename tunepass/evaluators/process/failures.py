"""Failure classification: from how a program ended to a failure at the right stage."""

from __future__ import annotations

import re

from tunepass.evaluators.process.first_error import without_warnings
from tunepass.evaluators.process.run import Completed, Limits, head
from tunepass.evaluators.process.supervisor.folders import DEEPEST
from tunepass.machine_faults import of_the_machine
from tunepass.study.outcome import Failed, Outcome

OUT_OF_MEMORY = re.compile(
    r"bad_alloc|out of memory|cannot allocate memory|memory exhausted|MemoryError", re.IGNORECASE
)

STAGES = {"timeout": "timeout", "output": "output", "disk": "output", "memory": "memory", "processes": "run"}


BELIEVED = "(tried again, and the default still works)"
CHECKED = ("compile", "run", "memory")  # stages in which a failure may be the machine's whatever its words are


def may_be_the_machines(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed) and (outcome.stage in CHECKED or of_the_machine(outcome.log))


def compile_failure(done: Completed, limits: Limits) -> Failed | None:
    """None when the compiler succeeded."""
    if done.ok:
        return None
    if done.ended == "exit" and done.returncode:
        log = done.log if of_the_machine(done.log) else head(without_warnings(done.whole_log))
        return Failed("compile", log or f"the compiler ended with status {done.returncode}")
    return Failed("compile", _with_log(f"the compiler {_ending(done, limits)}", done))


def run_failure(done: Completed, limits: Limits) -> Failed | None:
    """How a program failed that should have ended with status 0; None when it did."""
    if done.ok:
        return None
    stage = STAGES.get(done.ended, "crash")
    if done.ended == "signal":
        stage = {"SIGXCPU": "timeout", "SIGXFSZ": "output"}.get(done.signal or "", "crash")
    if done.ended in ("signal", "exit") and done.returncode != 0 and _lacked_memory(done, limits):
        stage = "memory"
    elif done.ended == "exit":
        stage = "run"
    return Failed(stage, _with_log(f"the program {_ending(done, limits)}", done))


def _lacked_memory(done: Completed, limits: Limits) -> bool:
    if OUT_OF_MEMORY.search(done.stderr):
        return True
    return limits.memory_bytes is not None and done.peak_bytes > 0.9 * limits.memory_bytes


def _ending(done: Completed, limits: Limits) -> str:
    match done.ended:
        case "timeout":
            return f"did not end within {limits.wall_s:.3g} s"
        case "output":
            return f"printed more than {limits.output_bytes:,} bytes"
        case "disk":
            return f"wrote more files than the disk has room for, or folders deeper than {DEEPEST}"
        case "memory":
            return f"used more than {limits.memory_bytes or 0:,} bytes of memory"
        case "processes":
            return f"started more than {limits.processes} processes"
        case "signal":
            return f"was ended by {done.signal}"
        case "exit" if done.returncode == 0:
            return f"left {done.left_behind} processes running (killed)"
        case _:
            return f"ended with status {done.returncode}"


def _with_log(message: str, done: Completed) -> str:
    return f"{message}\n{done.log}" if done.log else message
