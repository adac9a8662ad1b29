"""The door of the reader: `read` a source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tunepass.diagnostics import Source
from tunepass.files import note_read
from tunepass.frontends.cfamily.command import Command, Dialect
from tunepass.frontends.cfamily.device import device_command
from tunepass.frontends.cfamily.preprocess import preprocess
from tunepass.frontends.cfamily.symbols import Symbols
from tunepass.frontends.cfamily.unit import Unit

CXX_IN_C = re.compile(r"::|\b(?:template|stream|a[pc]_\w+)\s*<|\b(?:class|namespace|using)\b")
"""In a .c file of HLS, which some compilers take for C++."""


def read(
    source: Source,
    words: Sequence[str],
    dialect: Dialect,
    symbols: Mapping[str, int | None] | None = None,
    *,
    guards: bool = False,
    lenient: bool = False,
) -> Unit:
    """The source as its compiler sees it.

    Args:
        source: its name says where quoted includes are.
        words: the compiler and its words, as after `--`; without a compiler the usual one.
        dialect: c, c++, cuda, opencl or hls.
        symbols: macros that parameters set, with the value that `#if` reads, None of those without a whole number.
        guards: all branches of an `#if` over symbols are read, between pragmas that have its conditions.
        lenient: headers that are not here are taken as empty, as those of a device's compiler always are;
            `Unit.text.missing` names them.

    Raises:
        SourceError: the compiler cannot preprocess the source (its own message, at its place), or a macro's use cannot
            be traced to the text.
    """
    command = device_command(Command.of(tuple(words), source.name, dialect), dialect)
    stubs = lenient or dialect not in ("c", "c++")
    unit = _read(source, command, dialect, tuple(sorted((symbols or {}).items())), guards, stubs)
    for file in unit.text.included:
        note_read(file)
    return unit


@lru_cache(maxsize=16)
def _read(
    source: Source,
    command: Command,
    dialect: Dialect,
    symbols: tuple[tuple[str, int | None], ...],
    guards: bool,
    stubs: bool,
) -> Unit:
    text = preprocess(source, command, Symbols(dict(symbols)), stubs=stubs, guards=guards)
    templates = dialect == "hls" and CXX_IN_C.search(source.text) is not None
    return Unit(source, text, dialect, command.language == "c++" or templates)
