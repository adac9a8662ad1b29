"""The classes of a file, as far as apps need them: what they inherit, what their constructors are given, and the
objects whose members they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.frontends.spatial.outline.statements import TokenRange, after, between_commas
from tunepass.frontends.spatial.syntax.lexer import Tokens


@dataclass(frozen=True, slots=True)
class Class:
    """An object, class or trait; `body` is empty where it has none. Parents come with their arguments, if any."""

    name: str
    parameters: tuple[tuple[str, TokenRange | None], ...]  # with their defaults
    parents: tuple[tuple[str, TokenRange | None], ...]
    body: TokenRange


def classes(tokens: Tokens) -> dict[str, Class]:
    """Every object, class and trait of the file by name; of an object and its class the one with more in it."""
    by_name: dict[str, Class] = {}
    items = tokens.items
    for i in range(len(items) - 1):
        keyword = items[i].kind == "keyword" and items[i].text in ("object", "class", "trait")
        if keyword and items[i + 1].kind == "name":
            new = _class(tokens, i + 1)
            known = by_name.get(new.name)
            if known is None or new.body[1] - new.body[0] > known.body[1] - known.body[0]:
                by_name[new.name] = new
    return by_name


def _class(tokens: Tokens, name_token: int) -> Class:
    items, name = tokens.items, tokens.items[name_token].text
    parameters: tuple[tuple[str, TokenRange | None], ...] = ()
    parents: list[tuple[str, TokenRange | None]] = []
    i = name_token + 1
    while i < len(items) and not (items[i].breaks and items[i].text not in ("extends", "with", "{", "(")):
        token = items[i]
        if token.kind == "{":
            return Class(name, parameters, tuple(parents), (i + 1, tokens.partner[i]))
        if token.kind in ("}", ";", ")"):
            break
        if token.text in ("extends", "with") and i + 1 < len(items):
            i, parent, given = _parent(tokens, i + 1)
            parents.append((parent, given))
            continue
        if token.kind == "(" and not parents:
            parameters += tuple(_parameters(tokens, i + 1, tokens.partner[i]))
        i = after(tokens, i)
    return Class(name, parameters, tuple(parents), (i, i))


def _parent(tokens: Tokens, first: int) -> tuple[int, str, TokenRange | None]:
    """The token after `a.b.Parent[T](arguments)`, its last name and the arguments."""
    items, name = tokens.items, tokens.items[first].text
    i = first + 1
    while i + 1 < len(items) and items[i].text == ".":
        name, i = items[i + 1].text, i + 2
    if i < len(items) and items[i].kind == "[":
        i = tokens.partner[i] + 1
    if i < len(items) and items[i].kind == "(" and not items[i].breaks:
        return tokens.partner[i] + 1, name, (i + 1, tokens.partner[i])
    return i, name, None


def _parameters(tokens: Tokens, first: int, last: int) -> Iterator[tuple[str, TokenRange | None]]:
    """Each parameter's name and default. Only cut: what a constructor's types are does not matter."""
    for start, end in between_commas(tokens, first, last):
        names = [i for i in range(start, end) if tokens.items[i].kind == "name"]
        equals = next((i for i in range(start, end) if tokens.items[i].text == "="), None)
        if names:
            yield tokens.items[names[0]].text, None if equals is None else (equals + 1, end)
