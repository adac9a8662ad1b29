"""Owners of pending suggestions, and whether their processes still run.

Each holder locks a byte of its own, at random, of a file beside the store. The kernel ends the lock with the process:
it tells the living from the dead also where processes do not see one another, as in two containers.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import re
import secrets
import socket
import struct
import weakref
from collections.abc import Callable
from pathlib import Path

SUFFIX = "-owners"  # of the file beside the store; it is empty
FLOCK = "hhqqi4x"  # struct flock: type, whence, start, length, pid
LOCKED = re.compile(r"byte/([0-9]{1,18})/.*", re.DOTALL)
FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a FIFO in its place is not waited for
_COUNTER = itertools.count()
_LIVING: set[str] = set()  # owners of this process


class Owner:
    """One holder of suggestions in `store` (None: in memory), as long as it is not released and its process lives."""

    def __init__(self, store: Path | None):
        self._file = None if store is None else Path(f"{store.resolve()}{SUFFIX}")
        self._name = ""
        self._unlock: Callable[[], object] | None = None  # while a byte is locked

    @property
    def name(self) -> str:
        """`byte/offset/host/pid`, or `host/boot/pid/start/count` where a file cannot be locked like that. Taken when it
        is first asked for, so that who only reads makes no file."""
        if not self._name:
            self._name = self._lock() or register(self)
        return self._name

    def release(self) -> None:
        _LIVING.discard(self._name)
        if self._unlock is not None:
            self._unlock()
        self._unlock = None

    def alive(self, owner: str) -> bool:
        """Does the holder called `owner` still exist? One of another boot does not, and none of another host: a store
        in WAL mode is only shared within one running system, so its file was moved or the machine restarted."""
        match = LOCKED.fullmatch(owner)
        if match is None:
            return alive(owner)
        if owner == self._name:
            return self._unlock is not None
        return self._file is not None and _is_locked(self._file, int(match[1]))

    def _lock(self) -> str:
        """The name, empty where that does not work: no such locks here, or a folder that cannot be written."""
        if self._file is None or not hasattr(fcntl, "F_OFD_SETLK"):
            return ""
        offset = secrets.randbelow(10**18)
        try:
            descriptor = _locked(self._file, offset)
        except OSError:
            return ""
        self._unlock = weakref.finalize(self, _release, descriptor, self._file)
        return f"byte/{offset}/{socket.gethostname()}/{os.getpid()}"


def _locked(file: Path, offset: int) -> int:
    """The descriptor that holds the byte's lock; of a file that is still there, since the last to go removes it."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | FLAGS, 0o666)
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _write_lock(offset))
            if os.path.samestat(os.fstat(descriptor), file.stat()):
                return descriptor
        except (BlockingIOError, FileNotFoundError):
            pass  # it is being removed
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _release(descriptor: int, file: Path) -> None:
    """Let go of the byte, and remove the file if nobody else has one."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _write_lock(0, 0))
        if os.path.samestat(os.fstat(descriptor), file.stat()):
            file.unlink()
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _write_lock(offset: int, length: int = 1) -> bytes:
    """A struct flock that asks for so many bytes, 0: for all, for writing."""
    return struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, offset, length, 0)


def _is_locked(file: Path, offset: int) -> bool:
    try:
        descriptor = os.open(file, os.O_RDONLY | FLAGS)
    except OSError:
        return False
    try:
        answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _write_lock(offset))
        return bool(struct.unpack(FLOCK, answer)[0] != fcntl.F_UNLCK)
    except OSError:
        return False
    finally:
        os.close(descriptor)


def register(holder: object) -> str:
    """A name for `holder`, alive as long as it is: `host/boot/pid/start/count` (a pid alone is reused, and a reboot
    restarts the count)."""
    process = "/".join((socket.gethostname(), _boot(), str(os.getpid()), _start(os.getpid()) or ""))
    owner = f"{process}/{next(_COUNTER)}"
    _LIVING.add(owner)
    weakref.finalize(holder, _LIVING.discard, owner)
    return owner


def alive(owner: str) -> bool:
    """Does the holder that `register` gave this name still exist?"""
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
