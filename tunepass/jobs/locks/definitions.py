"""Macros that a compiler's words define otherwise than those with which a kernel was tuned."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from tunepass.compilers.options import DEFINES, MACROS, value_of, walk
from tunepass.files import encoded
from tunepass.jobs.annotations import contents


def definitions(words: Sequence[str]) -> dict[str, str | None]:
    """Text of each macro that `-D` and `-U` name; None if it is undefined."""
    macros: dict[str, str | None] = {}
    for _, word, value in walk(words):
        named = value_of(word, value, MACROS)
        if named:
            name, given, text = named.partition("=")
            defined = value_of(word, value, DEFINES) is not None
            macros[name.partition("(")[0]] = (text if given else "1") if defined else None
    return macros


def changed_definitions(
    tuned: Sequence[str], now: Sequence[str], text: str, files: Iterable[str], set_by_choice: Collection[str]
) -> list[str]:
    """A line for each macro that differs between the compiler's words when a kernel was tuned and `now`, if the
    source's `text` or one of its header `files` mentions it. The choice's own macros are left out: they come last."""
    old, new = definitions(tuned), definitions(now)
    names = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
    open_ = [name for name in names if name not in set_by_choice]
    texts = [encoded(text), *(contents(Path(file)) for file in sorted(files))] if open_ else []
    mentioned = [name for name in open_ if any(re.search(rb"\b%b\b" % re.escape(name).encode(), t) for t in texts)]
    return [f"{_word(name, new)}, tuned with {_word(name, old)}" for name in mentioned]


def _word(name: str, macros: Mapping[str, str | None]) -> str:
    text = macros.get(name)
    return f"-D{name}={text}" if text is not None else f"-U{name}" if name in macros else f"no -D{name}"
