"""Which definition a name means: qualified names, template arguments left out, and the scopes around a pragma."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunepass.frontends.c.syntax.heads import bracket_end
from tunepass.frontends.cfamily.definitions import FunctionDefinition


def plain_name(name: str) -> str:
    """`blas::S<T>::f<float>` as `blas::S::f`."""
    while (opening := name.find("<")) >= 0:
        name = name[:opening] + name[bracket_end(name, opening) :]
    return name


def template_arguments(name: str) -> tuple[str, ...] | None:
    """Of the function itself, as texts; None where none are written."""
    match = re.search(r"<(?P<arguments>.*)>\Z", name)
    if match is None or plain_name(name[: match.start()]) != plain_name(name):
        return None
    parts, depth = [""], 0
    for character in match["arguments"]:
        depth += (character in "<(") - (character in ">)")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return tuple(part.strip() for part in parts)


def pieces(name: str) -> list[str]:
    """`blas::S<a::T>::f<float>` at the `::` outside template arguments."""
    parts, depth = [""], 0
    for piece in re.split(r"(::|[<>])", name):
        depth += (piece == "<") - (piece == ">")
        if piece == "::" and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def named(name: str, definitions: Sequence[FunctionDefinition], place: int) -> list[FunctionDefinition]:
    """What `name` means at `place`: the definitions with just that name, else those in the scopes around it, else all
    whose qualified name ends with it."""
    wanted = plain_name(name)
    around = {s for d in definitions for s in d.scopes if d.start <= place < s.end}
    exact = [d for d in definitions if d.qualified == wanted]
    if exact:
        return exact
    ending = [d for d in definitions if d.qualified.endswith(f"::{wanted}")]
    inside = [d for d in ending if any(scope in around for scope in d.scopes)]
    return inside or ending
