"""Rows of the ledger on what keeps a program under trial from everything else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tunepass.compilers.asking import base_environment
from tunepass.evaluators.process.protection import Trust, shield, weakened
from tunepass.evaluators.process.supervisor.confinement import is_64_bit
from tunepass.study.ledger import Check, not_requested, ran_unless

ALLOW_NAMESPACES = (
    "allow user namespaces: sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0"
)
NEEDS_LANDLOCK = "Linux 6.2 with Landlock among its lsm="
TRUNCATING = 3  # the version of Landlock since which truncating is a right
USER_COMMAND = "the user's own commands may do what the user may"


def calls_are_filtered(program: Path | str, environment: Mapping[str, str] | None = None) -> bool:
    """Are a kernel's system calls filtered?"""
    path = (environment or base_environment()).get("PATH", "")
    return shield().filter and is_64_bit(os.fspath(program), path)


def isolation_checks(program: Path | str, trust: Trust, environment: Mapping[str, str] | None = None) -> list[Check]:
    """`processes`, `written files` and `system calls` of a program that runs with this trust."""
    shielding = shield()
    apart = [] if shielding.kind != "supervisor" else ["there are neither namespaces nor a broker of system calls"]
    apart += weakened()
    processes = ran_unless("processes", apart, ALLOW_NAMESPACES)
    if trust != "kernel":
        return [processes, *not_requested(USER_COMMAND, "written files", "system calls")]
    writing = [] if shielding.landlock else ["this Linux has no Landlock"]
    if 0 < shielding.landlock < TRUNCATING:
        writing.append(f"Landlock {shielding.landlock} does not keep files from being truncated")
    calls = [] if shielding.filter else ["this Linux takes no filter of system calls (seccomp)"]
    if not is_64_bit(os.fspath(program), (environment or base_environment()).get("PATH", "")):
        calls.append("it is a 32-bit program, which numbers its calls differently")
    return [
        processes,
        ran_unless("written files", writing, NEEDS_LANDLOCK),
        ran_unless("system calls", calls, "a Linux with seccomp, and a 64-bit program"),
    ]
