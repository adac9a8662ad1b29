"""Short questions to a compiler that the user named: it answers at once, or is stopped."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tunepass.diagnostics import EnvironmentFault, ToolError
from tunepass.machine_faults import cannot, of_the_machine, remedy

PATIENCE_S = 20.0
MEMORY_BYTE, OUTPUT_BYTE = 1 << 30, 64 << 20  # that preprocessing a text may take
LIMITS = {
    "as": (resource.RLIMIT_AS, MEMORY_BYTE),
    "fsize": (resource.RLIMIT_FSIZE, OUTPUT_BYTE),
    "core": (resource.RLIMIT_CORE, 0),
}
# In a line about memory: it was the machine's that lacked, whatever the limits. A limit is reported in other words.
BEFORE_READING = re.compile(rf"{os.strerror(errno.EAGAIN)}|cannot execute|cannot fork|vfork")


@dataclass(frozen=True, slots=True)
class Reply:
    """Output of a program; `ok` if it ended with status 0."""

    ok: bool
    stdout: str
    stderr: str


def base_environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment made deterministic: C locale, no colours in messages. Without the store, whose URL may
    have a password."""
    left_out = ("LANG", "LANGUAGE", "TUNEPASS_STORE")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k not in left_out}
    return {**environment, "LC_ALL": "C", "TERM": "dumb", **(changes or {})}


def ask(
    words: Sequence[str | Path], environment: Mapping[str, str] | None = None, patience_s: float | None = None
) -> Reply:
    """The reply in the C locale. Raises ToolError when the program cannot be started. Asking takes no supervisor, which
    would cost more than the answer: nothing is compiled, and the words are the user's."""
    return _ask(words, environment, "", PATIENCE_S if patience_s is None else patience_s, limited=False)


def ask_about(words: Sequence[str | Path], text: str, patience_s: float = PATIENCE_S) -> Reply:
    """The reply to `text` on the standard input. Raises ToolError as `ask` does.

    The text is the user's, and a few macros can stand for any amount of code: the compiler is stopped beyond
    `patience_s` seconds, MEMORY_BYTE of memory, or OUTPUT_BYTE of output. Memory that is lacking is the machine's fault
    where no text at all lacks it too.
    """
    reply = _ask(words, None, text, patience_s, limited=True)
    if not _lacks_memory(reply):
        return reply
    reply = _ask(words, None, text, patience_s, limited=True)  # the machine may have lacked it for a moment
    if _lacks_memory(reply) and _lacks_memory(_ask(words, None, "", patience_s, limited=True)):
        line = next(line for line in reply.stderr.splitlines() if of_the_machine(line))
        raise EnvironmentFault(f"{words[0]} failed: {line.strip()}", hint=remedy(line))
    return reply


def _lacks_memory(reply: Reply) -> bool:
    return not reply.ok and any("memory" in line and of_the_machine(line) for line in reply.stderr.splitlines())


def _within_limits(words: Sequence[str | Path]) -> tuple[Sequence[str | Path], Callable[[], None] | None]:
    """The words as a call that limits itself, or else with what the child does before it becomes the compiler.

    For the latter this process is copied: some ten milliseconds for every hundred megabytes, longer than most answers.
    """
    limits = {name: (kind, _most(kind, target)) for name, (kind, target) in LIMITS.items()}
    setter = shutil.which("prlimit", path=os.defpath)  # the system's, whatever the user's PATH
    if setter is not None and shutil.which(words[0]) is not None:
        return (setter, *(f"--{name}={most}" for name, (_, most) in limits.items()), "--", *words), None

    def limit() -> None:
        for kind, most in limits.values():
            resource.setrlimit(kind, (most, most))

    return words, limit


def _most(kind: int, target: int) -> int:
    """No more than this process itself may have: to ask for more is an error."""
    hard_limit = resource.getrlimit(kind)[1]
    return target if hard_limit == resource.RLIM_INFINITY else min(target, hard_limit)


def _ask(
    words: Sequence[str | Path],
    environment: Mapping[str, str] | None,
    text: str,
    patience_s: float,
    *,
    limited: bool,
) -> Reply:
    program, (words, in_child) = words[0], _within_limits(words) if limited else (words, None)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(text.encode("utf-8", "surrogateescape"))
        given.seek(0)
        try:
            process = subprocess.Popen(
                words,
                stdin=given,
                stdout=out,
                stderr=err,
                env=base_environment(environment),
                start_new_session=True,
                preexec_fn=in_child,
            )
        except OSError as error:
            hint = "is it installed, executable and on the PATH?"
            raise cannot(f"run {program}", error, ToolError, hint) from None
        try:
            late = "" if _ended(process, patience_s) else f"no answer within {patience_s:g} s"
        finally:
            _stop(process)
        printed, messages = _read(out), _read(err)
    if process.returncode != 0 and not late:
        _check_machine(program, messages, limited=limited)
    return Reply(process.returncode == 0, "" if late else printed, late or messages)


def _check_machine(program: str | Path, messages: str, *, limited: bool) -> None:
    """Raises EnvironmentFault where the program failed by the machine's fault, in its own words. Memory that it lacks
    within limits is the text's matter, unless a program cannot be started for it, or the system has none for now."""
    for line in messages.splitlines():
        of_the_text = limited and "memory" in line and not BEFORE_READING.search(line)
        if of_the_machine(line) and not of_the_text:
            raise EnvironmentFault(f"{program} failed: {line.strip()}", hint=remedy(line))


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="surrogateescape")


def _ended(process: subprocess.Popen[bytes], patience_s: float) -> bool:
    """Whether it ends in time. `Popen.wait` with a timeout looks ever more rarely: that took a compiler's answer longer
    by up to 50 ms."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # neither every kernel nor every enclosure has it
        return _ends_within(process, patience_s)
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(patience_s * 1000))
    finally:
        os.close(descriptor)


def _ends_within(process: subprocess.Popen[bytes], patience_s: float) -> bool:
    try:
        process.wait(timeout=patience_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
