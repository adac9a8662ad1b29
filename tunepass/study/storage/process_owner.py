"""Who holds a pending suggestion, and whether it still lives."""

from __future__ import annotations

import itertools
import os
import re
import socket
import weakref
from pathlib import Path

_COUNTER = itertools.count()
_LIVING: set[str] = set()  # owners of this process


def register(holder: object) -> str:
    """A name for `holder`, alive as long as it is: `host/boot/pid/start/count` (a pid alone is reused, and a reboot
    restarts the count)."""
    process = "/".join((socket.gethostname(), _boot(), str(os.getpid()), _start(os.getpid()) or ""))
    owner = f"{process}/{next(_COUNTER)}"
    _LIVING.add(owner)
    weakref.finalize(holder, _LIVING.discard, owner)
    return owner


def release(owner: str) -> None:
    _LIVING.discard(owner)


def alive(owner: str) -> bool:
    """Does the holder called `owner` still exist? One of another host or boot does not: a store in WAL mode is only
    shared within one running system, so its file was moved or the machine restarted."""
    host, boot, pid, start, _ = owner.rsplit("/", 4) if owner.count("/") >= 4 else [""] * 5
    if host != socket.gethostname() or boot != _boot() or not re.fullmatch("[0-9]{1,10}", pid):
        return False
    if int(pid) == os.getpid():
        return owner in _LIVING
    now = _start(int(pid))
    return now is not None and now == start


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _start(pid: int) -> str | None:
    """The start time of a process in clock ticks since boot (proc(5), stat field 22); None if there is none."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if state in ("Z", "X") else fields[18]
    except (OSError, ValueError, IndexError):
        pass
    if Path("/proc/self/stat").exists():
        return None
    try:  # no /proc: the pid has to do
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return ""
