"""Short questions to a compiler that the user named: it answers at once, or is stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tunepass.diagnostics import ToolError

PATIENCE_S = 20.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What was printed; `ok` where it ended with status 0."""

    ok: bool
    stdout: str
    stderr: str


def base_environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment made deterministic: C locale, no colours in messages."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k not in ("LANG", "LANGUAGE")}
    return {**environment, "LC_ALL": "C", "TERM": "dumb", **(changes or {})}


def ask(
    words: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    *,
    text: str = "",
    patience_s: float = PATIENCE_S,
) -> Reply:
    """The reply to `text` on the standard input, in the C locale. Raises ToolError when the program cannot be started.

    Asking takes no supervisor, which would cost more than the answer: nothing is run that the compiler made, and the
    words are the user's.
    """
    with tempfile.TemporaryFile() as given:
        given.write(text.encode("utf-8", "surrogateescape"))
        given.seek(0)
        return _asked(words, environment, given, patience_s)


def _asked(
    words: Sequence[str | Path], environment: Mapping[str, str] | None, given: IO[bytes], patience_s: float
) -> Reply:
    try:
        process = subprocess.Popen(
            words,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=base_environment(environment),
            start_new_session=True,
        )
    except OSError as error:
        hint = "is it installed, executable and on the PATH?"
        raise ToolError(f"cannot run {words[0]}: {error.strerror}", hint=hint) from None
    try:
        out, err = process.communicate(timeout=patience_s)
    except subprocess.TimeoutExpired:
        out, err = b"", f"no answer within {patience_s:g} s".encode()
    finally:
        _stop(process)
    return Reply(process.returncode == 0, out.decode(errors="surrogateescape"), err.decode(errors="surrogateescape"))


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
