"""Run one program under limits: `run_limited`. Whatever happens, nothing of it is left running."""

from __future__ import annotations

import contextlib
import errno
import marshal
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypedDict, TypeVar

from tunepass.compilers.asking import base_environment
from tunepass.diagnostics import EnvironmentFault, ToolError, TunepassError
from tunepass.evaluators.process.protection import Kind, Trust, cannot_start, note_protection, shield, start_words
from tunepass.machine_faults import cannot, remedy

_running: dict[subprocess.Popen[bytes], ProgramGroup | None] = {}
_running_lock = threading.Lock()
_GROUP: ContextVar[ProgramGroup | None] = ContextVar("group", default=None)  # of the programs that this thread runs
Result = TypeVar("Result")
WORKED = 0.8  # share of its time that a program which never waits has the processor
ASK_DOCTOR = "`tunepass doctor` says what this machine permits"
LOG_TAIL = 4000  # characters of a tool's output kept with an outcome

Ended = Literal["exit", "signal", "timeout", "memory", "output", "processes", "disk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a program may use. `memory_bytes` bounds each process's data segment and, by sampling, the resident set of
    all its processes together; sanitizers reserve terabytes they never touch, so they need `limit_reservations=False`.
    `processes` counts processes, not threads."""

    wall_s: float
    cpu_s: float | None = None
    memory_bytes: int | None = 4 << 30
    output_bytes: int = 1 << 20  # of stdout, and of stderr
    file_bytes: int | None = 1 << 30
    processes: int = 64
    threads: int = 4096  # of all processes together
    limit_reservations: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """How a program ended and what it used. `left_behind` counts the processes that outlived it (killed since)."""

    ended: Ended
    returncode: int | None = None
    signal: str | None = None  # SIGSEGV, ...
    stdout: str = field(default="", repr=False)
    stderr: str = field(default="", repr=False)
    seconds: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0
    left_behind: int = 0
    involuntary_switches: int = 0

    @property
    def ok(self) -> bool:
        return self.ended == "exit" and self.returncode == 0 and self.left_behind == 0

    @property
    def starved(self) -> bool:
        """Did it reach its limit having mostly waited, perhaps because others had the core?"""
        return self.ended == "timeout" and self.cpu_s < WORKED * self.seconds

    @property
    def log(self) -> str:
        """The tail of what it printed, errors last."""
        return tail(self.whole_log)

    @property
    def whole_log(self) -> str:
        return "\n".join(part.rstrip() for part in (self.stdout, self.stderr) if part.strip())


class ProgramStop:
    """Ends one program from another thread, with all that it started; also before it has begun."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        self._changing = threading.Lock()

    def can_end(self, process: subprocess.Popen[bytes]) -> None:
        with self._changing:
            self._process = process
            if self._ended:
                _let_go(process)

    def end(self) -> None:
        with self._changing:
            self._ended = True
            if self._process is not None:
                _let_go(self._process)


class _Header(TypedDict):
    """The first part of the supervisor's reply; the captured bytes follow."""

    ended: Ended | Literal["abandoned"]
    exec_error: tuple[int, str, str] | None  # its number, its words, what was being set up (empty: the program's start)
    returncode: int | None
    signal: int | None
    seconds: float
    left_behind: int
    peak_bytes: int
    cpu_s: float
    involuntary_switches: int
    protection: Kind


def tail(text: str, limit: int = LOG_TAIL) -> str:
    return text if len(text) <= limit else "…" + text[-limit:]


def head(text: str, limit: int = LOG_TAIL) -> str:
    """The whole lines at its start."""
    return text if len(text) <= limit else text[: max(text.rfind("\n", 0, limit), 0) or limit] + "\n…"


def run_limited(
    argv: Sequence[str | Path],
    *,
    limits: Limits,
    cwd: Path | str | None = None,
    env: Mapping[str, str] | None = None,
    cpus: Sequence[int] = (),
    trust: Trust = "program",
    scratch: Path | str | None = None,
    protection: Kind | None = None,
    descriptors: Sequence[int] = (),
    stop: ProgramStop | None = None,
    starts_processes: bool = True,
) -> Completed:
    """Run `argv` (never through a shell; stdin is /dev/null) in `cwd` with exactly the environment `env`.

    Kills the program, its process group and every descendant (also those that called setsid) at a limit, at its end,
    and when the caller is interrupted or dies. `cpus` pins it where allowed. What it may do is a matter of `trust`;
    `scratch` is the folder for its temporary files, which end with it, and the only one that a kernel may write to.
    `protection` is the strongest there is, unless a weaker one is wanted. A kernel without `starts_processes` ends with
    SIGSYS where it starts one, if Linux takes filters of system calls.
    `descriptors` are open files that the program finds as 3, 4, ...; nothing of them stays open beside it. With `stop`
    another thread may end it, which raises KeyboardInterrupt here. Raises ToolError when the program cannot be started.
    """
    if trust == "kernel" and scratch is None:
        raise ValueError("a kernel needs the folder that it may write to")
    words = [os.fspath(word) for word in argv]
    shielding = None if trust == "tool" else shield()
    request = {
        "argv": words,
        "cwd": os.fspath(cwd) if cwd is not None else os.getcwd(),
        "env": dict(base_environment() if env is None else env),
        "cpus": list(cpus),
        "trust": trust,
        "protection": protection or (shielding.kind if shielding else "namespaces"),
        "filter": shielding is not None and shielding.filter,
        "starts_processes": starts_processes,
        "scratch": os.path.abspath(scratch) if scratch is not None else None,
        "wall_s": limits.wall_s,
        "cpu_s": limits.cpu_s,
        "memory_bytes": limits.memory_bytes,
        "limit_reservations": limits.limit_reservations,
        "output_bytes": limits.output_bytes,
        "file_bytes": limits.file_bytes,
        "processes": limits.processes,
        "threads": limits.threads,
        "descriptors": list(descriptors),
    }
    reply, complaint = _supervise(marshal.dumps(request), descriptors, stop or ProgramStop())
    try:
        answer: tuple[_Header, bytes, bytes] = marshal.loads(reply)
    except (EOFError, ValueError, TypeError):
        died = f"the supervisor of {words[0]} died"
        hint = remedy(complaint) if complaint else "was it killed for lack of memory?"
        raise EnvironmentFault(f"{died}: {complaint}" if complaint else died, hint=hint) from None
    if shielding is not None and not answer[0]["exec_error"]:
        note_protection(str(request["protection"]), answer[0]["protection"])
    return _completed(words[0], *answer)


def _supervise(request: bytes, descriptors: Sequence[int], stop: ProgramStop) -> tuple[bytes, str]:
    """Start the supervisor, keep its stdin open until it has replied, and wait for it. Its reply, and where it
    has none the last line on its stderr, as of a Python that cannot start."""
    try:
        process = start_supervisor(descriptors)
    except OSError as error:
        raise cannot_start(error) from None
    assert process.stdin and process.stdout and process.stderr
    with _running_lock:
        _running[process] = _GROUP.get()
    try:
        process.stdin.write(len(request).to_bytes(8, "little") + request)
        process.stdin.flush()
        stop.can_end(process)
        reply = process.stdout.read()
        return reply, "" if reply else _last_line(process.stderr.read())
    except BrokenPipeError:
        return b"", _last_line(process.stderr.read())
    finally:
        with _running_lock:
            _running.pop(process, None)
        # On an interrupt this is what tells the supervisor to kill everything; it is done when it exits.
        _let_go(process)
        process.stdout.close()
        process.stderr.close()
        process.wait()


def start_supervisor(descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    """A supervisor that has these open and waits for its request."""
    return subprocess.Popen(
        start_words(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # a terminal's Ctrl-C is ours to handle
        pass_fds=descriptors,
    )


def _last_line(text: bytes) -> str:
    return (text.decode(errors="replace").split("\n\n")[0].strip().splitlines() or [""])[-1]


class ProgramGroup:
    """The programs that several threads run for one caller: it can end them, and no others of this process."""

    def run(self, function: Callable[[], Result], /) -> Result:
        """The function's result; programs that it runs in this thread are of the group."""
        token = _GROUP.set(self)
        try:
            return function()
        finally:
            _GROUP.reset(token)

    def stop(self) -> None:
        """Kill every program of the group that runs now; its run_limited raises KeyboardInterrupt."""
        with _running_lock:
            for process, group in _running.items():
                if group is self:
                    _let_go(process)


def _let_go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    with contextlib.suppress(OSError, ValueError):
        process.stdin.close()


def _not_started(program: str, number: int, words: str, doing: str) -> TunepassError:
    """Why a program did not start: the set-up `doing` failed, or its own start."""
    error = OSError(number, words)
    if doing:
        return cannot(f"run {program}: {doing} cannot be set up", error, ToolError, ASK_DOCTOR)
    if number == errno.EACCES and _forbids_programs(program):
        return EnvironmentFault(f"cannot run {program}: its folder is mounted noexec", hint=remedy("mounted noexec"))
    return cannot(f"run {program}", error, ToolError, "is it installed, executable and on the PATH?")


def _forbids_programs(program: str) -> bool:
    """Is it a file that could be run, on a disk from which nothing is?"""
    try:
        return os.path.isabs(program) and bool(os.statvfs(program).f_flag & os.ST_NOEXEC)
    except OSError:
        return False


def _completed(program: str, header: _Header, stdout: bytes, stderr: bytes) -> Completed:
    if header["exec_error"]:
        raise _not_started(program, *header["exec_error"])
    if header["ended"] == "abandoned":
        raise KeyboardInterrupt
    number, ended = header["signal"], header["ended"]
    if ended == "exit" and number is not None:
        ended = "signal"
    return Completed(
        ended=ended,
        returncode=header["returncode"] if ended == "exit" else None,
        signal=signal.Signals(number).name if number is not None and ended == "signal" else None,
        stdout=stdout.decode(errors="replace"),
        stderr=stderr.decode(errors="replace"),
        seconds=header["seconds"],
        cpu_s=header["cpu_s"],
        peak_bytes=header["peak_bytes"],
        left_behind=header["left_behind"],
        involuntary_switches=header["involuntary_switches"],
    )
