"""Names that an object file or a program defines and needs, read from its ELF symbol table.

A candidate that defines a function which the harness calls takes the harness's place in the clock or in the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HEADER = np.dtype([("ident", "S16"), ("_", "V24"), ("offset", "<u8"), ("_2", "V10"), ("size", "<u2"), ("count", "<u2")])
SECTION = np.dtype(
    [("_", "<u4"), ("type", "<u4"), ("_2", "V16"), ("offset", "<u8"), ("size", "<u8"), ("link", "<u4"), ("_3", "V20")]
)
SYMBOL = np.dtype([("name", "<u4"), ("info", "u1"), ("_", "u1"), ("section", "<u2"), ("_2", "V16")])
ELF64_LITTLE = b"\x7fELF\x02\x01"
SYMTAB = 2
LOCAL = 0
# What a kernel may well bring along, and a clock or a report does not depend on.
HARMLESS = frozenset({"ceil", "exp", "fabs", "floor", "fmod", "log", "log2", "pow", "round", "sqrt", "trunc"})


@dataclass(frozen=True, slots=True)
class Symbols:
    """Global and weak names."""

    defined: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()


def symbols(path: Path) -> Symbols:
    """None in a file of another format, or without a table."""
    raw = path.read_bytes()
    if not raw.startswith(ELF64_LITTLE):
        return Symbols()
    try:
        pairs = [(name, bool(section)) for name, section in _globals(raw)]
    except (ValueError, IndexError):
        return Symbols()
    return Symbols(
        frozenset(name for name, defined in pairs if defined), frozenset(name for name, defined in pairs if not defined)
    )


def _globals(raw: bytes) -> Iterator[tuple[str, int]]:
    """Name and section of each symbol that others see; section 0 holds what is needed."""
    header = np.frombuffer(raw, HEADER, 1)[0]
    sections = np.frombuffer(raw, SECTION, int(header["count"]), int(header["offset"]))
    for table in sections[sections["type"] == SYMTAB]:
        names = sections[int(table["link"])]
        text = raw[int(names["offset"]) : int(names["offset"]) + int(names["size"])]
        entries = np.frombuffer(raw, SYMBOL, int(table["size"]) // SYMBOL.itemsize, int(table["offset"]))
        for entry in entries[entries["info"] >> 4 != LOCAL]:
            start = int(entry["name"])
            name = text[start : text.index(0, start)].decode(errors="replace")
            yield name.partition("@")[0], int(entry["section"])


def taken_over(defined: Set[str], allowed: Set[str], needed: Set[str]) -> list[str]:
    """Of the names that the harness needs those that are defined, also for --wrap, although the reference does not."""
    guarded = needed - HARMLESS
    return sorted(name for name in defined - allowed if name.removeprefix("__wrap_") in guarded)
