"""The numbers that a source names: macros, enumerators and constants."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr, Type
from tunepass.frontends.cfamily.branches.conditions import conditional_macros
from tunepass.frontends.cfamily.constants.values import Values
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.tree import Expression, SyntaxFault
from tunepass.frontends.cfamily.text.tokens import tokens
from tunepass.frontends.cfamily.unit import Unit

FIXED = frozenset({"const", "constexpr"})


def constants(unit: Unit, names: Collection[str]) -> dict[str, int | float]:
    """Those of `names` that have one value, whatever the parameters are."""
    numbers = ((name, algebra.number(value)) for name, value in named_values(unit, names, {}).items() if name in names)
    return {name: number for name, number in numbers if number is not None}


def named_values(unit: Unit, names: Collection[str], symbols: Mapping[str, Type]) -> dict[str, Expr]:
    """The values over `symbols` of `names`, of the macros that these are made of, and of constants and enumerators."""
    values = Values(symbols)
    waiting = dict(_defined(unit, names))
    while found := {name: known for name, e in waiting.items() if (known := values.value(e)) is not None}:
        values.known |= found
        waiting = {name: e for name, e in waiting.items() if name not in found}
    return values.known


def number_in(text: str, known: Mapping[str, bool | int | float]) -> int | float | None:
    """The value of a C expression of numbers and `known` names."""
    try:
        expression = parse_expression(list(tokens(text)))
    except SyntaxFault:
        return None
    value = Values({}, {name: algebra.lift(number) for name, number in known.items()}).number(expression)
    return None if value is None else algebra.number(value)


def _defined(unit: Unit, names: Collection[str]) -> Iterator[tuple[str, Expression]]:
    for declaration in unit.globals:
        for declarator in declaration.declarators:
            if FIXED & set(declaration.words) and not declarator.shape and declarator.value is not None:
                yield declarator.name.text, declarator.value
    yield from unit.enumerators.items()
    waiting, seen = list(names), set(conditional_macros(unit.text))
    while waiting:
        name = waiting.pop()
        texts = {m.body for m in unit.text.macros.get(name, ()) if m.parameters is None}
        if name in seen or name in unit.text.symbols.names or len(texts) != 1:
            continue
        seen.add(name)
        (text,) = texts
        words = list(tokens(text))
        waiting += [word.text for word in words if word.kind == "name"]
        try:
            yield name, parse_expression(words, unit.types, unit.cxx)
        except SyntaxFault:
            continue
