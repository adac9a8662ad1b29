"""Starts the user's compiler on a text: preprocessing only."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import ToolError

LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    output: str
    errors: str


def run(words: Sequence[str], text: str, folder: Path | None = None) -> Reply:
    """The compiler's answer to `text` on its standard input, in the C locale."""
    with tempfile.TemporaryFile() as given:
        given.write(text.encode("utf-8", "surrogateescape"))
        given.seek(0)
        try:
            process = subprocess.Popen(
                words, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                env={**os.environ, "LC_ALL": "C", "LANGUAGE": "C"}, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            hint = "is it installed, executable and on the PATH?"
            raise ToolError(f"cannot run {words[0]}: {error.strerror}", hint=hint) from None
        try:
            output, errors = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise ToolError(f"{words[0]} -E gave no answer within {LIMIT_S:g} s") from None
    decode = "surrogateescape"
    return Reply(process.returncode, output.decode("utf-8", decode), errors.decode("utf-8", decode))
