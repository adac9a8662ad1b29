"""One core for one measurement: two builds on one machine do not time on the same core at the same moment."""

from __future__ import annotations

import fcntl
import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def reserved_core() -> Iterator[tuple[int, ...]]:
    """A core of ours that nobody else measures on, waiting for one if need be; () where pinning is not possible."""
    cores = sorted(os.sched_getaffinity(0), reverse=True)  # interrupts tend to be served by the first
    held = -1
    chosen = cores[0]
    try:
        for core in cores:
            held = _lock(core, wait=False)
            if held >= 0:
                chosen = core
                break
        else:
            held = _lock(cores[0], wait=True)
        yield (chosen,) if len(cores) > 1 else ()
    finally:
        if held >= 0:
            os.close(held)


def _lock(core: int, *, wait: bool) -> int:
    """The lock file's descriptor; -1 when it is taken, or cannot be made (then nothing is reserved)."""
    path = Path(tempfile.gettempdir()) / f"tunepass-core-{os.getuid()}-{core}.lock"
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return -1
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(file)
        return -1
    return file


def processor_name() -> str:
    """The model as the kernel names it, or the architecture."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
