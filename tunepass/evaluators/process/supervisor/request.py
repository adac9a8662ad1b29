"""Requests to the supervisor."""

from __future__ import annotations

import marshal
import os

LIFELINE = 0


class RunRequest:
    """What to run, in which surroundings, under which limits. No dataclass: importing those is slow.

    `trust` and `protection` are those of tunepass.evaluators.process.protection; `filter`: Linux takes filters of
    system calls. A kernel without `starts_processes` is killed where it starts one. `scratch` is the folder that a
    kernel may write to, and in which a program has a folder for its temporary files, which do not outlive it; None:
    these go where the caller's do.
    """

    argv: list[str]
    cwd: str
    env: dict[str, str]
    cpus: list[int]
    trust: str
    protection: str
    filter: bool
    starts_processes: bool
    scratch: str | None
    wall_s: float
    cpu_s: float | None
    memory_bytes: int | None
    limit_reservations: bool
    output_bytes: int
    file_bytes: int | None
    processes: int
    threads: int
    descriptors: list[int]

    def __init__(self, fields: dict[str, object]):
        self.__dict__.update(fields)
        self.temporary = os.path.join(self.scratch, f"tmp-{os.getpid():07}") if self.scratch else ""


def read_request() -> RunRequest:
    size = int.from_bytes(read(8), "little")
    return RunRequest(marshal.loads(read(size)))


def read(size: int) -> bytes:
    """Exactly that many bytes; ends the process when the caller is gone."""
    text = b""
    while len(text) < size:
        piece = os.read(LIFELINE, size - len(text))
        if not piece:
            os._exit(1)
        text += piece
    return text
