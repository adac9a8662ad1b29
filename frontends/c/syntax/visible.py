"""The types that a source sees: its own, and those of headers that it includes in quotes and that lie beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tunepass.diagnostics import Source, TunepassError
from tunepass.frontends.c.syntax.lexical import Scan, scan
from tunepass.frontends.c.syntax.types import read_types
from tunepass.frontends.cfamily.declared import Types

INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
FILE_LIMIT = 64
BYTE_LIMIT = 1 << 20  # of a header


def visible_types(scanned: Scan) -> Types:
    return types_of([scanned, *headers_beside(scanned.source)])


def types_of(scans: Sequence[Scan]) -> Types:
    return read_types("\n;\n".join(scanned.statements for scanned in scans))


def headers_beside(source: Source) -> Iterator[Scan]:
    """Each once; what cannot be read is left out: the compiler may find it elsewhere."""
    folder, seen = Path(source.name).parent, set[Path]()
    waiting = [folder / name for name in INCLUDED.findall(source.text)]
    while waiting and len(seen) < FILE_LIMIT:
        path = waiting.pop(0)
        if path in seen:
            continue
        seen.add(path)
        try:
            if path.stat().st_size > BYTE_LIMIT:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            yield scan(Source(str(path), text))
        except (OSError, ValueError, TunepassError):
            continue
        waiting += [path.parent / name for name in INCLUDED.findall(text)]
