"""The ledger of checks of a GPU kernel that ran on a device."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.evaluators.gpu_run.expected import Expected
from tunepass.study.ledger import Check, Ledger, not_requested, ran, ran_unless

UNWATCHED = "no tool here looks for races between GPU threads"


def gpu_checks(expected: Expected, uncompared: Sequence[str], throttled: Sequence[str], *, timed: bool) -> Ledger:
    """Ledger of a candidate whose outputs called `uncompared` have other lengths than the reference's; `throttled` says
    what kept the device's clock down."""
    obstacles = [
        f"{name} has another length than the reference's, or stands in one of both alone" for name in uncompared
    ]
    compared = set(expected.outputs[expected.cases[0]]) - set(uncompared)
    few = [] if len(expected.cases) > 1 else ["there is one set of data"]
    return Ledger(
        (
            ran_unless("outputs", [] if compared else ["no output has the reference's length"]),
            ran_unless("seeds", few),
            Check("sizes", "could not run", "GPU kernels are compared at the size that is tuned"),
            *ran("guard pages"),
            ran_unless("tolerance", expected.warnings, "state one: `tolerance(...)`"),
            *not_requested("GPU kernels are not compared so", "scalars", "contents", "special values", "overlap"),
            ran_unless("all results", obstacles),
            *not_requested("it shares no process with the one that judges it", "floating-point state", "symbols"),
            *not_requested("no thread calls it", "small stack", "concurrent calls", "repeated calls", "processors"),
            *not_requested("it shares no process with the one that judges it", "processes", "written files"),
            *not_requested("it makes no system call", "system calls"),
            *not_requested("nothing is asked of the compiler", "applied"),
            *(ran("timed results") if timed else ()),
            Check("new inputs", "could not run", "launches that are timed one after the other have the same inputs"),
            *not_requested("the device times it by its own clock", "outside clock"),
            Check("data races", "could not run", UNWATCHED, "compute-sanitizer --tool racecheck"),
            *not_requested("the device decides the order of its threads", "schedules"),
            Check("core", "could not run", "nothing keeps others from the device"),
            *((ran_unless("machine speed", throttled),) if timed else ()),
        )
    )
