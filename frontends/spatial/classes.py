"""The classes of a file, as far as apps need them: what they inherit, what their constructors are given, and the
objects whose members they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.frontends.spatial.scanner import Tokens

Range = tuple[int, int]  # tokens first <= i < last


@dataclass(frozen=True, slots=True)
class Class:
    """An object, class or trait; `body` is empty where it has none. Parents come with their arguments, if any."""

    name: str
    parameters: tuple[tuple[str, Range | None], ...]  # with their defaults
    parents: tuple[tuple[str, Range | None], ...]
    body: Range


def classes(tokens: Tokens) -> dict[str, Class]:
    """Every object, class and trait of the file by name; of an object and its class the one with more in it."""
    found: dict[str, Class] = {}
    items = tokens.items
    for at in range(len(items) - 1):
        if (
            items[at].kind == "keyword"
            and items[at].text in ("object", "class", "trait")
            and items[at + 1].kind == "name"
        ):
            one = _class(tokens, at + 1)
            known = found.get(one.name)
            if known is None or one.body[1] - one.body[0] > known.body[1] - known.body[0]:
                found[one.name] = one
    return found


def _class(tokens: Tokens, at: int) -> Class:
    """The class whose name is token `at`."""
    items, name = tokens.items, tokens.items[at].text
    parameters: tuple[tuple[str, Range | None], ...] = ()
    parents: list[tuple[str, Range | None]] = []
    here = at + 1
    while here < len(items) and not (items[here].breaks and items[here].text not in ("extends", "with", "{", "(")):
        token = items[here]
        if token.kind == "{":
            return Class(name, parameters, tuple(parents), (here + 1, tokens.partner[here]))
        if token.kind in ("}", ";", ")"):
            break
        if token.text in ("extends", "with") and here + 1 < len(items):
            here, parent, given = _parent(tokens, here + 1)
            parents.append((parent, given))
            continue
        if token.kind == "(" and not parents:
            parameters += tuple(_parameters(tokens, here + 1, tokens.partner[here]))
        here = tokens.partner[here] + 1 if token.kind in ("(", "[") else here + 1
    return Class(name, parameters, tuple(parents), (here, here))


def _parent(tokens: Tokens, at: int) -> tuple[int, str, Range | None]:
    """The token after `a.b.Parent[T](arguments)`, its last name and the arguments."""
    items, name = tokens.items, tokens.items[at].text
    here = at + 1
    while here + 1 < len(items) and items[here].text == ".":
        name, here = items[here + 1].text, here + 2
    if here < len(items) and items[here].kind == "[":
        here = tokens.partner[here] + 1
    if here < len(items) and items[here].kind == "(" and not items[here].breaks:
        return tokens.partner[here] + 1, name, (here + 1, tokens.partner[here])
    return here, name, None


def _parameters(tokens: Tokens, first: int, last: int) -> Iterator[tuple[str, Range | None]]:
    for a, b in commas(tokens, first, last):
        names = [i for i in range(a, b) if tokens.items[i].kind == "name"]
        equals = next((i for i in range(a, b) if tokens.items[i].text == "="), None)
        if names:
            yield tokens.items[names[0]].text, None if equals is None else (equals + 1, b)


def commas(tokens: Tokens, first: int, last: int) -> Iterator[Range]:
    """The parts of [first, last) between commas, none of them empty."""
    start, at = first, first
    while at < last:
        if tokens.items[at].kind == ",":
            if at > start:
                yield start, at
            start = at + 1
        at = tokens.partner[at] + 1 if tokens.items[at].kind in ("(", "[", "{") else at + 1
    if start < last:
        yield start, last


def arguments(tokens: Tokens, parameters: tuple[str, ...], given: Range) -> dict[str, Range]:
    """The arguments of a constructor's call by the parameter they are for."""
    found: dict[str, Range] = {}
    for i, (a, b) in enumerate(commas(tokens, *given)):
        if b - a > 2 and tokens.items[a].kind == "name" and tokens.items[a + 1].text == "=":
            found[tokens.items[a].text] = (a + 2, b)
        elif i < len(parameters):
            found[parameters[i]] = (a, b)
    return found


def run_arguments(tokens: Tokens, first: int, last: int) -> int | None:
    """The string token that `def runtimeArgs` gives, in the body [first, last)."""
    for at in range(first, last):
        if tokens.items[at].text == "runtimeArgs":
            for here in range(at + 1, min(at + 8, last)):
                if tokens.items[here].kind == "string":
                    return here
                if tokens.items[here].breaks:
                    break
    return None
