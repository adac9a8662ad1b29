"""Does a file hold a tunepass pragma? Read as bytes, without a frontend: most of what is compiled has none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

MARK = b"tunepass"
PEEK = 16 << 20  # bytes of a file that are looked through
# As the C frontend has them: a directive, or a comment that begins with `tunepass:`.
ANNOTATION = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+tunepass\b|(?://|/\*)\s*tunepass:", re.MULTILINE)
QUOTED_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*"([^"\n]+)"', re.MULTILINE)


def annotated(data: bytes) -> bool:
    return MARK in data and ANNOTATION.search(data) is not None


def contents(path: Path) -> bytes:
    """Nothing of what cannot be read: the compiler says it better."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(PEEK)
    except (OSError, ValueError) as error:
        from tunepass.machine_faults import raise_machines  # seldom needed in a compiler's call

        raise_machines(error)
        return b""


def annotated_files(data: bytes, folder: Path, folders: Iterable[Path]) -> Iterator[Path]:
    """The annotated files among those that a text includes in quotes, and those include; under any condition."""
    left, seen = [(data, folder)], set[Path]()
    folders = list(folders)
    while left:
        text, including_folder = left.pop()
        for match in QUOTED_INCLUDE.finditer(text):
            path = _first(os.fsdecode(match[1]), [including_folder, *folders])
            if path is None or path in seen:
                continue
            seen.add(path)
            text_of = contents(path)
            if annotated(text_of):
                yield path
            left.append((text_of, path.parent))


def _first(name: str, folders: Iterable[Path]) -> Path | None:
    for folder in folders:
        path = Path(os.path.normpath(folder / name))
        if "\0" not in name and path.is_file():
            return path
    return None
