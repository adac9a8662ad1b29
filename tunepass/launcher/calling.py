"""The compiler run in this process's place, or beside it. Needs no module that takes long to load."""

from __future__ import annotations

import os
import sys

TERMINATE = 15  # signal.SIGTERM, whose module takes its time to load


def become(words: list[str]) -> int:
    """Hand over to the compiler altogether: its status, signals and output are its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvp(words[0], words)
    except OSError as error:
        raise missing(words[0], error) from None


def run(words: list[str]) -> int:
    """The program's status; of one that a signal ended what a shell says."""
    sys.stderr.flush()
    try:
        child = os.posix_spawnp(words[0], words, os.environ)
    except OSError as error:
        raise missing(words[0], error) from None
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except BaseException:  # interrupted: nothing goes on after us
        os.kill(child, TERMINATE)
        os.waitpid(child, 0)
        raise
    return status if status >= 0 else 128 - status


def missing(name: str, error: OSError) -> Exception:
    from tunepass.diagnostics import ToolError
    from tunepass.machine_faults import cannot

    return cannot(
        f"run the compiler {name}", error, ToolError, "set TUNEPASS_CC to a C compiler, TUNEPASS_CXX to one of C++"
    )
