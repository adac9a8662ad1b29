"""Notes on nests that leave little to choose: what is opaque in them, where, and what to write instead."""

from __future__ import annotations

import math

from tunepass.diagnostics import Diagnostic, Severity
from tunepass.frontends.c.nests.autos import DerivedNest
from tunepass.space.space import Space

FEW = 20  # schedules
MOST_NOTES = 3
LARGEST = 1 << 16  # of spaces that are counted


def opaque_notes(derived: DerivedNest) -> tuple[Diagnostic, ...]:
    """None where the nest has more than FEW schedules, or nothing in it is opaque."""
    found = {h.span.start: h for h in reversed(derived.nest.scop.hindrances)}
    if not found:
        return ()
    count = _count(derived)
    if count is None or count > FEW:
        return ()
    schedules = f"{count} schedule{'s' * (count != 1)}"
    return tuple(
        Diagnostic(f"{schedules}: `{_short(h.span.text)}` is read as opaque: {h.reason}", h.span, h.hint, Severity.NOTE)
        for _, h in sorted(found.items())[:MOST_NOTES]
    )


def _count(derived: DerivedNest) -> int | None:
    """None of what is not worth counting."""
    if math.prod(p.size or LARGEST for p in derived.parameters) > LARGEST:
        return None
    space = Space(list(derived.parameters), list(derived.constraints))
    return space.size if space.finite and space.complete else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57].rpartition(' ')[0] or line[:57]} ..."
