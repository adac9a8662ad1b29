"""A source's entries in a lock. Imports no module that takes long to load."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Locked:
    """The compiler's further arguments and, if it had to be rewritten, the text; what to tell; why it is stale."""

    arguments: tuple[str, ...] = ()
    compiler: str = ""  # its name; empty: the one that was called
    text: str | None = None
    text_but_hints: str | None = None  # `text` with the source's own hints for loops; None: nothing else was rewritten
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    read: frozenset[str] = frozenset()  # the files that this comes from: source, lock, headers that a nest depends on
    choices: tuple[str, ...] = ()  # what is used, a text for each kernel
    known: bool = True  # the lock names the source
