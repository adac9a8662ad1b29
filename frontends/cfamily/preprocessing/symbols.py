"""Parameters in preprocessed text: names that stay names although `#if` has to know their values.

A whole number is spelled in hexadecimal with more leading zeros than anybody writes: `#if` reads its value, and the
number of zeros names the parameter. Other values are macros that stand for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

ZEROS = 40  # in front of every parameter's value
SPELLED = re.compile(rf"(?:0x0{{{ZEROS}}}(?P<number>0*)[1-9a-f][0-9a-f]*|0X0{{{ZEROS}}}(?P<zero>0*))\Z")


class Presence(Enum):
    """State of a macro of which only `#ifdef` asks: true is a definition, false is none."""

    DEFINED = True
    UNDEFINED = False


MacroValue = int | Presence | None


def with_numbers(symbols: Mapping[str, MacroValue], numbers: Mapping[str, int | None]) -> dict[str, MacroValue]:
    """`symbols` with other numbers; 1 and 0 of a macro of which only `#ifdef` asks are whether it is defined."""
    present = {name for name, value in symbols.items() if isinstance(value, Presence)}
    return {**symbols, **{n: Presence(bool(number)) if n in present else number for n, number in numbers.items()}}


@dataclass(frozen=True)
class Symbols:
    """`values` by name: a whole number, None of what has no value in `#if`, or whether it is defined."""

    values: Mapping[str, MacroValue]

    @cached_property
    def order(self) -> tuple[str, ...]:
        return tuple(sorted(self.values))

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self.values)

    def definitions(self) -> list[str]:
        """The compiler's words that define them, or take them away."""
        return [
            f"-U{name}" if self.values[name] is Presence.UNDEFINED else f"-D{name}={self._spelled(number)}"
            for number, name in enumerate(self.order)
        ]

    def is_presence(self, name: str) -> bool:
        return isinstance(self.values.get(name), Presence)

    def _spelled(self, number: int) -> str:
        value = self.values[self.order[number]]
        if isinstance(value, Presence):
            value = 1
        if value is None:
            return self.order[number]
        zeros = "0" * (ZEROS + number)
        return f"{'-' * (value < 0)}0x{zeros}{abs(value):x}" if value else f"0X{zeros}"

    def named(self, text: str) -> str:
        """The parameter that a number's text stands for; empty of an ordinary number."""
        match = SPELLED.match(text)
        number = len(match["number"] or match["zero"] or "") if match else len(self.order)
        return self.order[number] if number < len(self.order) else ""

    def is_negative(self, name: str) -> bool:
        value = self.values.get(name)
        return isinstance(value, int) and value < 0
