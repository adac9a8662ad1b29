"""The heads that chew.py keeps whole: `val (a, b): T =`, `def f[T](x: T)(y: T): T =`, `(i, j: Int) =>`."""

from __future__ import annotations

import re

_NAME = re.compile(r"[^\W\d][\w$]*|`[^`]+`")


def value_head(text: str) -> tuple[tuple[str, ...], str]:
    """Names and type of `val … =`; names of a pattern in order, `_` where it binds none."""
    inner = re.sub(r"^(val|var)\s+", "", text.strip()).removesuffix("=").strip()
    pattern, type_ = _split_type(inner)
    if pattern.startswith("("):
        return tuple(part.split(":")[0].strip().strip("`") for part in split_commas(pattern[1:-1])), type_
    if re.fullmatch(_NAME, pattern):
        return (pattern.strip("`"),), type_
    return tuple(part.strip() for part in split_commas(pattern)), type_


def definition_head(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Name, parameter names and parameter types of `def … =`."""
    inner = re.sub(r"^def\s+", "", text.strip())
    found = re.match(r"[^\s(\[:=]+", inner)
    name, rest = (found.group(0), inner[found.end() :].lstrip()) if found else ("", inner)
    names: list[str] = []
    types: list[str] = []
    while rest[:1] in ("[", "("):
        end = _closing(rest)
        if rest[0] == "(":
            for part in split_commas(rest[1:end]):
                parameter, type_ = _split_type(re.sub(r"^(implicit|val|var)\s+", "", part.strip()))
                if parameter:
                    names.append(parameter)
                    types.append(type_)
        rest = rest[end + 1 :].lstrip()
    return name, tuple(names), tuple(types)


def lambda_parameters(text: str) -> tuple[str, ...]:
    """Parameter names of `(i, j) =>`, `i =>`, `i: Int =>`."""
    head = re.sub(r"(=>|⇒)$", "", text.strip()).strip()
    if head.startswith("(") and _closing(head) == len(head) - 1:
        head = head[1:-1]
    return tuple(_split_type(part.strip())[0] for part in split_commas(head) if part.strip())


def split_commas(text: str) -> list[str]:
    """The parts between commas that are outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]


def _split_type(text: str) -> tuple[str, str]:
    depth = 0
    for i, character in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if character == ":" and depth == 0:
            return text[:i].strip(), text[i + 1 :].strip()
    return text.strip(), ""


def _closing(text: str) -> int:
    """The index of the bracket that closes the one at 0."""
    depth = 0
    for i, character in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if depth == 0:
            return i
    return len(text) - 1
