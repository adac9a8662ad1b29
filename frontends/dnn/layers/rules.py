"""How the layers of a framework are written down as operators of the table: one line of text for each.

    OPERATOR ARGUMENT ... ; NAME=VALUE ...

Arguments stand in the order in which they may be given without a name. `filters` is the operator's attribute of that
name; `kernel_size=kernel` goes by another; `strides=stride|pool_size` is what `pool_size` is where it is left out or
None; `in_channels~channels` has to be the channels of the input (`~last`: its last size); `activation!` is looked at by
the framework's own code; `name-` says nothing about costs. What follows `;` is fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tunepass.expr import algebra
from tunepass.ir.graph import Attribute


@dataclass(frozen=True, slots=True)
class Argument:
    """`attribute` None: it says nothing about costs, or the framework's own code looks at it."""

    name: str
    attribute: str | None = None
    otherwise: str | None = None  # the argument whose value it has where it is None
    checked: str | None = None  # channels or last
    special: bool = False


@dataclass(frozen=True, slots=True)
class LayerRule:
    operator: str
    arguments: tuple[Argument, ...]
    fixed: Mapping[str, Attribute]

    def argument(self, name: str) -> Argument | None:
        return next((argument for argument in self.arguments if argument.name == name), None)


@cache
def rule(text: str) -> LayerRule:
    """The rule that a line states."""
    head, _, tail = text.partition(";")
    operator, *words = head.split()
    fixed = (word.partition("=") for word in tail.split())
    return LayerRule(operator, tuple(map(_argument, words)), {name: _fixed(value) for name, _, value in fixed})


def _argument(word: str) -> Argument:
    if word.endswith("-"):
        return Argument(word[:-1])
    if word.endswith("!"):
        return Argument(word[:-1], special=True)
    if "~" in word:
        name, _, checked = word.partition("~")
        return Argument(name, checked=checked)
    name, _, attribute = word.partition("=")
    attribute, _, otherwise = attribute.partition("|")
    return Argument(name, attribute or name, otherwise or None)


def _fixed(text: str) -> Attribute:
    if text in ("True", "False"):
        return algebra.lift(text == "True")
    return algebra.lift(int(text)) if text.lstrip("-").isdigit() else text
