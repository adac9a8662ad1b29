"""The doors of the reader: `read` a source, `parse_expression` of loose tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.command import Command, Dialect
from tunepass.frontends.cfamily.device import device_command
from tunepass.frontends.cfamily.feed import Feeder
from tunepass.frontends.cfamily.grammar import parse
from tunepass.frontends.cfamily.preprocess import preprocess
from tunepass.frontends.cfamily.statements import Statements
from tunepass.frontends.cfamily.symbols import Symbols
from tunepass.frontends.cfamily.tokens import Token
from tunepass.frontends.cfamily.tree import Expression, SyntaxFault
from tunepass.frontends.cfamily.unit import Unit


def read(
    source: Source,
    words: Sequence[str],
    dialect: Dialect,
    symbols: Mapping[str, int | None] | None = None,
    *,
    guards: bool = False,
) -> Unit:
    """The source as its compiler sees it.

    Args:
        source: its name says where quoted includes are.
        words: the compiler and its words, as after `--`; without a compiler the usual one.
        dialect: c, c++, cuda, opencl or hls.
        symbols: macros that parameters set, with the value that `#if` reads, None of those without a whole number.
        guards: all branches of an `#if` over symbols are read, between pragmas that have its conditions.

    Raises:
        SourceError: the compiler cannot preprocess the source (its own message, at its place), or a macro's use cannot
            be traced to the text.
    """
    command = device_command(Command.of(tuple(words), source.name, dialect), dialect)
    return _read(source, command, dialect, tuple(sorted((symbols or {}).items())), guards)


@lru_cache(maxsize=16)
def _read(
    source: Source, command: Command, dialect: Dialect, symbols: tuple[tuple[str, int | None], ...], guards: bool
) -> Unit:
    text = preprocess(source, command, Symbols(dict(symbols)), stubs=dialect not in ("c", "c++"), guards=guards)
    cxx = command.language == "c++" or (dialect == "hls" and Path(source.name).suffix == ".c" and "<" in source.text)
    return Unit(source, text, dialect, command.language == "c++" if dialect != "hls" else cxx)


def parse_expression(tokens: Sequence[Token], types: frozenset[str] = frozenset(), cxx: bool = True) -> Expression:
    """Raises SyntaxFault where the tokens are no expression."""
    if not tokens:
        raise SyntaxFault("expected an expression", Token("end", "", 0, 0))
    place = tokens[0].start
    around = [Token("name", "int", place, place), Token("name", "x", place, place), Token("op", "=", place, place)]
    stop = Token("op", ";", tokens[-1].end, tokens[-1].end)
    feed = Feeder([*around, *tokens, stop], types, cxx).feed()
    reader = Statements(feed, (), types)
    root = parse(feed.text, cxx=cxx)
    if root.child_count != 1 or root.children[0].type != "declaration":
        raise SyntaxFault("expected an expression", tokens[0])
    declaration = reader.declaration(root.children[0], in_body=False)
    (declarator, *others) = declaration.declarators
    if others or declarator.value is None:
        raise SyntaxFault("expected an expression", tokens[0])
    return declarator.value
