"""The compilers that the user names by TUNEPASS_CC and, for C++, by TUNEPASS_CXX."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterable

from tunepass.compilers.languages import is_linked, is_source
from tunepass.compilers.options import (
    HEADER_FOLDERS,
    INCLUDED,
    LIBRARIES,
    LIBRARY_FOLDERS,
    MACROS,
    is_input,
    kept,
    walk,
)
from tunepass.diagnostics import ToolError

VARIABLE = "TUNEPASS_CC"
CXX_VARIABLE = "TUNEPASS_CXX"
# What says how files are compiled, or names files that are only read: no program, no output, no further arguments.
HARMLESS = re.compile(
    r"""-O\w* | -g[\w-]* | -std=[\w+]+ | -pthread | -pedantic | -ansi | -w | -static | -rdynamic | -s
      | -W(?![lap],)[\w+-]+(=[\w-]+)? | -f(?!plugin|pass-plugin|dump|opt|save|use-ld|diag)[\w-]+(=[\w,.-]+)?
      | -m(?!llvm)[\w-]+(=[\w,.+-]+)?
      | -[DU]\w+(=.*)? | -I.+ | -L.+ | -l[\w+.-]+""",
    re.VERBOSE | re.DOTALL,
)
HARMLESS_VALUES = (*HEADER_FOLDERS, *INCLUDED, *MACROS, *LIBRARIES, *LIBRARY_FOLDERS)


def named_compiler(variable: str = VARIABLE, usual: str = "cc") -> tuple[str, ...]:
    """TUNEPASS_CC's words, else `cc`. Raises ToolError for what cannot be split."""
    text = os.environ.get(variable, "")
    try:
        return tuple(shlex.split(text)) or (usual,)
    except ValueError as error:
        raise ToolError(f"{variable} cannot be split into words: {error}", hint=f"it is {text!r}") from None


def same_program(one: str, other: str) -> bool:
    """Are two names of compilers one file, as `cc` and `gcc` often are?"""
    if one == other:
        return True
    paths = shutil.which(one), shutil.which(other)
    return None not in paths and os.path.realpath(str(paths[0])) == os.path.realpath(str(paths[1]))


def usual_compiler(*, cxx: bool) -> tuple[str, ...]:
    """The compiler where none is named after `--`: TUNEPASS_CC or `cc`; TUNEPASS_CXX or `c++`, which links what C++
    needs."""
    return named_compiler(CXX_VARIABLE, "c++") if cxx else named_compiler()


def usual_command(flags: tuple[str, ...], *, cxx: bool = False) -> tuple[str, ...]:
    """The usual compiler, with `flags` where it is a program alone."""
    words = usual_compiler(cxx=cxx)
    return words if len(words) > 1 else (*words, *flags)


def are_harmless(flags: Iterable[str]) -> bool:
    """Whether a compiler may be given these flags to tell its identity, though they are only a lock's word."""
    return all(_is_harmless(word, value) for _, word, value in walk(tuple(flags)))


def harmless_words(flags: Iterable[str]) -> tuple[str, ...]:
    """Flags, with their values, that start no program and write no file: a lock is text from anywhere."""
    return tuple(kept(tuple(flags), _is_harmless))


def _is_harmless(word: str, value: str | None) -> bool:
    if value is not None:
        return word in HARMLESS_VALUES and value[:1] not in ("-", "@", "")
    if is_input(word, value):
        return not word.startswith("@") and (is_source(word) or is_linked(word))
    return HARMLESS.fullmatch(word) is not None
