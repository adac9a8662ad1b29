"""How programs under trial are kept from the build and from one another: what is wanted, and what there is."""

from __future__ import annotations

import functools
import marshal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tunepass.diagnostics import EnvironmentFault
from tunepass.evaluators.process.supervisor.kernel import PR_SET_DUMPABLE, prctl
from tunepass.machine_faults import machine_fault, remedy

START = Path(__file__).parent / "supervisor" / "start.py"
PROBE_S = 20.0

# What a program is trusted with. "tool": a compiler, what it likes. "program": the user's own commands; they reach no
# process but their own. "kernel": candidates in a generated harness; they also write nowhere but in their folder, use
# no network, and make no system call that a kernel has no business with.
Trust = Literal["tool", "program", "kernel"]

# From strong to weak. "namespaces" of processes, shared memory and mounts, as CAP_SYS_ADMIN permits; the same in
# "user_namespaces"; a "broker" that decides on system calls that name other processes; a "supervisor" alone.
Kind = Literal["namespaces", "user_namespaces", "broker", "supervisor"]


@dataclass(frozen=True, slots=True)
class Protection:
    """`kind` for all but tools; `filter` (of system calls) and `landlock` (its version, 0: none) for kernels."""

    kind: Kind
    filter: bool
    landlock: int


@functools.cache
def available() -> tuple[Protection, tuple[Kind, ...]]:
    """The strongest protection on this machine, and all its kinds; found out once, by doing it."""
    command = [*start_words(), "probe"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PROBE_S, check=True, stdin=subprocess.DEVNULL)
        versions: dict[str, int] = marshal.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, EOFError, ValueError, TypeError) as error:
        raise cannot_start(error) from error
    kinds: tuple[Kind, ...] = ("namespaces", "user_namespaces", "broker")
    kinds = (*(kind for kind in kinds if versions[kind]), "supervisor")
    return Protection(kinds[0], bool(versions["filter"]), versions["landlock"]), kinds


@functools.cache
def shield() -> Protection:
    """The strongest protection; before its first use this process is made one that no other may look into, where only
    that keeps candidates from writing its memory."""
    strongest, _ = available()
    if strongest.kind in ("broker", "supervisor") and not strongest.landlock:
        prctl(PR_SET_DUMPABLE, 0)
    return strongest


_WEAKENED: dict[str, None] = {}


def note_protection(requested: str, got: str) -> None:
    """Remember that a run had a weaker protection than it was to have: the kernel may refuse namespaces at any time."""
    if got != requested:
        _WEAKENED[f"the kernel refused {requested.replace('_', ' ')} to a run, which had a {got} alone"] = None


def weakened() -> list[str]:
    """In what way runs of this process were less protected than `shield` says, once each."""
    return list(_WEAKENED)


def cannot_start(error: Exception) -> EnvironmentFault:
    """The error where no supervisor starts: no space, no memory, or a Python that this user may not start."""
    summary, printed = "the supervisor of programs cannot be started", getattr(error, "stderr", None)
    lines = printed.decode(errors="replace").strip().splitlines() if isinstance(printed, bytes) else []
    if not lines:
        return machine_fault(error, summary)
    message = f"{summary}: {lines[-1]}"
    return EnvironmentFault(message, hint=remedy(message))


def start_words() -> list[str]:
    """The command that starts a supervisor."""
    utf8 = ["-X", "utf8"] if sys.getfilesystemencoding() == "utf-8" else []  # names mean to it what they mean here
    return [sys.executable or "python3", "-I", "-S", *utf8, str(START)]
