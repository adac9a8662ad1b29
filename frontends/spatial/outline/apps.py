"""The apps of a Scala file and where their accelerators begin."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.frontends.spatial.outline.statements import after
from tunepass.frontends.spatial.syntax.lexer import Tokens


@dataclass(frozen=True, slots=True)
class App:
    """An object or class with an `Accel` in it; its body is the tokens first <= i < last."""

    name: str
    name_token: int
    first: int
    last: int


def apps(tokens: Tokens) -> list[App]:
    """Every app of the file, in order."""
    made, i = [], 0
    while i < len(tokens.items):
        token = tokens.items[i]
        if token.kind == "keyword" and token.text in ("object", "class", "trait"):
            brace = _body_brace(tokens, i)
            if brace is not None and i + 1 < len(tokens.items):
                end = tokens.partner[brace]
                if accels(tokens, brace + 1, end):
                    made.append(App(tokens.items[i + 1].text, i + 1, brace + 1, end))
                i = end
        i += 1
    return made


def _body_brace(tokens: Tokens, start: int) -> int | None:
    """The `{` of the definition that starts at token `start`, if it has a body."""
    i = start + 1
    while i < len(tokens.items):
        token = tokens.items[i]
        if token.kind == "{":
            return i
        if token.breaks or token.kind in ("}", ")", ";"):
            return None
        i = after(tokens, i)
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


def accel_body(tokens: Tokens, accel: int) -> int | None:
    """The `{` of the accelerator that token `accel` opens, as in `Accel(*) { … }`; None where it has none."""
    i = accel + 1
    while i < len(tokens.items) and tokens.items[i].kind == "(":
        i = tokens.partner[i] + 1
    return i if i < len(tokens.items) and tokens.items[i].kind == "{" else None


def runtime_arguments(tokens: Tokens, app: App) -> int | None:
    """The string token that the app's `def runtimeArgs` gives."""
    for i in range(app.first, app.last):
        if tokens.items[i].text == "runtimeArgs":
            for j in range(i + 1, min(i + 8, app.last)):
                if tokens.items[j].kind == "string":
                    return j
                if tokens.items[j].breaks:
                    break
    return None
