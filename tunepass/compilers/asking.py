"""Short questions to a compiler that the user named: it answers at once, or is stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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


def ask(words: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Reply:
    """The reply in the C locale. Raises ToolError when the program cannot be started. Asking takes no supervisor, which
    would cost more than the answer: nothing is compiled, and the words are the user's."""
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=base_environment(environment),
            start_new_session=True,
        )
    except OSError as error:
        hint = "is it installed, executable and on the PATH?"
        raise ToolError(f"cannot run {words[0]}: {error.strerror}", hint=hint) from None
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        out, err = b"", f"no answer within {PATIENCE_S:g} s".encode()
    finally:
        _stop(process)
    return Reply(process.returncode == 0, out.decode(errors="surrogateescape"), err.decode(errors="replace"))


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
