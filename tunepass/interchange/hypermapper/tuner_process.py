"""A foreign tuner as a child process: started without a shell, in a process group of its own, with limits of time."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tunepass.diagnostics import Source, SourceError, StudyError
from tunepass.interchange.hypermapper.wire import LONGEST

TUNER = "<tuner>"
GRACE_S = 2.0  # between the request to end and the kill
CHUNK = 1 << 16  # bytes


def tuner_words(command: str) -> list[str]:
    """The words of a command line, split as a shell does; no shell sees them. StudyError where they are none."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise StudyError(f"--tuner: {command!r} is no command line: {error}") from None
    if not words:
        raise StudyError("--tuner takes the command that starts a tuner", hint='e.g. --tuner "hypermapper"')
    return words


class TunerProcess:
    """A running tuner: its lines, and what is written to it.

    Args:
        words: the program and its arguments.
        folder: where it runs.
        silence_s: seconds without a complete line, or without room for ours, after which it has failed.

    Raises:
        StudyError: the program cannot be started; later, it ended or is silent.
        SourceError: a line is too long.
    """

    def __init__(self, words: Sequence[str], folder: Path, silence_s: float):
        self.silence_s, self.number = silence_s, 0
        self._buffer, self._lines = bytearray(), list[bytes]()
        try:
            self._child = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, start_new_session=True
            )
        except (OSError, ValueError) as error:
            raise StudyError(f"--tuner: cannot start {words[0]!r}: {error}") from None
        assert self._child.stdin is not None and self._child.stdout is not None
        self._input, self._output = self._child.stdin.fileno(), self._child.stdout.fileno()
        os.set_blocking(self._input, False)

    def line(self) -> str | None:
        """The next line that is not empty; None where the output ends after a whole line."""
        deadline = time.monotonic() + self.silence_s
        while True:
            while self._lines:
                self.number += 1
                if text := self._lines.pop(0).decode("utf-8", "replace").strip():
                    return text
            if len(self._buffer) > LONGEST:
                raise self.error(self._start(), f"a line of a tuner has at most {LONGEST:,} bytes", 1)
            self._wait(self._output, deadline, writes=False)
            if not (data := os.read(self._output, CHUNK)):
                if self._buffer.strip():
                    raise StudyError(f"the tuner's output ended inside line {self.number + 1}{self._status()}")
                return None
            *whole, rest = (bytes(self._buffer) + data).split(b"\n")
            self._lines, self._buffer = whole, bytearray(rest)

    def send(self, text: str) -> None:
        data, deadline = text.encode(), time.monotonic() + self.silence_s
        while data:
            self._wait(self._input, deadline, writes=True)
            try:
                data = data[os.write(self._input, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise StudyError(f"the tuner ended before it read its results{self._status()}") from None

    def error(self, text: str, message: str, ahead: int = 0, hint: str | None = None) -> SourceError:
        """A mistake in the line that was read last, or that is `ahead` of it."""
        source = Source(TUNER, text[:200], self.number + ahead)
        return SourceError(message, source.span(0, max(1, len(source.text))), hint)

    def close(self) -> None:
        """End the tuner and all that it started."""
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(GRACE_S)
        self._signal(signal.SIGKILL)
        self._child.wait()

    # -- within

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, number)

    def _wait(self, descriptor: int, deadline: float, *, writes: bool) -> None:
        left = max(0.0, deadline - time.monotonic())
        ready = select.select([] if writes else [descriptor], [descriptor] if writes else [], [], left)
        if not any(ready):
            verb = "takes no results" if writes else "writes nothing"
            raise StudyError(
                f"the tuner {verb} for {self.silence_s:g} s", hint="a tuner writes one request after another"
            )

    def _start(self) -> str:
        return bytes(self._buffer[:80]).decode("utf-8", "replace")

    def _status(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return f" (its exit status is {self._child.wait(GRACE_S)})"
        return ""
