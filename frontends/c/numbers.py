"""The macros of a file that are numbers, and constants of such macros."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tunepass.diagnostics import TunepassError
from tunepass.expr.algebra import lift, substitute
from tunepass.expr.nodes import IntegerType, RealType
from tunepass.expr.parser import parse
from tunepass.frontends.c.constants import constant_value
from tunepass.frontends.c.macros import MacroDefault

Value = bool | int | float
PLAIN = re.compile(r"[\s\w.()*+-]+\Z")  # of a macro's text: what means the same in C and here
LONGEST = 200  # characters of a constant
SUFFIX = re.compile(r"\b(\d[\d.]*(?:[eE][+-]?\d+)?|0[xX][0-9a-fA-F]+)[uUlLfF]+\b")


def file_constants(macros: Mapping[str, MacroDefault]) -> dict[str, Value]:
    """The macros that are numbers, also of other such macros: `#define N (4 * M)`. None of `macros` is tuned."""
    known: dict[str, Value] = {}
    waiting = {name: m.text for name, m in macros.items() if PLAIN.match(m.text)}
    while True:
        found: dict[str, Value] = {}
        for name, text in waiting.items():
            value = constant_of(text, known)
            if value is not None:
                found[name] = value
        if not found:
            return known
        known |= found
        waiting = {name: text for name, text in waiting.items() if name not in found}


def constant_of(text: str, known: Mapping[str, Value]) -> Value | None:
    """The value of a C expression of numbers and `known` names, where it means the same here."""
    if len(text) > LONGEST or not PLAIN.match(text):
        return None
    text = SUFFIX.sub(r"\1", text)
    values = {name: lift(value) for name, value in known.items()}
    try:
        e = parse(text, {name: value.type for name, value in values.items()})
        return constant_value(substitute(e, values)) if isinstance(e.type, (IntegerType, RealType)) else None
    except TunepassError:
        return None
