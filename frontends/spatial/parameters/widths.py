"""Widths of `FixPt` types as parameters: a comment behind a width says its name and values, as a parameter does.

FixPt[TRUE, _16, _16 /* tunepass F (4 -> 4 -> 24) */]
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.spatial.parameters.declared import PRIORS, Declared, range_domain

MOST_BITS = 128
_TUNED = re.compile(r"(?<![\w$])_(?P<width>\d+)\s*/\*\s*tunepass\b(?P<words>[^*]*)\*/")
_WORDS = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?P<prior>[A-Z]+)?\s*\((?P<domain>[^()]*)\)\s*")


def tuned_widths(source: Source) -> dict[int, Declared]:
    """The widths with such a comment, by where their `_16` begins. SourceError for a comment that says no values."""
    found: dict[int, Declared] = {}
    for match in _TUNED.finditer(source.text):
        width = _declared(source, match)
        if any(width.name == other.name for other in found.values()):
            raise SourceError(f"another width is called `{width.name}`", width.span, "give each width its own name")
        found[match.start()] = width
    return found


def _declared(source: Source, match: re.Match[str]) -> Declared:
    span = source.span(match.start(), match.end())
    words = _WORDS.fullmatch(match["words"])
    prior = words["prior"] if words is not None else None
    if words is None or (prior is not None and prior not in PRIORS):
        hint = (
            f"write _{match['width']} /* tunepass BITS (8 -> 24) */; before the bracket may stand {', '.join(PRIORS)}"
        )
        raise SourceError("expected a name and values for this width", span, hint)
    values = _values(words["domain"], span)
    if min(values) < 0 or max(values) > MOST_BITS:
        raise SourceError(f"a width is 0 to {MOST_BITS} bits, got {min(values)} to {max(values)}", span)
    default = int(match["width"])
    edit = source.span(match.start("width"), match.end("width"))
    return Declared(words["name"], default, values, PRIORS[prior] if prior else None, edit, span)


def _values(domain: str, span: Span) -> Sequence[int]:
    arrow = "->" in domain
    parts = [part.strip() for part in domain.split("->" if arrow else ",")]
    if not all(part.isdigit() for part in parts) or (arrow and len(parts) > 3):
        hint = "a range is `low -> high` or `low -> step -> high`, a list `8, 12, 16`"
        raise SourceError("a width's values are whole numbers", span, hint)
    numbers = [int(part) for part in parts]
    if arrow:
        return range_domain(numbers[0], numbers[1] if len(numbers) == 3 else 1, numbers[-1], span)
    if len(set(numbers)) < len(numbers):
        raise SourceError("a parameter's values must differ", span)
    return numbers
