"""The macros of a GPU source beside what its preprocessor says of them: which definitions are active."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tunepass.diagnostics import SourceError
from tunepass.frontends.c.lowering import spelled
from tunepass.frontends.c.parameters.macros import MacroDefault, set_macros, whole_number
from tunepass.frontends.cfamily.preprocessing.device import names_in_toolkit
from tunepass.frontends.cfamily.preprocessing.symbols import MacroValue, with_numbers
from tunepass.frontends.cfamily.unit import Unit
from tunepass.frontends.params.param import ParamText
from tunepass.space.configuration import Value

SHORT = re.compile(r"[A-Z]\Z|[a-z][A-Za-z0-9]*\Z")


def guarded_macros(macros: Mapping[str, MacroDefault], known: frozenset[str]) -> dict[str, MacroDefault]:
    """As if a -D changed all of them: which ones it does is known once the source is preprocessed."""
    return {name: replace(macro, guards=macro.guards | known) for name, macro in macros.items()}


def with_choices(symbols: Mapping[str, MacroValue], macros: Mapping[str, MacroDefault]) -> dict[str, MacroValue]:
    """A choice that is a macro with a whole number has that one: `STAGE` of `#define STAGE SHARED`."""
    texts = {name: macros[name].text if name in macros else "" for name in symbols}
    return {name: _whole(texts[name], macros) if value is None else value for name, value in symbols.items()}


def with_values(
    symbols: Mapping[str, MacroValue], values: Mapping[str, Value], macros: Mapping[str, MacroDefault]
) -> dict[str, MacroValue]:
    """`symbols` with other values of parameters."""
    return with_numbers(symbols, {name: _whole(spelled(v), macros) for name, v in values.items() if name in symbols})


def _whole(text: str, macros: Mapping[str, MacroDefault]) -> int | None:
    """The number that a text is, or the macro that it names."""
    written = macros[text].text.strip("() ") if text in macros else text
    return whole_number(written)


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


def check_names(params: Sequence[ParamText], words: Sequence[str]) -> None:
    """Raises SourceError for a macro that nvcc's headers use as a name of theirs: -DT=16 would change `template <T>`.

    Names of two and more capitals and those with underscores are none of theirs; the headers are not read for them.
    """
    short = [p for p in params if any(SHORT.match(name) for name in set_macros(p))]
    taken = names_in_toolkit(tuple(words)) if short else frozenset[str]()
    for pragma in short:
        for name in taken & set(set_macros(pragma)):
            message = f"CUDA's own headers have a name `{name}`, which -D{name}=… would replace"
            raise SourceError(message, pragma.span, f"call it `{name.upper()}_VALUE`, here and in the code")
