"""Where names occur in code: as parts of statements, after `&`, in what macros make words of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass

from tunepass.frontends.cfamily.tokens import Token, tokens
from tunepass.frontends.cfamily.tree import (
    Assign,
    Declarator,
    For,
    If,
    Index,
    Member,
    Name,
    Opaque,
    SizeOf,
    Statement,
    Unary,
)
from tunepass.frontends.cfamily.unit import Unit

WORD = re.compile(r"[A-Za-z_]\w*")


def named_in(statements: Sequence[Statement], unit: Unit) -> frozenset[str]:
    """Every name that the statements use, in parts that are not read too."""
    names: set[str] = set()
    for node in nodes(statements):
        match node:
            case Name():
                names.add(node.text)
            case SizeOf():
                names.update(WORD.findall(node.text))
            case Opaque():
                names.update(t.text for t in unit.tokens if node.token.start <= t.start < node.last.end)
    return frozenset(names)


def nodes(node: object) -> Iterator[object]:
    """A tree's node and all in it."""
    if isinstance(node, tuple):
        for part in node:
            yield from nodes(part)
    elif is_dataclass(node) and not isinstance(node, Token):
        yield node
        for field in fields(node):
            yield from nodes(getattr(node, field.name))


def placing(statements: Sequence[Statement]) -> frozenset[str]:
    """Names in subscripts, headers and conditions, in what is followed, and in values that variables are set to."""
    names: set[str] = set()
    for node in nodes(statements):
        match node:
            case Index(_, e) | Unary(Token(text="*"), e) | If(condition=e) | Member(e, _, True):
                found: tuple[object, ...] = (e,)
            case For(begin=begin, condition=condition, advance=advance):
                found = (begin, condition, advance)
            case Declarator(value=e) | Assign("=", Name(), e):
                found = (e,)
            case _:
                found = ()
        names.update(inner.text for part in found for inner in nodes(part) if isinstance(inner, Name))
    return frozenset(names)


def address_taken(code: Iterable[Token]) -> frozenset[str]:
    """Names after an `&` that is not between two values."""
    names: set[str] = set()
    before: list[Token] = []
    for token in code:
        value = len(before) > 1 and (before[-2].kind in ("name", "number") or before[-2].at(")", "]"))
        if token.kind == "name" and before and before[-1].at("&") and not (value and not before[-2].at("return")):
            names.add(token.text)
        before = [*before[-1:], token]
    return frozenset(names)


def pasted(text: str, unit: Unit) -> bool:
    """Does the text use a macro that makes new words of its arguments?"""
    macros = unit.text.macros
    names = [t.text for t in tokens(text) if t.kind == "name"]
    return any("#" in macro.body for name in names for macro in macros.get(name, ()))
