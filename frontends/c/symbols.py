"""The macros that parameters set, as the reader of C takes them: symbols with the value that `#if` reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tunepass.diagnostics import TunepassError
from tunepass.frontends.c.lowering import spelled
from tunepass.frontends.c.macros import MacroDefault, set_macros, whole_number
from tunepass.frontends.c.parameters import build_parameter
from tunepass.frontends.params.param import ParamText


def symbols_of(
    pragmas: Iterable[ParamText], macros: Mapping[str, MacroDefault], known: frozenset[str]
) -> dict[str, int | None]:
    """By name the default's whole number; None where it is none, or where the parameter is wrong and told so later."""
    values: dict[str, int | None] = {}
    for pragma in pragmas:
        values |= dict.fromkeys(set_macros(pragma))
        try:
            parameter, _ = build_parameter(pragma, macros, known)
            assigned = parameter.assignments(parameter.default)
        except TunepassError:
            continue
        values |= {name: whole_number(spelled(value)) for name, value in assigned if name in values}
    return values
