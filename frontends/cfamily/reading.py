"""The door of the reader: `read` a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.command import Command, Dialect
from tunepass.frontends.cfamily.preprocess import preprocess
from tunepass.frontends.cfamily.symbols import Symbols
from tunepass.frontends.cfamily.unit import Unit


def read(
    source: Source, words: Sequence[str], dialect: Dialect, symbols: Mapping[str, int | None] | None = None, *,
    lenient: bool = False,
) -> Unit:  # fmt: skip
    """The source as its compiler sees it.

    Args:
        source: its name says where quoted includes are.
        words: the compiler and its words, as after `--`; without a compiler the usual one.
        dialect: c, c++, cuda, opencl or hls.
        symbols: macros that parameters set, with the value that `#if` reads, None of those without a whole number.
        lenient: headers that are not here are taken as empty, as those of a device's compiler always are;
            `Unit.text.missing` names them.

    Raises:
        SourceError: the compiler cannot preprocess the source (its own message, at its place), or a macro's use cannot
            be traced to the text.
    """
    command = Command.of(tuple(words), source.name, dialect)
    stubs = lenient or dialect not in ("c", "c++")
    return _read(source, command, dialect, tuple(sorted((symbols or {}).items())), stubs)


@lru_cache(maxsize=16)
def _read(
    source: Source, command: Command, dialect: Dialect, symbols: tuple[tuple[str, int | None], ...], stubs: bool
) -> Unit:
    text = preprocess(source, command, Symbols(dict(symbols)), stubs=stubs)
    cxx = command.language == "c++" or (dialect == "hls" and Path(source.name).suffix == ".c" and "<" in source.text)
    return Unit(source, text, dialect, command.language == "c++" if dialect != "hls" else cxx)
