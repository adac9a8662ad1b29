"""Trigraphs: some compilers take `??(` for `[`, others only with -std=c99 or -trigraphs."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.syntax.tree import UnreadableError

TRIGRAPHS = {
    "??=": "#",
    "??/": "\\",
    "??'": "^",
    "??(": "[",
    "??)": "]",
    "??!": "|",
    "??<": "{",
    "??>": "}",
    "??-": "~",
}


def trigraph_at(source: Source, place: int) -> UnreadableError | None:
    """The refusal of one; None where none stands at the place."""
    written = source.text[place : place + 3]
    if written not in TRIGRAPHS:
        return None
    span = source.span(place, place + 3)
    return UnreadableError(f"the trigraph `{written}` is not read", span, f"write `{TRIGRAPHS[written]}`")
