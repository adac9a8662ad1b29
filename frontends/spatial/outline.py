"""The outline of a Scala file: its apps, and where statements begin. Host code is only ever cut, never understood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.frontends.spatial.scanner import Tokens


@dataclass(frozen=True, slots=True)
class App:
    """An object or class with an `Accel` in it; its body is the tokens first <= i < last."""

    name: str
    name_token: int
    first: int
    last: int


def apps(tokens: Tokens) -> list[App]:
    """Every app of the file, in order."""
    found, at = [], 0
    while at < len(tokens.items):
        token = tokens.items[at]
        if token.kind == "keyword" and token.text in ("object", "class", "trait"):
            body = _body(tokens, at)
            if body is not None and at + 1 < len(tokens.items):
                end = tokens.partner[body]
                if accels(tokens, body + 1, end):
                    found.append(App(tokens.items[at + 1].text, at + 1, body + 1, end))
                at = end
        at += 1
    return found


def _body(tokens: Tokens, at: int) -> int | None:
    """The `{` of the definition that starts at `at`, if it has a body."""
    here = at + 1
    while here < len(tokens.items):
        token = tokens.items[here]
        if token.kind == "{":
            return here
        if token.breaks or token.kind in ("}", ")", ";"):
            return None
        here = tokens.partner[here] + 1 if token.kind in ("(", "[") else here + 1
    return None


def accels(tokens: Tokens, first: int, last: int) -> list[int]:
    """The tokens `Accel` that open an accelerator."""
    items = tokens.items
    return [
        i
        for i in range(first, last - 1)
        if items[i].text == "Accel"
        and items[i].kind == "name"
        and (items[i + 1].kind in ("{", "("))
        and not (i > first and items[i - 1].text in (".", "def", "import"))
    ]


def statements(tokens: Tokens, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The statements of a block as token ranges [first, last)."""
    start, at = first, first
    while at < last:
        token = tokens.items[at]
        if at > start and token.breaks:
            yield start, at
            start = at
        if token.kind == ";":
            if at > start:
                yield start, at
            start = at + 1
            at += 1
            continue
        at = tokens.partner[at] + 1 if token.kind in ("(", "[", "{") else at + 1
    if start < last:
        yield start, last


def enclosing_block(tokens: Tokens, first: int, last: int, target: int) -> tuple[int, int] | None:
    """The outermost brace group in [first, last) that holds token `target`: its inside."""
    for i in range(first, last):
        if tokens.items[i].kind == "{" and i < target < tokens.partner[i]:
            return i + 1, tokens.partner[i]
    return None
