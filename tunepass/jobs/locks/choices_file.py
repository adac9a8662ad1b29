"""tunepass.choices: what a lock chose, as lines that a compiler's plugin reads without YAML and without the sources.

    tunepass-choices 1
    lock sha256:DIGEST                       of the lock's bytes when this was written
    source NAME sha256:DIGEST sha256:DIGEST  of the source's bytes, and of its entries in the lock
    define NAME=TEXT, undef NAME             macros, as -D and -U have them
    option WORD                              of the compiler
    lacking TEXT                             what of the choice a plugin cannot do, for users
    stale TEXT                               why the entry does not fit the source, for users
    end sha256:DIGEST                        of all bytes before this line

The lines after a `source` are its own. In NAME, blanks, percents and control characters are `%20` and the like. The
file is written whole, and anew by `tunepass build` where it stands beside the lock.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import EnvironmentFault, StudyError, TunepassError
from tunepass.files import read_bytes, write_bytes
from tunepass.jobs.locks.flags_files import WRAPPER, lacks_compiler, split_words
from tunepass.jobs.locks.lookup import Locked
from tunepass.jobs.locks.tuned_sources import tuned_source
from tunepass.jobs.places import file_name
from tunepass.study.lock.lock import NAME as LOCK
from tunepass.study.lock.lock import Lock
from tunepass.study.lock.text import SIZE_LIMIT

NAME = "tunepass.choices"
FIRST_LINE = "tunepass-choices 1"
SOURCE_LIMIT = 64 << 20  # bytes
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")  # all but tabs
STALE_LINE = re.compile(r"^stale ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Written:
    """Names of the sources in a choices file, why entries are stale, and notes for users."""

    sources: tuple[str, ...]
    stale: tuple[str, ...]
    notes: tuple[str, ...]


def write_choices(folder: Path, *, frozen: bool = False) -> Written:
    """Write tunepass.choices beside the lock of a folder. A source whose bytes and entries are those that the old file
    was made from keeps its lines, and is not read again.

    Args:
        folder: with a tunepass.lock.
        frozen: write nothing where an entry is stale.

    Returns:
        The sources of the file, and what to tell.

    Raises:
        StudyError: there is no lock or it cannot be read; the file cannot be written.
    """
    data = read_bytes(folder / LOCK, SIZE_LIMIT, StudyError)
    lock = Lock.read(folder / LOCK)
    names = sorted({name for key in lock.entries if (name := file_name(key)) is not None})
    old = _old_sections(folder / NAME)
    sections: dict[str, str] = {}
    notes: list[str] = []
    for name in names:
        try:
            source = _digest(read_bytes(folder / name, SOURCE_LIMIT))
        except TunepassError as error:
            notes.append(f"warning: {error.diagnostics[0].message}")
            continue
        head = f"source {_escaped(name)} {source} {_entries(lock, name)}\n"
        sections[name] = head + (old.get(head) or _section_of(folder / name))
    lines = [line for section in sections.values() for line in section.splitlines()]
    stale = tuple(line.partition(" ")[2] for line in lines if line.startswith("stale "))
    notes += [f"warning: {line.partition(' ')[2]}" for line in lines if line.startswith(("stale ", "lacking "))]
    if not (frozen and stale):
        text = f"{FIRST_LINE}\nlock {_digest(data)}\n{''.join(sections.values())}".encode("utf-8", "surrogateescape")
        text += f"end {_digest(text)}\n".encode()
        write_bytes(folder / NAME, text, StudyError, "the old file is untouched")
    return Written(tuple(sections), stale, tuple(notes))


def refresh_choices(folder: Path) -> tuple[str, ...]:
    """Write a folder's choices file anew where there is one; notes for users."""
    return write_choices(folder).notes if (folder / NAME).is_file() else ()


def _section_of(source: Path) -> str:
    """The lines of one source, after its first; those of one that cannot be read say why, and the plugin repeats it."""
    try:
        return _section(tuned_source(source))
    except EnvironmentFault:
        raise
    except TunepassError as error:
        first = error.diagnostics[0]
        place = f"{first.span.line}: " if first.span else ""
        why = f"stale {source.name}:{place} {first.message}; its defaults are used"
        return f"{CONTROL.sub(' ', why).replace(':  ', ': ')}\n"


def _section(locked: Locked) -> str:
    """The lines of one source, after its first."""
    choice_words = split_words(locked.arguments)
    lines = [f"undef {name}" if text is None else f"define {name}={text}" for name, text in choice_words.macros]
    lines += [f"option {word}" for word in choice_words.options]
    missing_parts = list(lacks_compiler(locked))
    if locked.text_but_hints is not None:
        missing_parts.append(f"the lock's choice rewrites the source, which a plugin cannot do: {WRAPPER}")
    lines += [f"lacking {line}" for line in missing_parts]
    if locked.stale:
        lines += [f"stale {line}" for line in (*locked.notes, *locked.warnings) or locked.stale]
    return "".join(f"{CONTROL.sub(' ', line)}\n" for line in lines)


def _old_sections(path: Path) -> Mapping[str, str]:
    """The lines of an undamaged choices file by their `source` line, but for stale entries; none of any other."""
    try:
        data = read_bytes(path, SIZE_LIMIT, StudyError)
    except StudyError:
        return {}
    body, _, end = data.rpartition(b"end ")
    if not body.startswith(f"{FIRST_LINE}\n".encode()) or end != f"{_digest(body)}\n".encode():
        return {}
    sections: dict[str, str] = {}
    head = ""
    for line in body.decode("utf-8", "surrogateescape").split("\n")[2:-1]:
        if line.startswith("source "):
            head = f"{line}\n"
            sections[head] = ""
        elif head:
            sections[head] += f"{line}\n"
    return {head: lines for head, lines in sections.items() if not STALE_LINE.search(lines)}


def _entries(lock: Lock, name: str) -> str:
    """The digest of a source's entries in a lock."""
    texts = [entry.text(key) for key, entry in sorted(lock.entries.items()) if file_name(key) == name]
    return _digest("".join(texts).encode("utf-8", "surrogateescape"))


def _escaped(name: str) -> str:
    return re.sub(r"[%\x00-\x20\x7f]", lambda m: f"%{ord(m[0]):02x}", name)


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
