"""The alignments that structs of a CUDA or OpenCL file state: `struct __align__(16) point { ... };`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tunepass.frontends.c.syntax.statements import closing
from tunepass.frontends.c.syntax.types import BODY

ALIGNED = re.compile(r"\b(?:__align__|__builtin_align__|alignas|_Alignas|(?:__)?aligned(?:__)?)\s*\(")
UNREAD = re.compile(r"\b(?:__)?(?:packed|aligned)(?:__)?\b(?!\s*\()|\b__declspec\b")
MEMBER = "an alignment of one member"


def stated_alignments(raw: str, seen: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(struct, the texts of its alignments), for those that state any. `raw` has the words that are blanked in `seen`.
    What is no number is in words: `packed`."""
    for record in BODY.finditer(seen):
        body_end = closing(seen, record.end() - 1)
        stop = seen.find(";", body_end)
        after = (body_end, stop if stop >= 0 else len(seen))
        found = [text for start, end in (record.span(), after) for text in _attributes(raw[start:end])]
        found += [MEMBER for _ in _attributes(_own_members(raw, seen, record.end(), body_end))]
        declared = re.search(r"[A-Za-z_]\w*", seen[slice(*after)])
        name = f"{record[1]} {record[2]}" if record[2] else declared.group() if declared else ""
        if found and name:
            yield name, tuple(found)


def _attributes(text: str) -> Iterator[str]:
    for attribute in ALIGNED.finditer(text):
        yield text[attribute.end() : closing(text, attribute.end() - 1) - 1].strip()
    for attribute in UNREAD.finditer(text):
        yield attribute.group()


def _own_members(raw: str, seen: str, start: int, end: int) -> str:
    """Without the structs that are defined in it."""
    kept, place = "", start
    for inner in BODY.finditer(seen, start, end):
        if inner.start() >= place:
            kept += raw[place : inner.start()]
            place = max(seen.find(";", closing(seen, inner.end() - 1)), inner.end())
    return kept + raw[place:end]
