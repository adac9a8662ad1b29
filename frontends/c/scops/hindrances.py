"""What in a statement keeps it from moving: accesses that are a guess, with the place and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tunepass.diagnostics import Span
from tunepass.frontends.c.scops.accesses.arrays import MEMORY, AccessTarget
from tunepass.frontends.c.scops.lowering.rewriting import parts_of
from tunepass.frontends.c.scops.statements.effects import LvalueEffect
from tunepass.frontends.c.scops.statements.raw import RawStatement, Subscript
from tunepass.frontends.cfamily.syntax.tree import Name, Number
from tunepass.ir.scop import Hindrance

SUBSCRIPT_HINT = "a subscript of indices, whole numbers that the nest does not change, `+`, `-`, and numbers as factors"
HINTS = {
    "is called, and in it": "let the function take and use numbers, elements of its pointers and functions of <math.h>",
    "is called": "call functions of <math.h>, or ones whose bodies are in this source and keep no state",
    "may point into any array": "declare the pointer `restrict`, or make it a parameter of the function",
    "is used as a pointer": "subscript it once for each dimension that it is declared with",
    "is subscripted further": "declare the array with all its dimensions",
    "is followed": "copy the pointer into a `restrict` pointer before the nest",
    "address of": "pass the value, or copy it into a variable of its own",
    "reaches is not known": "subscript the array itself",
    "volatile": "copy it into a variable that is not volatile before the nest",
}
OTHER_HINT = "write the access as an array with subscripts"


def hindrances(
    statements: Sequence[RawStatement], targets: Sequence[Sequence[AccessTarget]], unknown: Mapping[int, str]
) -> Iterator[Hindrance]:
    """Of each statement the reason why it may access anything, else every element that cannot be told."""
    for number, s in enumerate(statements):
        if number in unknown:
            reason = unknown[number]
            hint = next((hint for words, hint in HINTS.items() if words in reason), OTHER_HINT)
            yield Hindrance(reason, s.span, hint)
            continue
        guesses = {t.array for t in targets[number] if not t.certain and t.array != MEMORY}
        for effect, subscripts in zip(s.effects.found, s.subscripts):
            if effect.root.text in guesses and not all(_is_told(subscript) for subscript in subscripts):
                place = _place(effect, s.span)
                yield Hindrance("its subscript depends on data, or is not affine", place, SUBSCRIPT_HINT)


def _is_told(subscript: Subscript) -> bool:
    return subscript.affine is not None or subscript.numbered is not None


def _place(effect: LvalueEffect, whole: Span) -> Span:
    """The element in the source; the whole statement where it is not there."""
    parts = [part for e in (effect.root, *effect.subscripts) for part in parts_of(e)]
    tokens = [part.token for part in parts if isinstance(part, (Name, Number))]
    inside = [t for t in tokens if whole.start <= t.start and t.end <= whole.end]
    if len(inside) < len(tokens):
        return whole
    start, end = min(t.start for t in inside), max(t.end for t in inside)
    text = whole.source.text
    while end < whole.end and text[start:end].count("[") > text[start:end].count("]"):
        end += 1
    return whole.source.span(start, end)
