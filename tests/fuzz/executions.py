"""Programs and texts that Python is asked to run while an input is read: there are none but compilers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType

STARTED = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "subprocess.Popen", "pty.spawn")
COMPILERS = ("cc", "gcc", "g++", "c++", "clang", "clang++", "nvcc", "hipcc", "ld", "uname", "nm")
MAKERS = ("dataclasses", "collections", "functools", "enum", "typing", "lark", "attr", "numpy")  # of code at import
_watched: list[list[str]] = []  # the hook of a process cannot be taken back: it writes into the innermost list


@contextmanager
def executions() -> Iterator[list[str]]:
    """What is started within, a line each."""
    if not _installed:
        sys.addaudithook(_hook)
        _installed.append(True)
    executed: list[str] = []
    _watched.append(executed)
    try:
        yield executed
    finally:
        _watched.pop()


_installed: list[bool] = []


def _compiles(words: object) -> bool:
    """Is it a call of a compiler, perhaps through `prlimit LIMITS --`?"""
    command = [str(word) for word in words] if isinstance(words, (list, tuple)) else [str(words)]
    if command[0].endswith("prlimit"):
        command = command[command.index("--") + 1 :]
    return command[0].rsplit("/", 1)[-1] in COMPILERS


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if not _watched:
        return
    if event in STARTED:
        if event != "subprocess.Popen" or not _compiles(arguments[1]):
            _watched[-1].append(f"{event} {arguments[:2]!r}")
    elif (
        event == "exec" and isinstance(code := arguments[0], CodeType) and code.co_filename in ("<string>", "<unknown>")
    ):
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if str(caller).split(".")[0] not in MAKERS:
            _watched[-1].append(f"exec of a text in {caller}")
