"""The macros that parameters set, as the reader of C takes them: symbols with the value that `#if` reads."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Mapping

from tunepass.diagnostics import TunepassError
from tunepass.frontends.c.lowering import spelled
from tunepass.frontends.c.parameters.macros import MacroDefault, set_macros, whole_number
from tunepass.frontends.c.parameters.param_pragmas import build_parameter
from tunepass.frontends.c.parameters.presence import presence_word
from tunepass.frontends.cfamily.preprocessing.symbols import MacroValue, Presence, with_numbers
from tunepass.frontends.params.param import ParamText
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter


def symbols_of(
    pragmas: Iterable[ParamText],
    macros: Mapping[str, MacroDefault],
    known: frozenset[str],
    present: Collection[str] = (),
) -> dict[str, MacroValue]:
    """By name the default's whole number; None where it is none; of `present` ones whether they are defined."""
    texts = _default_texts(pragmas, macros, known)
    numbers = {name: None if text is None else whole_number(text) for name, text in texts.items()}
    symbols: dict[str, MacroValue] = {name: Presence.UNDEFINED if name in present else None for name in numbers}
    return with_numbers(symbols, numbers)


def words_of(
    parameters: Iterable[Parameter], macros: Collection[str], values: Mapping[str, Value], present: Collection[str]
) -> tuple[str, ...]:
    """What these values, and the defaults of other parameters, give the compiler for each of the macros."""
    assigned = (pair for p in parameters for pair in p.assignments(values.get(p.name, p.default)) if pair[0] in macros)
    return tuple(presence_word(n, bool(v)) if n in present else f"-D{n}={spelled(v)}" for n, v in assigned)


def _default_texts(
    pragmas: Iterable[ParamText], macros: Mapping[str, MacroDefault], known: frozenset[str]
) -> dict[str, str | None]:
    """By name what the default makes of each macro; where the parameter is wrong, which is told later, what the source
    defines, or None."""
    texts: dict[str, str | None] = {}
    for pragma in pragmas:
        texts |= {name: macros[name].text if name in macros else None for name in set_macros(pragma)}
        try:
            parameter, _ = build_parameter(pragma, macros, known)
            assigned = parameter.assignments(parameter.default)
        except TunepassError:
            continue
        texts |= {name: spelled(value) for name, value in assigned if name in texts}
    return texts


def parameters_of(
    pragmas: Iterable[ParamText], macros: Mapping[str, MacroDefault], known: frozenset[str]
) -> list[Parameter]:
    """Those that are right: what is wrong with others is told later."""
    found: list[Parameter] = []
    for pragma in pragmas:
        with contextlib.suppress(TunepassError):
            found.append(build_parameter(pragma, macros, known)[0])
    return found
