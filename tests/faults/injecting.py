"""The preloaded library that lets calls fail (inject.c), and the record that the processes of a run share."""

from __future__ import annotations

import errno
import os
import struct
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parent / "inject.c"
ROLES = ("tunepass", "supervisor", "tool")  # as inject.c lists them
EVER = 1_000_000_000  # times: from the n-th call on all fail

# What each call fails with, in the order of inject.c: a `pipe` is also a socket pair, a `fork` also a spawned process.
ERRORS: Mapping[str, tuple[int, ...]] = {
    "open": (errno.EMFILE, errno.ENOSPC, errno.EIO, errno.ENOMEM, errno.EROFS),
    "write": (errno.ENOSPC, errno.EIO),
    "fsync": (errno.EIO, errno.ENOSPC),
    "rename": (errno.ENOSPC, errno.EIO, errno.EROFS),
    "mkdir": (errno.ENOSPC, errno.EROFS, errno.EIO),
    "fork": (errno.EAGAIN, errno.ENOMEM),
    "exec": (errno.ENOMEM, errno.EIO, errno.EAGAIN),
    "mmap": (errno.ENOMEM, errno.EAGAIN),
    "flock": (errno.EIO, errno.ENOMEM),
    "thread": (errno.EAGAIN,),
    "pipe": (errno.EMFILE,),
    "dup": (errno.EMFILE,),
    "unshare": (errno.ENOSPC, errno.ENOMEM),
    "mount": (errno.ENOMEM, errno.EIO),
}


RECORD = struct.Struct(f"l240s{len(ROLES) * len(ERRORS)}l")  # struct record


@dataclass(frozen=True, slots=True)
class Fault:
    """The n-th call of a kind by processes of a role fails with `error`, and so do those after it while `times` lasts.
    `nth` 0: none fails."""

    call: str
    role: str  # tunepass, supervisor, tool
    nth: int
    times: int = 1
    error: int = 0

    def environment(self, record: Path) -> dict[str, str]:
        text = f"{self.call} {self.role} {self.nth} {self.times if self.nth else 0} {self.error}"
        return {"FAULT": text, "FAULT_RECORD": str(record)}

    def __str__(self) -> str:
        """For people, and for `--only`."""
        ever = "+" if self.times == EVER else ""
        return f"{self.call}/{self.role}/{self.nth}{ever}/{errno.errorcode.get(self.error, '')}"

    @classmethod
    def parse(cls, text: str) -> Fault:
        call, role, nth, name = text.split("/")
        number = int(nth.rstrip("+"))
        return cls(call, role, number, EVER if nth.endswith("+") else 1, getattr(errno, name) if name else 0)


@dataclass(frozen=True, slots=True)
class Record:
    """How many calls failed, which failed first, and how many were made of each role and kind."""

    failed: int
    what: str
    made: Mapping[tuple[str, str], int]

    @classmethod
    def read(cls, path: Path) -> Record:
        failed, what, *made = RECORD.unpack(path.read_bytes())
        kinds = [(role, call) for role in ROLES for call in ERRORS]
        return cls(failed, what.rstrip(b"\0").decode(errors="replace"), dict(zip(kinds, made, strict=True)))


def empty_record(path: Path) -> Path:
    path.write_bytes(bytes(RECORD.size))
    return path


def compiled_library(folder: Path) -> Path:
    """The library, compiled."""
    library = folder / "inject.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    return library


def preloaded(library: Path) -> dict[str, str]:
    return {**os.environ, "LD_PRELOAD": str(library)}
