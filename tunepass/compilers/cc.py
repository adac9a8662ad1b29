"""Identity of a C or C++ compiler, from one call of the program itself."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from tunepass.compilers.asking import ask
from tunepass.diagnostics import ToolError

Family = Literal["gcc", "clang", "other"]
LANGUAGE_PROBE = "#ifdef __cplusplus\nint tunepass_cxx = __LINE__;\n#else\nint tunepass_c = __LINE__;\n#endif\n"


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


def language_compiled_by(program: str) -> Literal["c", "c++"] | None:
    """Language as which the program compiles a .c file; None if it is not a compiler. It has to preprocess a file that
    means nothing to any other program."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "asked.c")
        source.write_text(LANGUAGE_PROBE)
        try:
            answer = re.search(r"^int tunepass_(c|cxx) = \d;", ask([program, "-E", source]).stdout, re.MULTILINE)
        except ToolError:
            return None
    return None if answer is None else "c++" if answer[1] == "cxx" else "c"


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
