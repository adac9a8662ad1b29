"""Which C or C++ compiler is this? Asked of the program itself, once."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tunepass.compilers.asking import ask
from tunepass.diagnostics import ToolError

Family = Literal["gcc", "clang", "other"]


@dataclass(frozen=True, slots=True)
class Compiler:
    """`path` as found, `version` the first line of `--version`."""

    path: str
    family: Family
    version: str


def identify(program: str) -> Compiler:
    """Raises ToolError when there is no such compiler or it does not answer."""
    path = shutil.which(program)
    if path is None:
        raise ToolError(f"compiler not found: {program}", hint=_how_to_install(program))
    return _identify(program, path)


@lru_cache(maxsize=32)
def _identify(program: str, path: str) -> Compiler:
    reply = ask([path, "--version"])
    lines = reply.stdout.splitlines()
    if not reply.ok or not lines:
        raise ToolError(f"{program} --version does not work", hint=reply.stderr.strip() or "is it a compiler?")
    return Compiler(path, _family(reply.stdout), lines[0].strip())


def _family(version: str) -> Family:
    if "clang" in version.lower():
        return "clang"
    return "gcc" if "Free Software Foundation" in version else "other"


def _how_to_install(program: str) -> str:
    if program.startswith("-"):
        return f"after `--` the compiler comes first: -- gcc {program}"
    known = {"gcc": "gcc", "g++": "g++", "cc": "gcc", "c++": "g++", "clang": "clang", "clang++": "clang"}
    package = known.get(program.split("/")[-1].split("-")[0], "")
    how = f" (Debian, Ubuntu: apt-get install {package})" if package else ""
    return f"install it{how} or name another after `--`"
