"""Parameters of tunepass for the names and choices of other tools."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import cast

from tunepass.diagnostics import SpaceError
from tunepass.space.parameter import Categorical
from tunepass.space.parameters.checks import RESERVED

Foreign = object  # a value as another tool has it: a number, or any choice


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


def place_of(choices: Sequence[object], value: Foreign) -> int | None:
    """The place of a choice: of the same object or type, else of an equal one; None without one."""
    for index, choice in enumerate(choices):
        if choice is value or (type(choice) is type(value) and choice == value):
            return index
    return next((index for index, choice in enumerate(choices) if choice == value), None)
