"""Conditions of `#if` as expressions over parameters, as the preprocessor reads them: a name without a macro is 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tunepass.expr import algebra, typing
from tunepass.expr.nodes import BoolType, CategoryType, Constant, Expr, OrderType, RealType, Type, free_names
from tunepass.expr.nodes import Name as Symbol
from tunepass.frontends.cfamily.branches.booleans import folded
from tunepass.frontends.cfamily.branches.by_values import condition_for, truths, value_in
from tunepass.frontends.cfamily.branches.preprocessor_values import UndefinedValueError, computed
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.constants.named_numbers import named_values
from tunepass.frontends.cfamily.constants.values import Values
from tunepass.frontends.cfamily.preprocessing.macro_states import Event, MacroDefinition, MacroStates
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.tree import Expression, Name, SyntaxFault
from tunepass.frontends.cfamily.syntax.walk import nodes
from tunepass.frontends.cfamily.text.marks import PREFIX, closing
from tunepass.frontends.cfamily.text.tokens import Token, tokens
from tunepass.frontends.cfamily.unit import Unit
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter

TRUTHS = ("true", "false")  # words of C++
DEPTH_LIMIT = 32  # macros in macros


@dataclass(frozen=True)
class Conditions:
    """`types` are of parameters that stand for themselves, `numbers` what others are in a condition; `states` tells
    what each macro is where the condition stands."""

    unit: Unit
    types: Mapping[str, Type]
    numbers: Mapping[str, Expr]
    states: MacroStates
    parameters: tuple[Parameter, ...]

    @classmethod
    def of(cls, unit: Unit, parameters: Sequence[Parameter], states: MacroStates) -> Conditions:
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
        return cls(unit, types, numbers, states, tuple(parameters))

    def read(self, text: str) -> Expr | None:
        """None where its value cannot be told for every value of the parameters."""
        try:
            known: dict[str, Expr] = {}
            words = self._expanded(self._without_defined(list(tokens(text)), known), known, frozenset())
            read = parse_expression(words)
        except (SyntaxFault, _UntoldError):
            return None
        plain_names = {**known, **{name: value for name, value in self.numbers.items() if name not in self.types}}
        plain = Values(self.types, dict(plain_names)).condition(read)
        value = plain if plain is not None else Values(self.types, {**known, **self.numbers}).condition(read)
        if value is not None and not any(_is_wrapping(word) for word in words):
            return folded(value)
        return self._by_values(read, known, value)

    def _by_values(self, read: Expression, known: Mapping[str, Expr], symbolic: Expr | None) -> Expr | None:
        """As the preprocessor computes it; `symbolic` if that has the same outcomes, or if values are too many."""
        exprs = {**known, **self.numbers}
        named = {node.text for node in nodes(read) if isinstance(node, Name)}
        inside = {n for name in named if name in exprs for n in free_names(exprs[name])} | named
        involved = [p for p in self.parameters if p.name in inside]

        def number(name: str, values: Mapping[str, Value]) -> int:
            if name in exprs:
                return value_in(exprs[name], values)
            value = values.get(name)
            if not isinstance(value, int):
                raise UndefinedValueError
            return value

        def holds(values: Mapping[str, Value]) -> bool:
            return bool(computed(read, lambda name: number(name, values)).value)

        outcomes = truths(involved, holds)
        if symbolic is not None and outcomes is not None:
            others = truths(involved, lambda values: bool(value_in(symbolic, values)))
            if others is None or not np.array_equal(outcomes, others):
                return condition_for(outcomes, involved)
        if symbolic is not None:
            return folded(symbolic)
        return None if outcomes is None else condition_for(outcomes, involved)

    @cached_property
    def _choices(self) -> frozenset[str]:
        """The words that parameters may be: compared with one, they are told apart by their names."""
        kinds = (kind for kind in self.types.values() if isinstance(kind, CategoryType))
        return frozenset(str(value) for kind in kinds for value in kind.values)

    def _without_defined(self, words: Sequence[Token], known: dict[str, Expr]) -> list[Token]:
        """`defined X` and `defined(X)` as names with a value."""
        result: list[Token] = []
        at = 0
        while at < len(words):
            word = words[at]
            if word.at("defined") and at + 1 < len(words):
                in_brackets = words[at + 1].at("(")
                name = words[at + 1 + in_brackets] if at + 1 + in_brackets < len(words) else word
                at += 2 + 2 * in_brackets
                word = replace(name, text=f"{PREFIX}defined_{name.text}")
                known[word.text] = self._is_defined(name.text)
            else:
                at += 1
            result.append(word)
        return result

    def _is_defined(self, name: str) -> Expr:
        """1 or 0. A candidate has a -D for every parameter, but for those of which only `#ifdef` asks."""
        symbols = self.unit.text.symbols
        if symbols.is_presence(name) and name in self.numbers:
            return self.numbers[name]
        if name in symbols.names:
            return algebra.lift(1)
        value = algebra.lift(0)
        for event in self.states.events_of(name):
            value = algebra.where(_told(event.condition), int(event.definition is not None), value)
        return value

    def _expanded(self, words: Sequence[Token], known: dict[str, Expr], inside: frozenset[str]) -> list[Token]:
        """As the preprocessor makes it; a macro of several texts stays a name, with its value in `known`."""
        if len(inside) > DEPTH_LIMIT:
            raise _UntoldError
        result: list[Token] = []
        at = 0
        while at < len(words):
            word, at = words[at], at + 1
            plain = word.text in TRUTHS and self.unit.cxx and word.text not in self.unit.text.macros
            if word.kind != "name" or plain or word.text in known or word.text in self.unit.text.symbols.names:
                result.append(word)
                continue
            events = self._events(word.text, inside)
            definition = events[0].definition
            if len(events) > 1 or word.text in self._choices:
                known[word.text] = self._number_of(events, inside | {word.text})
            elif definition is None:
                known[word.text] = algebra.lift(0)
            elif definition.parameters is None:
                result += self._expanded(definition.words, known, inside | {word.text})
                continue
            elif at < len(words) and words[at].at("("):
                end = closing(words, at)
                arguments = [self._expanded(part, known, inside) for part in _split(words[at + 1 : end])]
                result += self._expanded(_called(definition, arguments), known, inside | {word.text})
                at = end + 1
                continue
            else:
                known[word.text] = algebra.lift(0)
            result.append(word)
        return result

    def _events(self, name: str, inside: frozenset[str]) -> Sequence[Event]:
        if name in inside or name.startswith("__has_"):
            raise _UntoldError
        return self.states.events_of(name)

    def _number_of(self, events: Sequence[Event], inside: frozenset[str]) -> Expr:
        value = algebra.lift(0)
        for event in events:
            value = algebra.where(_told(event.condition), self._number_in(event.definition, inside), value)
        return value

    def _number_in(self, definition: MacroDefinition | None, inside: frozenset[str]) -> Expr:
        """Of a text that is one word or stands in brackets, so that what is around its use does not matter."""
        if definition is None:
            return algebra.lift(0)
        words = definition.words
        whole = len(words) == 1 or (words[:1] and words[0].at("(") and closing(words, 0) == len(words) - 1)
        if definition.parameters is not None or not whole:
            raise _UntoldError
        known: dict[str, Expr] = {}
        read = parse_expression(self._expanded(words, known, inside))
        value = Values(self.types, {**known, **self.numbers}).number(read)
        if value is None:
            raise _UntoldError
        return value


class _UntoldError(Exception):
    """What a condition is cannot be told."""


def _is_wrapping(word: Token) -> bool:
    """May arithmetic with it differ from that of expressions, which round down and know no unsigned numbers?"""
    return word.at("/", "%", "<<", ">>", "~", "*") or (word.kind == "number" and "u" in word.text.lower())


def _told(condition: Expr | None) -> Expr:
    if condition is None:
        raise _UntoldError
    return condition


def _split(words: Sequence[Token]) -> list[Sequence[Token]]:
    """At the commas outside brackets."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for word in words:
        depth += word.at("(") - word.at(")")
        if word.at(",") and not depth:
            parts.append([])
        else:
            parts[-1].append(word)
    return list(parts)


def _called(definition: MacroDefinition, arguments: Sequence[Sequence[Token]]) -> list[Token]:
    """The text of a macro with its arguments."""
    names = definition.parameters or ()
    if any(word.at("#", "##") for word in definition.words) or len(names) != len(arguments):
        raise _UntoldError
    given = dict(zip(names, arguments))
    return [part for word in definition.words for part in given.get(word.text, (word,))]


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
