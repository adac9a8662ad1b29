"""Parameters of tunepass for the names and choices of other tools."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast

from tunepass.diagnostics import SpaceError
from tunepass.space.configuration import Value
from tunepass.space.parameter import Categorical, Parameter, Permutation
from tunepass.space.parameters.checks import RESERVED
from tunepass.space.plain_values import as_scalar

Foreign = object  # a value as another tool has it: a number, or any choice


@dataclass(frozen=True, slots=True)
class ForeignParameter:
    """A parameter, and its choices as another tool has them; None: they are the parameter's values."""

    parameter: Parameter
    choices: tuple[Foreign, ...] | None = None

    def foreign(self, value: Value) -> Foreign:
        """A value of the parameter as the other tool has it."""
        return value if self.choices is None else self.choices[self.parameter.domain.index(value)]

    def native(self, value: Foreign) -> Value:
        """The parameter's value; what is none of the choices as it is, which no space accepts."""
        if self.choices is not None:
            place = place_of(self.choices, as_scalar(value))
            return value if place is None else self.parameter.domain[place]  # type: ignore[return-value]
        return tuple(value) if isinstance(self.parameter, Permutation) else value  # type: ignore[arg-type, return-value]


def identifier(name: str, used_names: Collection[str]) -> str:
    """A name that the expression language has, for any text; none of the used ones."""
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not word or word[0].isdigit() or word in RESERVED:
        word = f"_{word}"
    unique, count = word, 1
    while unique in used_names:
        count += 1
        unique = f"{word}_{count}"
    return unique


def categorical(name: str, choices: Sequence[object], when: str | None = None) -> Categorical:
    """A parameter of the choices themselves where one can have them; else of a text for each, in their order."""
    try:
        return Categorical(name, cast(Sequence[str], choices), when=when)
    except SpaceError:
        return Categorical(name, [f"{index}: {choice!r}" for index, choice in enumerate(choices)], when=when)


def parameter_of_choices(name: str, choices: Sequence[Foreign]) -> ForeignParameter:
    """The parameter whose values stand for the choices."""
    plain = tuple(as_scalar(choice) for choice in choices)
    return ForeignParameter(categorical(name, plain), plain)


def place_of(choices: Sequence[object], value: Foreign) -> int | None:
    """The place of a choice: of the same object or type, else of an equal one; None without one."""
    for index, choice in enumerate(choices):
        if choice is value or (type(choice) is type(value) and choice == value):
            return index
    return next((index for index, choice in enumerate(choices) if choice == value), None)
