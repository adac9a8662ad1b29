"""One compile of a prepared text, and where the compiler found errors in it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.files import encoded
from tunepass.frontends.cfamily.types.ask import Failure
from tunepass.frontends.cfamily.types.command import debug_command
from tunepass.machine_faults import raise_machines

COMPILE_S = 120.0
ERROR = re.compile(
    r"^(?P<file>[^\n]+?):(?P<line>\d+):(?:\d+:)? (?P<fatal>fatal )?error: (?P<message>.*)$", re.MULTILINE
)
UNPLACED = re.compile(r"^(?P<text>[^\n]*?\berror: .*)$", re.MULTILINE)
WRITES_FILES = ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")  # gcc's environment: the user's build writes these


@dataclass(frozen=True, slots=True)
class TypeCompiler:
    command: Sequence[str]
    language: str
    folder: Path  # where the command runs
    name: str  # the source as the command would name it


@dataclass(frozen=True, slots=True)
class Messages:
    """What a failed compile said. Lines are of the main file; `mentioned` are those of notes and errors alike."""

    first: Failure
    fatal: bool  # the compiler stopped there
    lines: frozenset[int]
    mentioned: frozenset[int]
    elsewhere: bool  # errors in other files
    said: dict[int, str]


def compile_text(compiler: TypeCompiler, text: str, scratch: Path) -> Path | Messages:
    """The object file, or the errors. A Failure that no change of the text mends is fatal."""
    source, output = scratch / "source", scratch / "object"
    source.write_bytes(encoded(text))
    beside = (compiler.folder / compiler.name).parent
    words = debug_command(compiler.command, compiler.language, source, beside, output)
    if isinstance(words, str):
        return _stopped(words)
    environment = {key: value for key, value in os.environ.items() if key not in WRITES_FILES}
    environment |= {"LC_ALL": "C", "TMPDIR": str(scratch)}
    try:
        done = subprocess.run(
            words,
            cwd=compiler.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMPILE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _stopped(f"{words[0]} did not end within {COMPILE_S:g} s")
    except OSError as error:
        raise_machines(error)
        return _stopped(f"cannot run {words[0]}: {error.strerror}")
    if done.returncode == 0 and output.exists():
        return output
    return _messages(done.stderr.decode(errors="replace"), compiler.name, words[0])


def _stopped(reason: str) -> Messages:
    return Messages(Failure(reason), True, frozenset(), frozenset(), False, {})


def _messages(stderr: str, name: str, program: str) -> Messages:
    errors = list(ERROR.finditer(stderr))
    if not errors:
        if unplaced := UNPLACED.search(stderr):  # `<command-line>: error: ...`, in what a macro of it stands for
            return _stopped(unplaced["text"])
        last = stderr.strip().splitlines()[-1:] or [f"{program} failed without a message"]
        return _stopped(last[0])
    first = Failure(errors[0]["message"], errors[0]["file"], int(errors[0]["line"]))
    own = {int(error["line"]): error["message"] for error in reversed(errors) if error["file"] == name}
    mentioned = {int(line) for line in re.findall(rf"^{re.escape(name)}:(\d+):", stderr, re.MULTILINE)}
    return Messages(
        first,
        any(error["fatal"] for error in errors) and not own.keys() - {first.line},
        frozenset(own),
        frozenset(mentioned),
        any(error["file"] != name for error in errors),
        own,
    )
