"""Standard containers whose elements are subscripted: `std::vector<double>`, `std::array<float, 16>`."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.frontends.cfamily.syntax.tree import Expression, Name, Number
from tunepass.frontends.cfamily.text.names import plain_name, template_arguments
from tunepass.frontends.cfamily.text.tokens import tokens
from tunepass.frontends.cfamily.types.declared import canonical_type

CONTAINERS = ("vector", "array", "valarray", "span")
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
    while arguments := _arguments(type_.strip()):
        kind = _kind(type_)
        owns = owns and kind not in VIEWS
        extents.append(_extent(arguments[1]) if kind in SIZED and len(arguments) > 1 else None)
        type_ = arguments[0]
    words = [word for word in type_.replace("std::", "").split() if word != "const"]
    element = canonical_type(" ".join(words))
    return Contained(element, tuple(extents), owns) if extents and element != "bool" else None


def _kind(type_: str) -> str:
    return plain_name(type_).strip().removeprefix("std::").strip()


def _arguments(type_: str) -> tuple[str, ...]:
    """Of a container's type; nothing of any other."""
    return (template_arguments(type_) or ()) if _kind(type_) in CONTAINERS else ()


def _extent(text: str) -> Expression | None:
    code = list(tokens(text))
    if len(code) != 1 or code[0].kind not in ("name", "number"):
        return None
    return Number(code[0]) if code[0].kind == "number" else Name(code[0])
