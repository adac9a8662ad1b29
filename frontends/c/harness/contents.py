"""Arrays whose contents are given: numbers of a file, or a table in the harness itself.

They are the same for every seed, and no call changes one of them.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.files import encoded

LINE = 24  # numbers
PLAIN = frozenset(string.ascii_letters + string.digits + "/._-+=@, ")


@dataclass(frozen=True, slots=True)
class FileNumbers:
    """The elements that stand in the file from a byte on, as memory holds them."""

    path: Path
    offset_byte: int


@dataclass(frozen=True, slots=True)
class TableNumbers:
    """Whole numbers that stand in the harness's text."""

    values: tuple[int, ...]


Content = FileNumbers | TableNumbers


def content_table(index: int, element: str, contents: Sequence[Content]) -> str:
    """C text: where the contents of array `index` are at each size."""
    tables = [
        f"static const {element} tp_numbers_{index}_{k}[] = {{\n{_lines(content.values)}\n}};"
        for k, content in enumerate(contents)
        if isinstance(content, TableNumbers)
    ]
    entries = [
        f"{{NULL, 0, tp_numbers_{index}_{k}}}" if isinstance(content, TableNumbers) else _file_entry(content)
        for k, content in enumerate(contents)
    ]
    return "\n".join([*tables, f"static const tp_content tp_contents_{index}[] = {{{', '.join(entries)}}};"])


def loading(index: int) -> str:
    """The statement that fills array `index`."""
    return f"tp_load(&tp_arrays[{index}], &tp_contents_{index}[tp_set]);"


def _file_entry(content: FileNumbers) -> str:
    return f"{{{c_string(str(content.path.absolute()))}, INT64_C({content.offset_byte}), NULL}}"


def c_string(text: str) -> str:
    """As a string literal of C, whatever bytes the text has."""
    return '"' + "".join(chr(b) if chr(b) in PLAIN else f"\\{b:03o}" for b in encoded(text)) + '"'


def _lines(values: Sequence[int]) -> str:
    numbers = [str(value) for value in values] or ["0"]  # C has no array without elements
    return "\n".join(f"    {', '.join(numbers[k : k + LINE])}," for k in range(0, len(numbers), LINE))
