"""Where names occur in code: as parts of statements, after `&`, in what macros make words of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass

from tunepass.frontends.c.scops.statements.effects import Reached
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Block,
    Declaration,
    Declarator,
    Evaluated,
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
from tunepass.frontends.cfamily.text.tokens import Token, names_in, tokens
from tunepass.frontends.cfamily.unit import Unit


def named_in(statements: Sequence[Statement], unit: Unit) -> frozenset[str]:
    """Every name that the statements use, in parts that are not read too."""
    names: set[str] = set()
    for node in nodes(statements):
        match node:
            case Name():
                names.add(node.text)
            case Reached():
                names.add(node.name)
            case SizeOf():
                names.update(names_in(node.text))
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


def declared_pointers(statements: Sequence[Statement]) -> frozenset[str]:
    found = (node for node in nodes(statements) if isinstance(node, Declarator))
    return frozenset(d.name.text for d in found if d.pointers[:1] == (True,))


def placing(statements: Sequence[Statement]) -> frozenset[str]:
    """Names in subscripts, headers and conditions, in what is followed, in values that variables are set to, and those
    that stand between loops."""
    names: set[str] = set()
    for node in nodes(statements):
        match node:
            case Index(_, e) | Unary(Token(text="*"), e) | If(condition=e) | Member(e, _, True):
                found: tuple[object, ...] = (e,)
            case For(begin=begin, condition=condition, advance=advance):
                found = (begin, condition, advance)
            case Declarator(value=e) | Assign("=", Name(), e):
                found = (e,)
            case Block(statements=inside) if any(isinstance(s, For) for s in inside):
                found = ()
                names.update(name for s in inside for name in _set_by(s))
            case _:
                found = ()
        names.update(inner.text for part in found for inner in nodes(part) if isinstance(inner, Name))
    return frozenset(names)


def _set_by(s: Statement) -> Iterator[str]:
    match s:
        case Declaration(declarators=declarators):
            yield from (d.name.text for d in declarators)
        case Evaluated(expression=Assign("=", Name(token), _)):
            yield token.text


def address_taken(code: Iterable[Token]) -> frozenset[str]:
    """Names after an `&` that is not between two values; not in `&p[i]` and `&p->x`, which are in what p reaches."""
    names: set[str] = set()
    known = list(code)
    for before, sign, name, after in zip([None, *known], known, known[1:], [*known[2:], None]):
        value = before is not None and (before.kind in ("name", "number") or before.at(")", "]"))
        if not sign.at("&") or name.kind != "name" or (after is not None and after.at("[", "->")):
            continue
        if before is None or not value or before.at("return", "case"):
            names.add(name.text)
    return frozenset(names)


def pasted(text: str, unit: Unit) -> bool:
    """Does the text use a macro that makes new words of its arguments?"""
    macros = unit.text.macros
    names = [t.text for t in tokens(text) if t.kind == "name"]
    return any("#" in macro.body for name in names for macro in macros.get(name, ()))
