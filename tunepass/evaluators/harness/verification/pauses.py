"""A candidate with threads that pause where they meet: after atomic operations, and now and then at other accesses.

ThreadSanitizer finds accesses that nothing orders. It does not see an update that is lost between an atomic read and
the write after it, ordered and wrong all the same, nor what it is not told of other OpenMP libraries. The object that
it would watch is linked with pauses.c in the place of libtsan, so that such moments come up in a few calls.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path

from tunepass.evaluators.harness.harness import BuiltHarness
from tunepass.evaluators.harness.verification.threads import Unwatched, first_line
from tunepass.ir.candidate import Candidate


def paused_program(harness: BuiltHarness, candidate: Candidate, target: Path, folder: Path) -> Path | Unwatched:
    """The program of a watched object (threads.py), or why there is none."""
    text, pauses = folder / "pauses.c", folder / "pauses.o"
    text.write_text((resources.files("tunepass.evaluators.harness.verification") / "pauses.c").read_text())
    _, failure = harness.compiling.run_patiently(["-x", "c", "-O1", "-w", "-c", text, "-o", pauses])
    if failure is None:
        paused = replace(harness, objects=(*harness.objects, pauses))
        program, failure = paused.link(target, candidate, folder, by_own=True)
        if program is not None and failure is None:
            return program
    return Unwatched(
        f"it cannot be linked so that its threads pause: {first_line(failure) if failure else 'no program'}"
    )
