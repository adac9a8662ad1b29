"""One core for one measurement: two builds on one machine do not time on the same core at the same moment."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import EnvironmentFault
from tunepass.machine_faults import raise_machines

NOTICE_AFTER_S = 2.0  # of waiting: most others measure for less than a second
MOST_S = 600.0  # of waiting, where no budget says otherwise


def _say_nothing(text: str) -> None:
    """Tells nobody."""


def _most() -> float:
    return MOST_S


def _endless() -> float:
    return math.inf


class OutOfTime(Exception):
    """The time of the search ended within a trial, of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How to wait for a core: `tell` is told once for whom, `left_s` says how long there is still time. A trial has
    `search_left_s`: one that would go on for longer is given up (OutOfTime). `search_s` is how long the whole search
    goes on, if that is what limits it."""

    tell: Callable[[str], None] = _say_nothing
    left_s: Callable[[], float] = _most
    said_after_s: float = NOTICE_AFTER_S
    search_left_s: Callable[[], float] = _endless
    search_s: float | None = None


@contextmanager
def reserved_core(
    patience: Patience = Patience(), report_obstacle: Callable[[str], None] = _say_nothing
) -> Iterator[tuple[int, ...]]:
    """A core of ours that nobody else measures on; () where pinning is not possible. Waits for one if need be; raises
    EnvironmentFault when there is no more time to. `report_obstacle` is told why others may measure
    there all the same."""
    cores = sorted(os.sched_getaffinity(0), reverse=True)  # interrupts tend to be served by the first
    descriptor, chosen = -1, cores[0]
    try:
        for core in cores:
            descriptor = _lock(core)
            if descriptor >= 0:
                chosen = core
                break
        else:
            waited_for = cores[os.getpid() % len(cores)]
            descriptor = _waited_for(waited_for, patience)
            chosen = waited_for if descriptor >= 0 else chosen
        if descriptor >= 0:
            _sign(descriptor)
        else:
            report_obstacle(f"no core can be reserved: {_path(chosen)} cannot be locked")
        yield (chosen,) if len(cores) > 1 else ()
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _path(core: int) -> Path:
    return Path(tempfile.gettempdir()) / f"tunepass-core-{os.getuid()}-{core}.lock"


def _open(core: int) -> int:
    """The lock file's descriptor; -1 when there can be none (then nothing is reserved)."""
    try:
        file = os.open(_path(core), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return -1
    if os.fstat(file).st_uid == os.getuid():
        return file
    os.close(file)  # somebody else's, who could keep it for ever
    return -1


def _lock(core: int) -> int:
    """The descriptor that holds the core's lock; -1 when it is taken, or there can be none."""
    file = _open(core)
    if file < 0:
        return -1
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return -1
    return file


def _waited_for(core: int, patience: Patience) -> int:
    """The descriptor that holds the core's lock, or -1 as `_open`. A thread waits for it: whoever asks for it again and
    again comes too late where the holder measures one candidate after another, and disturbs it."""
    file = _open(core)
    if file < 0:
        return -1
    acquired, ended, given_up = threading.Event(), threading.Lock(), False

    def take() -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        with ended:
            if given_up:
                os.close(file)
            acquired.set()

    threading.Thread(target=take, name="core", daemon=True).start()
    try:
        left_s = max(0.0, patience.left_s())
        if not acquired.wait(min(patience.said_after_s, left_s)):
            patience.tell(f"waiting for a core to measure on: {_holder(core)}")
            if not acquired.wait(max(0.0, patience.left_s())):
                raise EnvironmentFault(
                    f"no core became free to measure on: {_holder(core)}",
                    hint="wait for it or end it, or give this build more time (--budget)",
                )
        return file
    except BaseException:
        with ended:
            given_up = True
            if acquired.is_set():
                os.close(file)
        raise


def _sign(descriptor: int) -> None:
    """Write this process and the time into the lock file, for those who wait."""
    words = " ".join(sys.argv[1:])[:200]
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()} {time.time():.0f} {words}".encode(errors="replace"), 0)


def _holder(core: int) -> str:
    """Process that has the core, and for how long."""
    try:
        pid, since, *words = _path(core).read_text(errors="replace").split()
        seconds = max(0.0, time.time() - float(since))
        return f"process {int(pid)} (`tunepass {' '.join(words)}`) has measured there for {seconds:.0f} s"
    except (OSError, ValueError):
        return "another process measures there"


def processor_name(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The model as the kernel names it, or the architecture."""
    try:
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError as error:
        raise_machines(error)
    return platform.processor() or platform.machine()
