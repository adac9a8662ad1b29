"""The parameters of a function in C, CUDA or OpenCL text, as far as a description of its arguments needs them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tunepass.interchange.foreign_kernel import ForeignArgument, ForeignKernel

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_QUALIFIERS = re.compile(
    r"\b(const|volatile|restrict|__restrict__|__restrict|__global|global|__constant|constant|__local|local|__private)\b"
)
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\([^()]*\)\)")
_VECTOR = re.compile(r"([a-z_]+?)(2|3|4|8|16)")


@dataclass(frozen=True, slots=True)
class Formal:
    name: str
    element: str
    pointer: bool
    constant: bool  # what it points to


def formals(text: str, function: str) -> tuple[Formal, ...] | None:
    """Of the definition of `function`; None where there is none that can be read."""
    text, plain = _COMMENT.sub(" ", text), function.partition("<")[0].rpartition("::")[2]
    for match in re.finditer(rf"\b{re.escape(plain)}\s*\(", text):
        inside = _bracketed(text, match.end())
        if inside is None or not re.match(r"\)[^;{(]*\{", text[match.end() + len(inside) :]):
            continue
        declared = [_formal(part) for part in _split(_ATTRIBUTE.sub(" ", inside))]
        known = [formal for formal in declared if formal is not None]
        return tuple(known) if len(known) == len(declared) else None
    return None


def agreed(kernel: ForeignKernel, text: str) -> ForeignKernel:
    """With the names and types that the kernel's own text gives its parameters; without arguments where they differ."""
    found = formals(text, kernel.function)
    if found is None:
        return replace(kernel, arguments=(), notes=(*kernel.notes, f"no definition of {kernel.function} in the source"))
    passed = [a for a in kernel.arguments if not a.symbol]
    if len(found) == len(kernel.arguments):
        passed = [replace(a, symbol=False) for a in kernel.arguments]
    if len(found) != len(passed):
        note = f"{kernel.function} has {len(found)} parameters, its description {len(passed)} arguments"
        return replace(kernel, arguments=(), notes=(*kernel.notes, note))
    symbols = [a for a in kernel.arguments if a.symbol and len(passed) < len(kernel.arguments)]
    found = tuple(
        replace(formal, element=a.element) if a.element and _varies(formal.element, text) else formal
        for a, formal in zip(passed, found)
    )
    if "<" in kernel.function:  # a type may be the template's parameter
        found = tuple(replace(formal, element=a.element) for a, formal in zip(passed, found))
    return replace(kernel, arguments=(*map(_as_declared, passed, found), *symbols))


def _as_declared(argument: ForeignArgument, formal: Formal) -> ForeignArgument:
    """A description counts numbers where the kernel may have vectors of them."""
    vector = _VECTOR.fullmatch(formal.element)
    lanes = 4 if vector and vector[2] == "3" else int(vector[2]) if vector else 1
    wider = vector is not None and argument.element == vector[1] and argument.length % lanes == 0
    length = argument.length // lanes if wider and argument.value is None else argument.length
    direction = "in" if formal.constant and argument.value is None else argument.direction
    return replace(argument, name=formal.name, element=formal.element, length=length, direction=direction)


def _varies(element: str, text: str) -> bool:
    """Is there more than one such type, or a macro in it? The description's own is right for all of them."""
    name = re.escape(element.split()[-1])
    typedefs = re.findall(rf"\btypedef\b[^;]*\b{name}\s*;", text)
    macros = [word for word in element.split() if re.search(rf"^[ \t]*#[ \t]*define[ \t]+{word}\b", text, re.MULTILINE)]
    return len(typedefs) > 1 or bool(macros)


def _bracketed(text: str, start: int) -> str | None:
    """From behind an opening bracket to before its closing one."""
    depth = 1
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[start:i]
    return None


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "([<") - (character in ")]>")
        if character == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip() not in ("", "void")]


def _formal(text: str) -> Formal | None:
    pointer = "*" in text or "[" in text
    words = _QUALIFIERS.sub(" ", re.sub(r"\[[^]]*\]", " ", text).replace("*", " ").replace("&", " ")).split()
    if len(words) < 2 or not words[-1].isidentifier():
        return None
    constant = pointer and re.search(r"\bconst\b", text.split("*")[0]) is not None
    return Formal(words[-1], " ".join(words[:-1]), pointer, constant)
