"""Words of a compiler's command line that stand in files, `@FILE` ("GCC manual", "Overall Options"; libiberty, argv.c).

The words take the place of `@FILE` and may themselves be `@FILE`s. A file that cannot be read stays as it is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

MOST_FILES = 2000  # as gcc has it: more of them name each other in a circle


def expanded(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """The words with those of `@FILE` in its place, and the files in the order in which they were read."""
    expanded_words: list[str] = []
    files: list[str] = []
    left = list(words)[::-1]
    while left:
        word = left.pop()
        text = _text(word[1:]) if word.startswith("@") and len(files) < MOST_FILES else None
        if text is None:
            expanded_words.append(word)
        else:
            files.append(word[1:])
            left += [*split(text)][::-1]
    return expanded_words, files


def split(text: str) -> Iterator[str]:
    """Words between white space; quotes of either kind keep it, a backslash takes the next character as it is, also
    inside quotes. What is left open ends with the text."""
    word: list[str] | None = None
    quote, escaped = "", False
    for character in text:
        if not (quote or escaped) and character in " \t\n\v\f\r":
            if word is not None:
                yield "".join(word)
            word = None
            continue
        word = [] if word is None else word
        if escaped:
            word.append(character)
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        else:
            word.append(character)
    if word is not None:
        yield "".join(word)


def operand(name: str) -> str:
    """A file's name as a compiler takes it for a file: not for an option, nor for a file of options."""
    return f"./{name}" if name.startswith(("-", "@")) else name


def joined(words: Iterable[str]) -> str:
    """A file's text that stands for the words."""
    return "".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"\n' for word in words)


def _text(name: str) -> str | None:
    try:
        return os.fsdecode(Path(name).read_bytes()) if Path(name).is_file() else None
    except (OSError, ValueError) as error:
        from tunepass.machine_faults import raise_machines  # seldom needed in a compiler's call

        raise_machines(error)
        return None
