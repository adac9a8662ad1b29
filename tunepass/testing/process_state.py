"""State of a process that a run must leave as it was: open files, threads, children, signals, folder, environment."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc/self")


@dataclass(frozen=True, slots=True)
class ProcessCounts:
    """Numbers of open files, threads of Python and of the system, and child processes. Without /proc the system's are
    0."""

    files: int
    python_threads: int
    threads: int
    children: int

    @staticmethod
    def now() -> ProcessCounts:
        return ProcessCounts(
            files=_entries(PROC / "fd"),
            python_threads=threading.active_count(),
            threads=_entries(PROC / "task"),
            children=sum(len(_words(task / "children")) for task in _folder(PROC / "task")),
        )

    def settled(self, most_s: float = 5.0) -> ProcessCounts:
        """The numbers now, as soon as they are these: a thread is still listed for a moment after it was joined."""
        end = time.monotonic() + most_s
        while (counts := ProcessCounts.now()) != self and time.monotonic() < end:
            time.sleep(0.01)
        return counts


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """Settings that the embedding process owns: handlers of signals, working directory, environment, umask."""

    handlers: tuple[object, ...]
    folder: str
    environment: tuple[tuple[str, str], ...]
    umask: str

    @staticmethod
    def now() -> ProcessSettings:
        return ProcessSettings(
            handlers=tuple(signal.getsignal(number) for number in sorted(signal.valid_signals())),
            folder=os.getcwd(),
            environment=tuple(sorted(os.environ.items())),
            umask=next((line for line in _lines(PROC / "status") if line.startswith("Umask")), ""),
        )


def resident_kib() -> int:
    """Resident memory of this process in KiB, from /proc."""
    line = next(line for line in _lines(PROC / "status") if line.startswith("VmRSS"))
    return int(line.split()[1])


def _folder(path: Path) -> list[Path]:
    return list(path.iterdir()) if path.exists() else []


def _entries(path: Path) -> int:
    return len(os.listdir(path)) if path.exists() else 0


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:  # the thread ended, or the kernel does not list children
        return []
