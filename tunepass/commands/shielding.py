"""How candidates are kept from everything else on this machine, found out by running one."""

from __future__ import annotations

import re
import sys
import tempfile
from dataclasses import dataclass

from tunepass.diagnostics import EnvironmentFault, TunepassError
from tunepass.evaluators.process.isolation import ALLOW_NAMESPACES
from tunepass.evaluators.process.protection import Kind, shield
from tunepass.evaluators.process.run import Limits, run_limited
from tunepass.reports.answer import Json

WORDS: dict[Kind, str] = {
    "namespaces": "namespaces of processes, shared memory and mounts",
    "user_namespaces": "user namespaces, with those of processes, shared memory and mounts",
    "broker": "a supervisor that decides on system calls (seccomp)",
    "supervisor": "a supervisor alone",
}


@dataclass(frozen=True, slots=True)
class Shielding:
    """`landlock` is its version, 0 where there is none."""

    kind: Kind
    filtered: bool
    landlock: int
    core_dumps: bool
    gains_privileges: bool

    @property
    def data(self) -> Json:
        return {
            "processes": self.kind,
            "system_calls_filtered": self.filtered,
            "landlock": self.landlock,
            "core_dumps": self.core_dumps,
            "gains_privileges": self.gains_privileges,
        }

    @property
    def lines(self) -> tuple[tuple[str, str, str, str], ...]:
        """Name, purpose, what there is, and how to get more."""
        apart = self.kind in ("namespaces", "user_namespaces")
        landlock = f"Landlock {self.landlock}" if self.landlock else ""
        return (
            ("isolation", "candidates and other processes", WORDS[self.kind], "" if apart else ALLOW_NAMESPACES),
            ("filter", "system calls of candidates", "seccomp" if self.filtered else "", "a Linux with seccomp"),
            ("write guard", "files outside a candidate's folder", landlock, "Linux 5.13 with Landlock among its lsm="),
            ("core dumps", "candidates that crash", "on" if self.core_dumps else "off", ""),
        )


def shielding() -> Shielding:
    """Runs a candidate that prints what the kernel says of it. EnvironmentFault where none can be started."""
    strongest = shield()
    with tempfile.TemporaryDirectory() as folder:
        words = [
            sys.executable,
            "-I",
            "-S",
            "-c",
            "print(*(open(f'/proc/self/{n}').read() for n in ('status', 'limits')))",
        ]
        try:
            done = run_limited(words, limits=Limits(wall_s=10), cwd=folder, scratch=folder, trust="kernel")
        except TunepassError as error:
            raise EnvironmentFault(f"no candidate can be started: {error}") from error
    return Shielding(
        kind=strongest.kind,
        filtered=re.search(r"^Seccomp:\s*2$", done.stdout, re.MULTILINE) is not None,
        landlock=strongest.landlock,
        core_dumps=re.search(r"^Max core file size\s+0\s+0\s", done.stdout, re.MULTILINE) is None,
        gains_privileges=re.search(r"^NoNewPrivs:\s*1$", done.stdout, re.MULTILINE) is None,
    )
