"""The macros that parameters set, as the reader of C takes them: symbols with the value that `#if` reads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping

from tunepass.diagnostics import TunepassError
from tunepass.frontends.c.lowering import spelled
from tunepass.frontends.c.macros import MacroDefault, set_macros
from tunepass.frontends.c.parameters import build_parameter
from tunepass.frontends.cfamily.literals import literal
from tunepass.frontends.params.param import ParamText
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter


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
        values |= {name: whole(value) for name, value in assigned if name in values}
    return values


def parameters_of(
    pragmas: Iterable[ParamText], macros: Mapping[str, MacroDefault], known: frozenset[str]
) -> list[Parameter]:
    """Those that are right: what is wrong with others is told later."""
    found: list[Parameter] = []
    for pragma in pragmas:
        with contextlib.suppress(TunepassError):
            found.append(build_parameter(pragma, macros, known)[0])
    return found


def whole(value: Value) -> int | None:
    """The whole number that a macro of this value is; None of another text."""
    text = spelled(value)
    digits = text.removeprefix("-")
    number = literal(digits) if digits[:1].isdecimal() else None
    return -number if number is not None and text.startswith("-") else number
