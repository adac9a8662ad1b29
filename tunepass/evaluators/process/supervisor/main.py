"""Start the program, watch it, sweep up after it, and tell the caller."""

from __future__ import annotations

import fcntl
import marshal
import os
import sys
import time

from tunepass.evaluators.process.supervisor import confinement, kernel, namespaces
from tunepass.evaluators.process.supervisor.filters import call_filter
from tunepass.evaluators.process.supervisor.folders import remove_folder
from tunepass.evaluators.process.supervisor.request import RunRequest, read_request
from tunepass.evaluators.process.supervisor.watch import Capture, Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from _socket import socket
else:
    import _signal as signal  # `signal` brings `enum`, which takes as long to import as all the rest

REPLY = 1
COUNTS_BY_NAMESPACE = (5, 14)  # the Linux since which a user namespace has a count of processes of its own


def keep_open(descriptors: list[int]) -> int:
    """Number them 3, 4, ... and close all others. The last, whose number this is, closes at exec, the others stay."""
    last = 2 + len(descriptors)
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD, last + 1) for fd in descriptors]
    for nr, fd in enumerate(high, 3):
        os.dup2(fd, nr)
    os.set_inheritable(last, False)
    os.closerange(last + 1, 1024)
    return last


def become(request: RunRequest, out: int, err: int, failed: int, channel: socket | None) -> None:
    """In the forked child: never returns. What fails before the program is started is told with what was being done."""
    doing, starting = "a process of its own", False
    try:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        if request.cpus:
            try_to(os.sched_setaffinity, 0, request.cpus)  # where allowed
        doing = f"the working folder {request.cwd}"
        os.chdir(request.cwd)
        for nr in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGCHLD):
            signal.signal(nr, signal.SIG_DFL)
        if request.temporary:
            doing = f"the temporary folder {request.temporary}"
            os.mkdir(request.temporary, 0o700)
            request.env["TMPDIR"] = request.temporary
        doing = "its limits and protection"
        confine(request, channel)
        doing = "its open files"
        null = os.open(os.devnull, os.O_RDONLY)
        for stream, fd in enumerate((null, out, err)):
            os.dup2(fd, stream)
        failed = keep_open([*request.descriptors, failed])
        starting = os.write(failed, marshal.dumps(time.monotonic())) > 0
        os.execvpe(request.argv[0], request.argv, request.env)
    except Exception as error:
        start = b"" if starting else marshal.dumps(time.monotonic())
        os.write(failed, start + failure_message(error, "" if starting else doing))
    finally:
        os._exit(127)


def failure_message(error: Exception, doing: str) -> bytes:
    """For the caller: the error's number and words, and what was being set up; empty for the program's own start."""
    number, words = (error.errno, error.strerror) if isinstance(error, OSError) else (None, "")
    return marshal.dumps((number or 0, str(words or error or type(error).__name__), doing))


def confine(request: RunRequest, channel: socket | None) -> None:
    """Give up what a program of that trust has no use for."""
    counts_by_namespace = request.protection == "user_namespaces" and kernel.linux_version() >= COUNTS_BY_NAMESPACE
    confinement.set_limits(request, count_processes=counts_by_namespace)
    if request.trust == "tool":
        return
    confinement.drop_capabilities(request.trust)
    if request.trust == "kernel":  # its orphans stay below it
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    alone = request.protection in ("namespaces", "user_namespaces")
    if request.trust == "kernel" or not alone:
        folder = request.scratch if request.trust == "kernel" else None
        confinement.restrict_writing(folder, shared=alone or channel is not None)
    filtered = request.filter and confinement.is_64_bit(request.argv[0], request.env.get("PATH", ""))
    if filtered and (request.trust == "kernel" or channel):
        code = call_filter(
            request.trust,
            broker=bool(channel),
            alone=alone,
            starts_processes=request.starts_processes,
            requests=confinement.keeps_requests(),
        )
        listener = confinement.filter_calls(code, listen=bool(channel))
        if channel:
            from tunepass.evaluators.process.supervisor.broker import hand_over

            hand_over(listener, channel)


def try_to(action: object, *arguments: object) -> None:
    try:  # noqa: SIM105 (importing contextlib takes longer than a run should)
        action(*arguments)  # type: ignore[operator]
    except OSError:
        pass


def main() -> None:
    if sys.argv[1:] == ["probe"]:
        from tunepass.evaluators.process.supervisor.probe import probe

        os.write(REPLY, marshal.dumps(probe()))
        return
    request = read_request()
    try:
        supervise(request)
    except Exception as error:  # whoever runs already ends with this process
        reply(request, failure=failure_message(error, "the supervisor"))


def supervise(request: RunRequest) -> None:
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    failed_read, failed_write = os.pipe()  # close-on-exec: when exec was called, and nothing more if it succeeded
    request.protection = namespaces.enter(request.protection, request.trust, request.memory_bytes)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    alone = request.protection in ("namespaces", "user_namespaces")
    init = namespaces.first_process() if alone else 0
    channels = channel_pair() if request.protection == "broker" and request.trust != "tool" else None
    target = os.fork()
    if target == 0:
        become(request, out_write, err_write, failed_write, channels[1] if channels else None)
    for fd in (out_write, err_write, failed_write, *request.descriptors):
        os.close(fd)
    captures = (Capture(out_read, request.output_bytes), Capture(err_read, request.output_bytes))
    watch = Watch(request, target, init, captures, wake_read)
    if channels:
        listen(watch, channels)
    watch.started, failure = started(failed_read)
    ended = watch.run()
    left = watch.left_behind() if ended == "exit" else 0
    watch.sweep()
    clean(watch)
    for capture in captures:  # a short program's last words
        if not capture.pump() and ended == "exit":
            ended = "output"
    reply(request, watch, ended, left, failure)


def started(failed: int) -> tuple[float, bytes]:
    """When the program was started, and why that failed. The child tells when: its parent may be told late, if it has
    to wait for a core until the kernel's next tick."""
    message = b""
    while piece := os.read(failed, 4096):
        message += piece
    size = len(marshal.dumps(0.0))
    first = marshal.loads(message[:size]) if message else None
    return (first, message[size:]) if isinstance(first, float) else (time.monotonic(), message)


def channel_pair() -> tuple[socket, socket]:
    """The broker is imported before a process waits for it with each file that it makes."""
    import _socket

    from tunepass.evaluators.process.supervisor import broker as broker

    return _socket.socketpair()


def listen(watch: Watch, channels: tuple[socket, socket]) -> None:
    from tunepass.evaluators.process.supervisor.broker import Broker, take_over

    ours, theirs = channels
    theirs.close()
    listener = take_over(ours)
    ours.close()
    if listener >= 0:
        watch.broker = Broker(listener)


def clean(watch: Watch) -> None:
    """Remove what the program left in shared memory and in its temporary folder."""
    if watch.broker:
        watch.broker.remove()
    if watch.request.temporary and os.path.isdir(watch.request.temporary):
        remove_folder(watch.request.temporary)


def reply(
    request: RunRequest, watch: Watch | None = None, ended: str = "exit", left: int = 0, failure: bytes = b""
) -> None:
    """`watch` is None where the program was not started."""
    status = watch.status if watch and watch.status is not None else 0
    usage, peak = (watch.usage, watch.peak) if watch else (None, 0)
    header = {
        "ended": ended,
        "exec_error": marshal.loads(failure) if failure else None,
        "returncode": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "seconds": (watch.ended or time.monotonic()) - watch.started if watch else 0.0,
        "left_behind": left,
        "protection": request.protection,
        "peak_bytes": max(peak, usage.ru_maxrss * 1024 if usage else 0),
        "cpu_s": usage.ru_utime + usage.ru_stime if usage else 0.0,
        "involuntary_switches": usage.ru_nivcsw if usage else 0,
    }
    texts = [bytes(capture.data) for capture in watch.captures] if watch else [b"", b""]
    send_reply(marshal.dumps((header, *texts)))


def send_reply(rest: bytes) -> None:
    try:
        while rest:
            rest = rest[os.write(REPLY, rest) :]
    except OSError:
        pass  # the caller is gone; everything below is too
