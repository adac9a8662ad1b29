"""The door of the reader: `read` a source."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.compilers import options
from tunepass.diagnostics import Source
from tunepass.files import note_read
from tunepass.frontends.cfamily.collecting import uncollected
from tunepass.frontends.cfamily.preprocessing.command import Command, Dialect
from tunepass.frontends.cfamily.preprocessing.device import device_command
from tunepass.frontends.cfamily.preprocessing.preprocess import preprocess
from tunepass.frontends.cfamily.preprocessing.symbols import MacroValue, Symbols
from tunepass.frontends.cfamily.unit import Unit

CXX_IN_C = re.compile(r"::|\b(?:template|stream|a[pc]_\w+)\s*<|\b(?:class|namespace|using)\b")
"""In a .c file of HLS, which some compilers take for C++."""
MOST_UNITS = 16  # that are remembered: a command reads its source several times
_Key = tuple[Source, Command, Dialect, tuple[tuple[str, MacroValue], ...], bool, bool]


def read(
    source: Source,
    words: Sequence[str],
    dialect: Dialect,
    symbols: Mapping[str, MacroValue] | None = None,
    *,
    guards: bool = False,
    lenient: bool = False,
) -> Unit:
    """The source as its compiler sees it.

    Args:
        source: its name says where quoted includes are.
        words: the compiler and its words, as after `--`; without a compiler the usual one.
        dialect: c, c++, cuda, opencl or hls.
        symbols: macros that parameters set, with the value that `#if` reads, None of those without a whole number,
            or whether it is defined.
        guards: all branches of an `#if` over symbols are read, between pragmas that have its conditions.
        lenient: headers that are not here are taken as empty, as those of a device's compiler always are;
            `Unit.text.missing` names them.

    Raises:
        SourceError: the compiler cannot preprocess the source (its own message, at its place), or a macro's use cannot
            be traced to the text.
    """
    command = device_command(Command.of(tuple(words), source.name, dialect), dialect)
    stubs = lenient or dialect not in ("c", "c++")
    key = (source, command, dialect, tuple(sorted((symbols or {}).items())), guards, stubs)
    known = _UNITS.get(key)
    if known is None or known.stamps != _stamps(known.unit, command):
        unit = _read(*key)
        known = _Known(unit, _stamps(unit, command))
        if len(_UNITS) >= MOST_UNITS:
            oldest, *_ = list(_UNITS)
            _UNITS.pop(oldest, None)  # which another thread may have done
        _UNITS[key] = known
    for file in known.unit.text.included:
        note_read(file)
    return known.unit


@dataclass(frozen=True, slots=True)
class _Known:
    """A unit, and the state of the files that it was read from."""

    unit: Unit
    stamps: tuple[tuple[int, int] | None, ...]


_UNITS: dict[_Key, _Known] = {}


def _stamps(unit: Unit, command: Command) -> tuple[tuple[int, int] | None, ...]:
    """When each included file was written, and its size; None where a file that was missing still is."""
    folders = [str(command.folder), *options.values_of(command.words, options.HEADER_FOLDERS)]
    absent = [os.path.join(folder, name) for folder in folders for name in unit.text.missing]
    return tuple(_stamp(file) for file in (*unit.text.included, *absent))


def _stamp(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _read(
    source: Source,
    command: Command,
    dialect: Dialect,
    symbols: tuple[tuple[str, MacroValue], ...],
    guards: bool,
    stubs: bool,
) -> Unit:
    with uncollected():
        text = preprocess(source, command, Symbols(dict(symbols)), stubs=stubs, guards=guards)
    templates = dialect == "hls" and CXX_IN_C.search(source.text) is not None
    return Unit(source, text, dialect, command.language == "c++" or templates)
