"""Run one program under limits: `run_limited`. Whatever happens, nothing of it is left running."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypedDict

from tunepass.diagnostics import ToolError

SUPERVISOR = Path(__file__).with_name("supervisor.py")
_running: set[subprocess.Popen[bytes]] = set()
_running_lock = threading.Lock()
LOG_TAIL = 4000  # characters of a tool's output kept with an outcome

Ended = Literal["exit", "signal", "timeout", "memory", "output", "processes"]


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
    def log(self) -> str:
        """The tail of what it printed, errors last."""
        return tail("\n".join(part.rstrip() for part in (self.stdout, self.stderr) if part.strip()))


class _Header(TypedDict):
    """The supervisor's reply, before the captured bytes."""

    ended: Ended | Literal["abandoned"]
    exec_error: tuple[int, str] | None
    returncode: int | None
    signal: int | None
    seconds: float
    left_behind: int
    peak_bytes: int
    cpu_s: float
    involuntary_switches: int
    stdout: int
    stderr: int


def tail(text: str, limit: int = LOG_TAIL) -> str:
    return text if len(text) <= limit else "…" + text[-limit:]


def base_environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment made deterministic: C locale, no colours in messages."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k not in ("LANG", "LANGUAGE")}
    return {**environment, "LC_ALL": "C", "TERM": "dumb", **(changes or {})}


def run_limited(
    argv: Sequence[str | Path],
    *,
    limits: Limits,
    cwd: Path | str | None = None,
    env: Mapping[str, str] | None = None,
    cpus: Sequence[int] = (),
    namespace: bool = True,
    descriptors: Sequence[int] = (),
) -> Completed:
    """Run `argv` (never through a shell; stdin is /dev/null) in `cwd` with exactly the environment `env`.

    Kills the program, its process group and every descendant (also those that called setsid) at a limit, at its end,
    and when the caller is interrupted or dies. `cpus` pins it where allowed; `namespace` permits a PID namespace.
    `descriptors` are open files that the program finds as 3, 4, ...; nothing of them stays open beside it.
    Raises ToolError when the program cannot be started.
    """
    words = [os.fspath(word) for word in argv]
    request = {
        "argv": words,
        "cwd": os.fspath(cwd) if cwd is not None else os.getcwd(),
        "env": dict(base_environment() if env is None else env),
        "cpus": list(cpus),
        "namespace": namespace,
        "wall_s": limits.wall_s,
        "cpu_s": limits.cpu_s,
        "memory_bytes": limits.memory_bytes,
        "limit_reservations": limits.limit_reservations,
        "output_bytes": limits.output_bytes,
        "file_bytes": limits.file_bytes,
        "processes": limits.processes,
        "descriptors": list(descriptors),
    }
    reply = _supervise(json.dumps(request).encode() + b"\n", descriptors)
    header, _, rest = reply.partition(b"\n")
    if not header:
        raise ToolError(f"the supervisor of {words[0]} died", hint="was it killed for lack of memory?")
    return _completed(words[0], json.loads(header), rest)


def _supervise(request: bytes, descriptors: Sequence[int]) -> bytes:
    """Start the supervisor, keep its stdin open until it has replied, and wait for it."""
    process = subprocess.Popen(
        [sys.executable or "python3", "-I", "-S", "-B", str(SUPERVISOR)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # a terminal's Ctrl-C is ours to handle
        pass_fds=descriptors,
    )
    assert process.stdin and process.stdout
    with _running_lock:
        _running.add(process)
    try:
        process.stdin.write(request)
        process.stdin.flush()
        return process.stdout.read()
    except BrokenPipeError:
        return b""
    finally:
        with _running_lock:
            _running.discard(process)
        # On an interrupt this is what tells the supervisor to kill everything; it is done when it exits.
        _let_go(process)
        process.stdout.close()
        process.wait()


def stop_all() -> None:
    """Kill every program that other threads run now; their run_limited raises KeyboardInterrupt. For an interrupt."""
    with _running_lock:
        for process in _running:
            _let_go(process)


def _let_go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    with contextlib.suppress(OSError, ValueError):
        process.stdin.close()


def _completed(program: str, header: _Header, rest: bytes) -> Completed:
    if header["exec_error"]:
        raise ToolError(
            f"cannot run {program}: {header['exec_error'][1]}", hint="is it installed, executable and on the PATH?"
        )
    if header["ended"] == "abandoned":
        raise KeyboardInterrupt
    split, number, ended = header["stdout"], header["signal"], header["ended"]
    if ended == "exit" and number is not None:
        ended = "signal"
    return Completed(
        ended=ended,
        returncode=header["returncode"] if ended == "exit" else None,
        signal=signal.Signals(number).name if number is not None and ended == "signal" else None,
        stdout=rest[:split].decode(errors="replace"),
        stderr=rest[split:].decode(errors="replace"),
        seconds=header["seconds"],
        cpu_s=header["cpu_s"],
        peak_bytes=header["peak_bytes"],
        left_behind=header["left_behind"],
        involuntary_switches=header["involuntary_switches"],
    )
