"""The macros of a GPU source beside what its preprocessor says of them: which definitions are active."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tunepass.frontends.c.lowering import spelled
from tunepass.frontends.c.macros import MacroDefault
from tunepass.frontends.cfamily.literals import literal
from tunepass.frontends.cfamily.unit import Unit
from tunepass.space.configuration import Value


def guarded_macros(macros: Mapping[str, MacroDefault], known: frozenset[str]) -> dict[str, MacroDefault]:
    """As if a -D changed all of them: which ones it does is known once the source is preprocessed."""
    return {name: replace(macro, guards=macro.guards | known) for name, macro in macros.items()}


def with_choices(symbols: Mapping[str, int | None], macros: Mapping[str, MacroDefault]) -> dict[str, int | None]:
    """A choice that is a macro with a whole number has that one: `STAGE` of `#define STAGE SHARED`."""
    texts = {name: macros[name].text if name in macros else "" for name in symbols}
    return {name: _whole(texts[name], macros) if value is None else value for name, value in symbols.items()}


def with_values(
    symbols: Mapping[str, int | None], values: Mapping[str, Value], macros: Mapping[str, MacroDefault]
) -> dict[str, int | None]:
    """`symbols` with other values of parameters."""
    return {**symbols, **{name: _whole(spelled(v), macros) for name, v in values.items() if name in symbols}}


def _whole(text: str, macros: Mapping[str, MacroDefault]) -> int | None:
    """The number that a text is, or the macro that it names."""
    written = macros[text].text.strip("() ") if text in macros else text
    digits = written.removeprefix("-")
    value = literal(digits) if digits[:1].isdecimal() else None
    return -value if value is not None and written.startswith("-") else value


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
