"""Standard containers whose elements are subscripted: `std::vector<double>`, `std::array<float, 16>`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.frontends.cfamily.declared import canonical_type
from tunepass.frontends.cfamily.tokens import Token
from tunepass.frontends.cfamily.tree import Expression, Name, Number

CONTAINER = re.compile(r"(?:std\s*::\s*)?(vector|array|valarray|span)\s*<(.*)>\Z", re.DOTALL)
SIZED = ("array",)
VIEWS = ("span",)  # pointers to elements of something else


@dataclass(frozen=True, slots=True)
class Contained:
    """`extents` as far as the type has them; `owns`: the elements belong to no other object."""

    element: str
    extents: tuple[Expression | None, ...]
    owns: bool


def contained(type_: str) -> Contained | None:
    """What a container of containers holds in the end; None of any other type."""
    extents: list[Expression | None] = []
    owns = True
    while match := CONTAINER.match(type_.strip()):
        arguments = split_arguments(match[2])
        owns = owns and match[1] not in VIEWS
        extents.append(_extent(arguments[1]) if match[1] in SIZED and len(arguments) > 1 else None)
        type_ = arguments[0]
    words = [word for word in type_.replace("std::", "").split() if word != "const"]
    element = canonical_type(" ".join(words))
    return Contained(element, tuple(extents), owns) if extents and element != "bool" else None


def split_arguments(text: str) -> Sequence[str]:
    """Of a template, by the commas that stand in no brackets."""
    parts, level = [""], 0
    for letter in text:
        level += (letter in "<([") - (letter in ">)]")
        if letter == "," and level == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _extent(text: str) -> Expression | None:
    if re.fullmatch(r"\d+[uUlL]*", text):
        return Number(Token("number", text, 0, 0))
    return Name(Token("name", text, 0, 0)) if text.isidentifier() else None
