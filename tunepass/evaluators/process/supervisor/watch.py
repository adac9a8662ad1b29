"""The running program: its output, its limits, its end, and the end of all that it started."""

from __future__ import annotations

import os
import resource
import select
import time

from tunepass.evaluators.process.supervisor.descendants import descendants, send, state_of
from tunepass.evaluators.process.supervisor.folders import bytes_below
from tunepass.evaluators.process.supervisor.request import LIFELINE, RunRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal

    from tunepass.evaluators.process.supervisor.broker import Broker
else:
    import _signal as signal  # `signal` brings `enum`, which takes as long to import as all the rest

POLL_S = 0.05  # how often descendants are counted and weighed
GRACE_S = 0.1  # children still exiting when the program ends are not "left behind"


class Capture:
    """Reads one pipe up to a cap."""

    def __init__(self, fd: int, cap: int):
        self.fd, self.cap, self.data, self.open = fd, cap, bytearray(), True
        os.set_blocking(fd, False)

    def pump(self) -> bool:
        """Read what is there; False once the cap is passed."""
        while self.open:
            try:
                piece = os.read(self.fd, 65536)
            except BlockingIOError:
                break
            if not piece:
                self.open = False
            self.data += piece
            if len(self.data) > self.cap:
                del self.data[self.cap :]
                return False
        return True


class Watch:
    """Reaps, captures, answers, and says how the program ended."""

    def __init__(self, request: RunRequest, target: int, init: int, captures: tuple[Capture, Capture], wakeup: int):
        self.request, self.target, self.init, self.captures = request, target, init, captures
        self.wakeup = wakeup
        self.broker: Broker | None = None
        self.started = time.monotonic()
        self.ended = 0.0
        self.status: int | None = None
        self.usage: resource.struct_rusage | None = None
        self.peak = 0
        self.room = room_for(request) if request.trust == "kernel" else None

    def reap(self) -> bool:
        """Wait for whatever has ended; False when there are no children at all."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.target:
                self.status, self.usage, self.ended = status, usage, time.monotonic()

    def alive(self) -> list[int]:
        return [p for p in descendants() if p != self.init and state_of(p)[0] not in "XZ"]

    def weigh(self) -> str | None:
        """Count and weigh the descendants: the limit they exceed, if any."""
        below = [state_of(p) for p in descendants() if p != self.init]
        resident = sum(size for _, _, size in below)
        self.peak = max(self.peak, resident)
        if len(below) > self.request.processes or sum(count for _, count, _ in below) > self.request.threads:
            return "processes"
        if self.request.memory_bytes is not None and resident > self.request.memory_bytes:
            return "memory"
        return "disk" if self.room is not None and bytes_below(self.request.scratch or "") > self.room else None

    def run(self) -> str:
        """Until the program ends or passes a limit: "exit", or the limit's name."""
        poller = select.poll()
        poller.register(LIFELINE, select.POLLIN)
        poller.register(self.wakeup, select.POLLIN)
        listener = self.broker.listener if self.broker else -1
        for fd in (*(capture.fd for capture in self.captures), *([listener] if self.broker else ())):
            poller.register(fd, select.POLLIN)
        deadline = self.started + self.request.wall_s
        next_weigh = self.started + POLL_S / 4
        while True:
            self.reap()
            if self.status is not None:
                return "exit"
            now = time.monotonic()
            if now >= deadline:
                return "timeout"
            if now >= next_weigh:
                over = self.weigh()
                if over:
                    return over
                next_weigh = time.monotonic() + POLL_S
            for fd, event in poller.poll(max(0.0, min(deadline, next_weigh) - now) * 1000 + 1):
                if fd == LIFELINE:
                    return "abandoned"
                if fd == self.wakeup:
                    os.read(self.wakeup, 512)
                if fd == listener and self.broker:
                    if event & select.POLLIN:
                        self.broker.answer()
                    else:
                        poller.unregister(listener)  # nobody is left who could ask
            for capture in self.captures:
                if not capture.pump():
                    return "output"
                if not capture.open:
                    forget(poller, capture.fd)

    def left_behind(self) -> int:
        """How many descendants outlive the program by more than a grace."""
        until = time.monotonic() + GRACE_S
        while True:
            self.reap()
            count = len(self.alive())
            if count == 0 or time.monotonic() > until:
                return count
            time.sleep(0.005)

    def sweep(self) -> None:
        """Kill everything below and wait until it is gone: first freeze, so that nothing forks meanwhile."""
        try:  # noqa: SIM105 (importing contextlib takes longer than a run should)
            os.nice(-20)  # ahead of a fork bomb, where allowed
        except OSError:
            pass
        if self.init:
            send(self.init, signal.SIGKILL)
        frozen: set[int] = set()
        while True:
            fresh = [p for p in descendants() if p not in frozen]
            if not fresh:
                break
            for pid in fresh:
                send(pid, signal.SIGSTOP)
            frozen.update(fresh)
        while self.reap():
            for pid in descendants():
                send(pid, signal.SIGKILL)
            time.sleep(0.001)


def room_for(request: RunRequest) -> int:
    """Bytes that the files of a kernel may take: those of one file, and never more than half of what is free."""
    disk = os.statvfs(request.scratch or ".")
    free = disk.f_bavail * disk.f_frsize // 2
    return free if request.file_bytes is None else min(free, request.file_bytes)


def forget(poller: select.poll, fd: int) -> None:
    try:  # noqa: SIM105
        poller.unregister(fd)
    except KeyError:
        pass
