"""Failure classification for a generated harness, which reports what it was doing."""

from __future__ import annotations

from tunepass.evaluators.harness.dialogue.report import Report, describe_out_of_bounds
from tunepass.evaluators.process.failures import OUT_OF_MEMORY, run_failure
from tunepass.evaluators.process.run import Completed, Limits
from tunepass.study.outcome import Failed

SETUP_FAILS = "the setup fails: "
STARTS_A_PROCESS = "it starts a process, which the untouched source does not"  # the filter of system calls kills it


def harness_failure(done: Completed, report: Report, limits: Limits) -> Failed | None:
    """How a run of a generated harness failed; None when it completed."""
    if done.ok and report.done:
        return None
    match report.fault:
        case ["out_of_bounds", *_]:
            return Failed("out_of_bounds", describe_out_of_bounds(report.fault))
        case ["read_only", name]:
            return Failed("wrong_result", f"wrote to {name}, which is an input")
        case ["setup", words]:
            return Failed("run", f"{SETUP_FAILS}{words}")
        case ["stack"]:
            return Failed("crash", "ran out of stack (SIGSEGV)")
        case ["thrown", words]:
            return Failed(
                "memory" if OUT_OF_MEMORY.search(words) else "crash", f"an exception left the kernel: {words}"
            )
        case _:
            pass
    if report.refused_bytes is not None and done.ended in ("exit", "signal"):
        return Failed("memory", f"an allocation of {report.refused_bytes:,} bytes was refused")
    if report.error:
        return Failed("run", report.error)
    if done.signal == "SIGSYS":
        return Failed("cheated", STARTS_A_PROCESS)
    if done.ok:
        return Failed("crash", "the kernel ended the program")
    return run_failure(done, limits)
