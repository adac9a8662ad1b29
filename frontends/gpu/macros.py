"""The macros of a GPU source beside what its preprocessor says of them: which definitions are active."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tunepass.frontends.c.macros import MacroDefault
from tunepass.frontends.cfamily.literals import literal
from tunepass.frontends.cfamily.unit import Unit


def guarded_macros(macros: Mapping[str, MacroDefault], known: frozenset[str]) -> dict[str, MacroDefault]:
    """As if a -D changed all of them: which ones it does is known once the source is preprocessed."""
    return {name: replace(macro, guards=macro.guards | known) for name, macro in macros.items()}


def with_choices(symbols: Mapping[str, int | None], macros: Mapping[str, MacroDefault]) -> dict[str, int | None]:
    """A choice that is a macro with a whole number has that one: `STAGE` of `#define STAGE SHARED`."""

    def chosen(name: str, value: int | None) -> int | None:
        written = macros.get(name) if value is None else None
        choice = macros.get(written.text) if written is not None else None
        return value if choice is None else literal(choice.text.strip("() "))

    return {name: chosen(name, value) for name, value in symbols.items()}


def active_macros(macros: Mapping[str, MacroDefault], known: frozenset[str], unit: Unit) -> dict[str, MacroDefault]:
    """Without definitions of parameters in branches that are never compiled; active ones have no guard."""
    active = [(d.start, d.end) for d in unit.text.redefined]
    found: dict[str, MacroDefault] = {}
    for name, macro in macros.items():
        if name not in known:
            found[name] = macro
        elif any(start <= macro.span.start < end for start, end in active):
            found[name] = replace(macro, guards=frozenset())
        elif macro.guards & known:
            found[name] = macro
    return found
