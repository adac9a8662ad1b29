"""Conditions of `#if` as expressions over parameters, as the preprocessor reads them: a name without a macro is 0."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.expr import algebra, typing
from tunepass.expr.nodes import BoolType, CategoryType, Constant, Expr, OrderType, RealType, Type
from tunepass.expr.nodes import Name as Symbol
from tunepass.frontends.cfamily.constants import named_values
from tunepass.frontends.cfamily.expressions import parse_expression
from tunepass.frontends.cfamily.literals import literal
from tunepass.frontends.cfamily.tokens import tokens
from tunepass.frontends.cfamily.tree import SyntaxFault
from tunepass.frontends.cfamily.unit import Unit
from tunepass.frontends.cfamily.values import Values
from tunepass.space.parameter import Parameter

DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")


@dataclass(frozen=True)
class Conditions:
    """`types` are of parameters that stand for themselves, `numbers` what others are in a condition."""

    unit: Unit
    types: Mapping[str, Type]
    numbers: Mapping[str, Expr]

    @classmethod
    def of(cls, unit: Unit, parameters: Sequence[Parameter]) -> Conditions:
        types: dict[str, Type] = {}
        numbers: dict[str, Expr] = {}
        for parameter in parameters:
            symbol = Symbol(parameter.name, parameter.type)
            if isinstance(parameter.type, OrderType):
                items = parameter.type.items
                names = [name for name, _ in parameter.assignments(parameter.default)]
                numbers |= {n: typing.call("pos", (symbol, typing.constant(i))) for n, i in zip(names, items)}
                continue
            value, distinct = _number(unit, symbol)
            if value is not None:
                numbers[parameter.name] = value
            if distinct and not isinstance(parameter.type, RealType):
                types[parameter.name] = parameter.type
        return cls(unit, types, numbers)

    def read(self, text: str) -> Expr | None:
        """None where its value cannot be told for every value of the parameters."""
        text = DEFINED.sub(lambda m: "1" if self._is_defined(m[1] or m[2]) else "0", text)
        words = {token.text for token in tokens(text) if token.kind == "name"}
        if any(word.startswith("__has_") for word in words):
            return None
        known = named_values(self.unit, words & self.unit.text.macros.keys(), self.types)
        known |= {name: value for name, value in self.numbers.items() if name not in self.types}
        names = self.unit.text.macros.keys() | self.unit.text.symbols.names | known.keys()
        known |= {word: algebra.lift(0) for word in words - names}
        try:
            read = parse_expression(list(tokens(text)))
        except SyntaxFault:
            return None
        plain = Values(self.types, dict(known)).condition(read)
        return plain if plain is not None else Values(self.types, {**known, **self.numbers}).condition(read)

    def _is_defined(self, name: str) -> bool:
        """A candidate has a -D for every parameter."""
        return name in self.unit.text.symbols.names or name in self.unit.text.macros


def _number(unit: Unit, symbol: Symbol) -> tuple[Expr | None, bool]:
    """What a choice is in `#if`, and whether its values differ there: 1 or 0 of a Boolean, a macro's number of a word;
    None where it is no number."""
    if isinstance(symbol.type, BoolType):
        return algebra.where(symbol, 1, 0), True
    if not isinstance(symbol.type, CategoryType):
        return None, True
    values = symbol.type.values
    numbers = [number_of_word(unit, value) for value in values]
    if any(number is None for number in numbers):
        return None, True
    result: Expr = algebra.lift(numbers[-1] or 0)
    for value, number in list(zip(values, numbers))[-2::-1]:
        same = typing.compare((symbol, typing.constant(value)), ("==",))
        result = algebra.where(same, number or 0, result)
    return result, len(set(numbers)) == len(numbers)


def number_of_word(unit: Unit, text: str) -> int | None:
    """What `#if` reads for it: a number, that of the macro, or 0 of another name; None where that is no number."""
    if text[:1].isdigit():
        return literal(text)
    if text not in unit.text.macros:
        return 0 if text.isidentifier() else None
    value = named_values(unit, {text}, {}).get(text)
    number = value.value if isinstance(value, Constant) else None
    return int(number) if isinstance(number, int) else None
