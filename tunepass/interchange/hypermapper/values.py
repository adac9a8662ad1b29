"""Values of a scenario's parameters as texts in requests, replies and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Categorical, Parameter, Permutation, Real


@dataclass(frozen=True, slots=True)
class ScenarioParameter:
    """A parameter and its name in the scenario. `texts` has the values that are not written as Python writes them."""

    name: str
    parameter: Parameter
    texts: Mapping[Value, str] = field(default_factory=dict)

    def text(self, value: Value) -> str:
        """The value in a request or a table: an ordinal 4 as `4`, an order as `(0, 2, 1)`."""
        if value in self.texts:
            return self.texts[value]
        return str(value) if isinstance(value, tuple | str) else repr(value)

    def value(self, text: str) -> Value | None:
        """The value that a client or a table writes so; None if it is none of the parameter's kind."""
        text = text.strip().strip('"').strip()
        if isinstance(self.parameter, Categorical):
            return _category(text, self.parameter.domain)
        if isinstance(self.parameter, Permutation):
            return _order(text, self.parameter)
        try:
            number = float(text)
        except ValueError:
            return None
        if not math.isfinite(number):
            return None
        if isinstance(self.parameter, Real):
            return number
        exact = self.parameter.canonical(int(number) if number.is_integer() else number)
        return number if exact is None else exact


def value_of(configuration: Configuration, parameter: ScenarioParameter) -> Value:
    return configuration[parameter.parameter.name]


def _category(text: str, domain: Sequence[Value]) -> Value | None:
    """The category of that name, else the only one that differs in upper and lower case."""
    if text in domain:
        return text
    alike = [value for value in domain if str(value).casefold() == text.casefold()]
    return alike[0] if len(alike) == 1 else None


def _order(text: str, parameter: Permutation) -> Value | None:
    try:
        value = tuple(int(word) for word in text.strip("()[]").split(",") if word.strip())
    except ValueError:
        return None
    return value if parameter.admits(value) else None


def cells_of(text: str) -> list[str]:
    """The cells of a line: commas inside brackets and quotes separate none."""
    cells, depth, quoted, start = [], 0, False, 0
    for place, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif not quoted and character in "([":
            depth += 1
        elif not quoted and character in ")]":
            depth = max(0, depth - 1)
        elif character == "," and not quoted and depth == 0:
            cells.append(text[start:place].strip().strip('"'))
            start = place + 1
    return [*cells, text[start:].strip().strip('"')]
