"""Finds function definitions in C and C++ text with a light scan; prototypes are kept as text, never understood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.frontends.c.syntax.lexical import Scan

QUALIFIERS = re.compile(r"\b(?:const|volatile|restrict|__restrict__|__restrict|register|static|struct|enum)\b|\*|&")
WORD = re.compile(r"[A-Za-z_]\w*")
TRANSPARENT = re.compile(r'(?:extern\s*"\s*"|\bnamespace\b[\s\w:]*)\s*\Z')
NUMERIC = frozenset({"char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Bool", "bool"})
INTEGRAL = re.compile(r"(?:u?int(?:_fast|_least)?\d+|u?intptr|u?intmax|s?size|ptrdiff)_t\Z")


@dataclass(frozen=True, slots=True)
class Formal:
    """A formal parameter: its text, its name (empty if it has none), its element type without qualifiers."""

    text: str
    name: str
    element: str
    pointer: bool
    constant: bool  # what it points to is const


@dataclass(frozen=True, slots=True)
class FunctionDefinition:
    """A function with a body. `start` is where its prototype begins, [body_start, body_end) its braces included."""

    name: str
    prototype: str
    formals: tuple[Formal, ...]
    private: str  # why other files cannot call it, if they cannot: `static`, `inline`, a namespace
    start: int
    name_start: int
    body_start: int
    body_end: int


def definitions(scan: Scan) -> tuple[FunctionDefinition, ...]:
    """Every function defined at file scope, or inside `extern "C"` and namespaces, in the order of the text."""
    return tuple(_definitions(scan.statements))


def _definitions(text: str) -> Iterator[FunctionDefinition]:
    start = position = 0
    around: list[tuple[int, str]] = []  # where each `extern "C"` and namespace ends, and what it is
    while position < len(text):
        bracket = re.compile(r"[;{}]").search(text, position)
        if bracket is None:
            return
        position = bracket.end()
        head = text[start : bracket.start()]
        around = [(end, what) for end, what in around if bracket.start() < end]
        if bracket.group() != "{":
            start = position
        elif transparent := TRANSPARENT.search(head):
            around.append((_closing(text, bracket.start()), transparent.group().split()[0]))
            start = position
        else:
            end = _closing(text, bracket.start())
            definition = _definition(head, [what for _, what in around], start, bracket.start(), end)
            if definition is not None:
                yield definition
                start = end
            position = end  # a struct or an initialiser: its `;` ends it


def _closing(text: str, opening: int) -> int:
    """The offset after the bracket that closes the one at `opening`, or the end of the text."""
    pair = {"{": "}", "(": ")"}[text[opening]]
    depth = 0
    for bracket in re.compile(rf"[{re.escape(text[opening] + pair)}]").finditer(text, opening):
        depth += 1 if bracket.group() == text[opening] else -1
        if depth == 0:
            return bracket.end()
    return len(text)


def _definition(head: str, around: list[str], start: int, brace: int, end: int) -> FunctionDefinition | None:
    """A definition whose text before `{` is `head`, if that is what it is; `around` are `extern` and `namespace`."""
    linked = re.search(r'\bextern\s*"\s*"', head)
    if linked:  # the scan emptied the string
        head = head[: linked.start()] + " " * len(linked.group()) + head[linked.end() :]
    stripped = re.sub(r"\b(?:noexcept|override|final)\b", lambda m: " " * len(m.group()), head).rstrip()
    if not stripped.endswith(")"):
        return None
    opening = _opening(stripped)
    name = re.search(r"([A-Za-z_]\w*)\s*\Z", stripped[:opening])
    if name is None or "=" in stripped[:opening]:
        return None
    before = stripped[: name.start()]
    if not before.strip():
        return None  # a macro's use: a definition has a return type
    lead = len(head) - len(head.lstrip())
    specifier = re.search(r"\b(?:static|inline|template)\b", before)
    language = 'extern "C" ' if linked or "extern" in around else ""
    return FunctionDefinition(
        name=name.group(1),
        prototype=language + re.sub(r"\s+", " ", stripped.strip()),
        private="in a namespace" if "namespace" in around else f"`{specifier.group()}`" if specifier else "",
        formals=tuple(_formal(part) for part in split_arguments(stripped[opening + 1 : -1])),
        start=start + lead,
        name_start=start + name.start(1),
        body_start=brace,
        body_end=end,
    )


def _opening(text: str) -> int:
    """The offset of the bracket that the last `)` of `text` closes."""
    depth = 0
    for offset in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[offset], 0)
        if depth == 0:
            return offset
    return 0


def split_arguments(text: str) -> list[str]:
    """The comma-separated parts outside brackets; `void` and nothing are no parts."""
    parts, depth, start = [], 0, 0
    for offset, char in enumerate(text):
        depth += (char in "([{<") - (char in ")]}>")
        if char == "," and depth == 0:
            parts.append(text[start:offset])
            start = offset + 1
    parts.append(text[start:])
    parts = [" ".join(part.split()) for part in parts]
    return [] if parts in ([""], ["void"]) else parts


def _formal(text: str) -> Formal:
    declared = re.sub(r"=.*", "", text)
    array = "[" in declared
    pointer = array or "*" in declared
    head = declared.split("[")[0]
    words = WORD.findall(QUALIFIERS.sub(" ", head))
    named = len(words) > 1 and words[-1] not in NUMERIC and INTEGRAL.match(words[-1]) is None
    pointee = head.rsplit("*", 1)[0] if "*" in head else head
    return Formal(
        text=text,
        name=words[-1] if named else "",
        element=canonical_type(" ".join(words[:-1] if named else words)),
        pointer=pointer,
        constant=re.search(r"\bconst\b", pointee) is not None,
    )


def canonical_type(text: str) -> str:
    """One spelling per arithmetic type: `long int` and `long`, `unsigned` and `unsigned int`; others as they are."""
    words = [w for w in QUALIFIERS.sub(" ", text).split() if w]
    if not words or not all(w in NUMERIC for w in words):
        return " ".join(words)
    if any(w in ("float", "bool", "_Bool") for w in words):
        return "bool" if words[-1] == "_Bool" else words[-1]
    longs = " ".join(w for w in words if w in ("long", "short"))
    if "double" in words:
        return f"{longs} double".strip()
    if "char" in words:
        return " ".join([w for w in words if w in ("signed", "unsigned")] + ["char"])
    return ("unsigned " if "unsigned" in words else "") + (longs or "int")


def is_integral(element: str) -> bool:
    words = element.split()
    return bool(INTEGRAL.match(element)) or (
        bool(words) and all(w in NUMERIC for w in words) and not {"float", "double"} & set(words)
    )


def is_real(element: str) -> bool:
    return element in ("float", "double", "long double", "_Float16", "__float128")


def is_known(element: str) -> bool:
    return is_integral(element) or is_real(element)
