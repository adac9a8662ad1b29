"""The compiler behind `tunepass cc` and `tunepass c++`: the one among the words, as after a launcher (CMake's
CMAKE_C_COMPILER_LAUNCHER, nice, ccache), else the one that the environment names."""

from __future__ import annotations

import os
import sys

from tunepass.compilers.finding import compiler_at, is_cxx, is_program

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence

CXX = "c++"  # the command
QUOTES = frozenset("'\"\\#")
MOST_QUERIED = 3  # programs among the words that are asked whether they compile


class Behind:
    """The compiler's command, its arguments, and whether it is one of C++. `known`: the command ends with a compiler;
    else its first word is a program whose name says nothing."""

    __slots__ = ("arguments", "command", "cxx", "known")

    def __init__(self, command: Sequence[str], arguments: Sequence[str], cxx: bool, known: bool = True):
        self.command, self.arguments, self.cxx, self.known = list(command), list(arguments), cxx, known


def compiler_behind(words: Sequence[str], command: str) -> Behind:
    """The compiler is among the words where the first is a program. ToolError where the environment names none."""
    if not words or not is_program(words[0]):
        return Behind(_named(command), words, command == CXX)
    at = compiler_at(words)
    end = (at or 0) + 1
    return Behind(words[:end], words[end:], is_cxx(words[end - 1]), at is not None)


def without_time(words: Sequence[str]) -> list[str]:
    """The words without a `time` before the compiler that is no program here: shells have it as a word of their own."""
    at = words.index("time")
    if is_program("time") or compiler_at(words[at:]) is None:
        return list(words)
    sys.stderr.write("tunepass cc: note: time is the shell's own word here: the compiler runs without it\n")
    return [*words[:at], *words[at + 1 :]]


def asked(behind: Behind) -> Behind:
    """With the first program among the words that answers as a compiler, where no name says which is one."""
    from tunepass.compilers.cc import language_compiled_by

    words = [*behind.command, *behind.arguments]
    for at in [i for i, word in enumerate(words) if is_program(word)][:MOST_QUERIED]:
        language = language_compiled_by(words[at])
        if language is not None:
            return Behind(words[: at + 1], words[at + 1 :], language == CXX)
    return behind


def _named(command: str) -> list[str]:
    text = os.environ.get("TUNEPASS_CXX" if command == CXX else "TUNEPASS_CC", "")
    if QUOTES.isdisjoint(text):
        return text.split() or [command]
    from tunepass.compilers.named import CXX_VARIABLE, VARIABLE, named_compiler

    return list(named_compiler(CXX_VARIABLE if command == CXX else VARIABLE, command))
