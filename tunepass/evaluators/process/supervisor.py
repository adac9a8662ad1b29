"""The helper process that runs one program under limits and leaves nothing of it behind. Run as a script.

It is a process of its own because killing "everything a program left behind" needs a parent that orphans are given to
(a child subreaper) and that may wait for any child, and neither belongs in a library inside someone else's process.
Where the kernel permits, the program also runs in a PID namespace whose end kills a fork bomb in one stroke.

Protocol: a JSON request (`RunRequest`'s fields), a newline, then stdin stays open: its end means that the caller is
gone and everything is to be killed. Reply on stdout: a JSON line, then the captured stdout and stderr bytes.
Imports the standard library only, so that starting it costs ~20 ms.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, CLONE_NEWPID = 1, 36, 0x20000000
LIFELINE, REPLY = 0, 1
POLL_S = 0.05  # how often descendants are counted and weighed
GRACE_S = 0.1  # children still exiting when the program ends are not "left behind"
libc = ctypes.CDLL(None, use_errno=True)


class RunRequest:
    """What to run, in which surroundings, under which limits. No dataclass: importing those is slow."""

    argv: list[str]
    cwd: str
    env: dict[str, str]
    cpus: list[int]
    namespace: bool
    wall_s: float
    cpu_s: float | None
    memory_bytes: int | None
    limit_reservations: bool
    output_bytes: int
    file_bytes: int | None
    processes: int
    descriptors: list[int]

    def __init__(self, fields: dict[str, object]):
        self.__dict__.update(fields)


def read_request() -> RunRequest:
    text = b""
    while not text.endswith(b"\n"):
        piece = os.read(LIFELINE, 65536)
        if not piece:
            os._exit(1)
        text += piece
    return RunRequest(json.loads(text))


# --- /proc -------------------------------------------------------------------------------------------------------


def children_of(pid: int) -> list[int]:
    """Children of every thread of `pid`; empty when it is gone."""
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                children += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return children


def parents_by_scan() -> dict[int, list[int]]:
    """Parent -> children over all of /proc, for kernels without `children` files."""
    tree: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            tree.setdefault(int(fields[1]), []).append(int(entry))
    return tree


HAS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def descendants() -> list[int]:
    """Every process below this one, zombies included, parents first."""
    tree = None if HAS_CHILDREN else parents_by_scan()
    pids: list[int] = []
    front = [os.getpid()]
    while front:
        pid = front.pop()
        below = children_of(pid) if tree is None else tree.get(pid, [])
        pids += below
        front += below
    return pids


def state_and_rss(pid: int) -> tuple[str, int]:
    """Process state letter and resident bytes; ("X", 0) when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return "X", 0
    return fields[0].decode(), int(fields[21]) * resource.getpagesize()


def send(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


# --- starting ----------------------------------------------------------------------------------------------------


def enter_namespace() -> int:
    """Pid of the new PID namespace's init, which only reaps; 0 where the kernel does not permit one."""
    if libc.unshare(CLONE_NEWPID) != 0:
        return 0
    init = os.fork()
    if init == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.closerange(0, 256)
        while True:
            signal.pause()
    return init


def set_limits(request: RunRequest) -> None:
    def limit(kind: int, value: int | None) -> None:
        if value is not None:
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))

    limit(resource.RLIMIT_CORE, 0)
    if request.limit_reservations:
        limit(resource.RLIMIT_DATA, request.memory_bytes)
    limit(resource.RLIMIT_FSIZE, request.file_bytes)
    if request.cpu_s is not None:
        limit(resource.RLIMIT_CPU, max(1, int(request.cpu_s + 0.999)))


def keep_open(descriptors: list[int]) -> int:
    """Number them 3, 4, ... and close all others. The last, whose number this is, closes at exec, the others stay."""
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 64) for fd in descriptors]
    for number, fd in enumerate(high, 3):
        os.dup2(fd, number)
    last = 2 + len(high)
    os.set_inheritable(last, False)
    os.closerange(last + 1, 1024)
    return last


def become(request: RunRequest, out: int, err: int, failed: int) -> None:
    """In the forked child: never returns."""
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        failed = keep_open([*request.descriptors, failed])
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        if request.cpus:
            with contextlib.suppress(OSError):  # where allowed
                os.sched_setaffinity(0, request.cpus)
        os.chdir(request.cwd)
        set_limits(request)
        os.execvpe(request.argv[0], request.argv, request.env)
    except OSError as error:
        os.write(failed, json.dumps([error.errno, str(error.strerror)]).encode())
    finally:
        os._exit(127)


# --- watching ----------------------------------------------------------------------------------------------------


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
    """The running program: reaps, captures, and says how it ended."""

    def __init__(self, request: RunRequest, target: int, init: int, captures: tuple[Capture, Capture], wakeup: int):
        self.request, self.target, self.init, self.captures = request, target, init, captures
        self.wakeup = wakeup
        self.started = time.monotonic()
        self.ended = 0.0
        self.status: int | None = None
        self.usage: resource.struct_rusage | None = None
        self.peak = 0

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
        return [p for p in descendants() if p != self.init and state_and_rss(p)[0] not in "XZ"]

    def weigh(self) -> str | None:
        """Count and weigh the descendants: the limit they exceed, if any."""
        below = [p for p in descendants() if p != self.init]
        resident = sum(state_and_rss(p)[1] for p in below)
        self.peak = max(self.peak, resident)
        if len(below) > self.request.processes:
            return "processes"
        if self.request.memory_bytes is not None and resident > self.request.memory_bytes:
            return "memory"
        return None

    def run(self) -> str:
        """Until the program ends or passes a limit: "exit", or the limit's name."""
        poller = select.poll()
        poller.register(LIFELINE, select.POLLIN)
        poller.register(self.wakeup, select.POLLIN)
        for capture in self.captures:
            poller.register(capture.fd, select.POLLIN)
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
            for fd, _ in poller.poll(max(0.0, min(deadline, next_weigh) - now) * 1000 + 1):
                if fd == LIFELINE:
                    return "abandoned"
                if fd == self.wakeup:
                    os.read(self.wakeup, 512)
            for capture in self.captures:
                if not capture.pump():
                    return "output"
                if not capture.open:
                    with contextlib.suppress(KeyError):
                        poller.unregister(capture.fd)

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
        with contextlib.suppress(OSError):  # ahead of a fork bomb, where allowed
            os.nice(-20)
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


def main() -> None:
    request = read_request()
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    failed_read, failed_write = os.pipe()  # close-on-exec: its end without bytes means that exec succeeded
    init = enter_namespace() if request.namespace else 0
    target = os.fork()
    if target == 0:
        become(request, out_write, err_write, failed_write)
    for fd in (out_write, err_write, failed_write, *request.descriptors):
        os.close(fd)
    captures = (Capture(out_read, request.output_bytes), Capture(err_read, request.output_bytes))
    watch = Watch(request, target, init, captures, wake_read)
    failure = os.read(failed_read, 4096)
    ended = watch.run()
    left = watch.left_behind() if ended == "exit" else 0
    watch.sweep()
    for capture in captures:  # a short program's last words
        if not capture.pump() and ended == "exit":
            ended = "output"
    reply(watch, ended, left, failure)


def reply(watch: Watch, ended: str, left: int, failure: bytes) -> None:
    usage = watch.usage
    status = watch.status if watch.status is not None else 0
    header = {
        "ended": ended,
        "exec_error": json.loads(failure) if failure else None,
        "returncode": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "seconds": (watch.ended or time.monotonic()) - watch.started,
        "left_behind": left,
        "namespace": bool(watch.init),
        "peak_bytes": max(watch.peak, usage.ru_maxrss * 1024 if usage else 0),
        "cpu_s": usage.ru_utime + usage.ru_stime if usage else 0.0,
        "involuntary_switches": usage.ru_nivcsw if usage else 0,
        "stdout": len(watch.captures[0].data),
        "stderr": len(watch.captures[1].data),
    }
    rest = json.dumps(header).encode() + b"\n" + bytes(watch.captures[0].data) + bytes(watch.captures[1].data)
    try:
        while rest:
            rest = rest[os.write(REPLY, rest) :]
    except OSError:
        pass  # the caller is gone; everything below is too


if __name__ == "__main__":
    main()
