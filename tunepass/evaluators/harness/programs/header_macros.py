"""Macros of system headers that a source uses as plain names: a harness includes those headers before the source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tunepass.evaluators.toolchains.compiling import Compiling

MARKER = re.compile(r'^# \d+ "(?:[^"\\\n]|\\.)*"([ \d]*)$', re.MULTILINE)
SYSTEM = "3"  # of a marker's numbers: what follows is a system header's
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
WORD = re.compile(r"\b[A-Za-z_]\w*")
DEFINED = re.compile(r"^#define ([A-Za-z_]\w*)", re.MULTILINE)
HARNESS_PREFIXES = ("TP_", "tp_", "__")


def macros_as_names(compiling: Compiling, words: Sequence[str], harness: Path, folder: Path) -> list[str]:
    """The macros that the harness's headers define and that are names in the preprocessed source. `words` are the
    compiler's for both; empty where it cannot preprocess one of them."""
    nothing = '-DTP_INCLUDE_SOURCE="/dev/null"'
    defined = DEFINED.findall(_preprocessed(compiling, [*words, nothing, "-dM", str(harness)], folder / "macros.txt"))
    source = _preprocessed(compiling, [*words, compiling.place_of(compiling.source)], folder / "source.i")
    names = {name for part in _source_code(source) for name in WORD.findall(TEXT.sub(" ", part))}
    return sorted(name for name in names.intersection(defined) if not name.startswith(HARNESS_PREFIXES))


def _preprocessed(compiling: Compiling, words: Sequence[str], target: Path) -> str:
    _, failure = compiling.run_patiently([*words, "-w", "-E", "-o", target])
    return "" if failure is not None else target.read_text(encoding="utf-8", errors="replace")


def _source_code(text: str) -> Iterator[str]:
    """The text without what system headers hold."""
    _, *pieces = MARKER.split(text)
    for numbers, piece in zip(pieces[::2], pieces[1::2]):
        if SYSTEM not in numbers.split():
            yield piece
