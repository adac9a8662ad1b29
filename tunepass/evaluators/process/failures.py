"""Failure classification: from how a program ended to a failure at the right stage."""

from __future__ import annotations

import re

from tunepass.evaluators.process.first_error import without_warnings
from tunepass.evaluators.process.run import Completed, Limits, head
from tunepass.study.outcome import Failed, Outcome

OUT_OF_MEMORY = re.compile(
    r"bad_alloc|out of memory|cannot allocate memory|memory exhausted|MemoryError", re.IGNORECASE
)

STAGES = {"timeout": "timeout", "output": "output", "disk": "output", "memory": "memory", "processes": "run"}


# Words of a machine that fails, as the C library, gcc, clang, linkers, make and this package say them; what to do then.
REMEDIES = {
    r"No space left on device|Disk quota exceeded": (
        "free some space (TMPDIR names another temporary folder, --store another store, -o another output folder)"
    ),
    r"Read-only file system": "name a folder that can be written: TMPDIR for temporary files, --store, -o",
    (
        r"Cannot allocate memory|Resource temporarily unavailable|Killed signal terminated|virtual memory exhausted|"
        r"was ended by SIG(?:KILL|BUS)|the supervisor of .* died|cannot fork|vfork: |unable to create a? ?thread"
    ): "close other programs, or compile fewer side by side (--jobs)",
    r"Too many open files": "close other programs, or raise the limit (ulimit -n)",
    r"Text file busy|Stale file handle|Input/output error|Transport endpoint|Remote I/O error": "is the disk well?",
    r"[Cc]annot create temporary file|cannot execute|unable to execute command|posix_spawn": (
        "is the compiler still whole, and is the temporary folder (TMPDIR) there?"
    ),
    r"the supervisor of programs cannot be started": "may this user start the Python that tunepass runs in?",
    r"cannot run .* cannot be set up: ": "`tunepass doctor` says what this machine permits",
}
OF_THE_MACHINE = re.compile("|".join(REMEDIES))
BELIEVED = "(tried again, and the default still works)"
CHECKED = ("compile", "run", "memory")  # stages in which a failure may be the machine's whatever its words are


def of_the_machine(text: str) -> bool:
    """Are the words those of a machine that fails, whatever runs on it?"""
    return OF_THE_MACHINE.search(text) is not None


def may_be_the_machines(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed) and (outcome.stage in CHECKED or of_the_machine(outcome.log))


def remedy(text: str) -> str:
    """Remedy for a machine with this failure."""
    return next((words for pattern, words in REMEDIES.items() if re.search(pattern, text)), "find out why")


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
            return "wrote more files than the disk has room for"
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
