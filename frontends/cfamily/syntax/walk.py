"""Going through trees of statements and expressions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cache

from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Declaration,
    Expression,
    For,
    ForEach,
    Index,
    Items,
    Jump,
    Member,
    Name,
    PragmaWords,
    Step,
    Unary,
    While,
)
from tunepass.frontends.cfamily.text.tokens import Token

Node = object


def nodes(root: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the text."""
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(reversed(node))
            continue
        names = _fields(type(node))  # type: ignore[arg-type]  # classes are hashable
        if names is None:
            continue
        yield node
        inside = [getattr(node, name) for name in reversed(names)]
        pending += [part for part in inside if part is not None and not isinstance(part, (Token, str, int))]


@cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """The names of a node's parts; None of what is no node."""
    if not dataclasses.is_dataclass(kind) or issubclass(kind, Token):
        return None
    return tuple(field.name for field in dataclasses.fields(kind))


def children(root: Node) -> list[Node]:
    """What stands directly in a statement or an expression."""
    fields = [getattr(root, field.name) for field in dataclasses.fields(root)]  # type: ignore[arg-type]
    found = [part for inside in fields for part in (inside if isinstance(inside, tuple) else (inside,))]
    return [part for part in found if dataclasses.is_dataclass(part) and not isinstance(part, (Token, type))]


def loops_of(root: Node) -> Iterator[For | While | ForEach]:
    for node in nodes(root):
        if isinstance(node, (For, ForEach)) or (isinstance(node, While) and node.kind != "switch"):
            yield node


def root_name(e: Expression) -> str:
    """`a` of `a[i].x`, `*a`, `&a[2]`; empty where there is none."""
    while isinstance(e, (Index, Member, Unary)):
        e = e.operand if isinstance(e, Unary) else e.base
    return e.text if isinstance(e, Name) else ""


def assigned(root: Node) -> frozenset[str]:
    """The names of variables that are assigned, stepped, read into, or handed to a function."""
    found: set[str] = set()
    for node in nodes(root):
        if isinstance(node, (Assign, Step)):
            found.add(root_name(node.target))
        elif isinstance(node, Call):
            found |= {root_name(a) for a in node.arguments}
            found.add(root_name(node.function))
        elif isinstance(node, Binary) and node.op == ">>":
            found.add(root_name(node.right))
    return frozenset(found - {""})


def pragmas_of(statements: Sequence[Node]) -> tuple[PragmaWords, ...]:
    """Those that stand directly among the statements."""
    return tuple(s for s in statements if isinstance(s, PragmaWords))


def leaves(root: Node) -> Jump | None:
    """A `break`, `continue` or `return` of what is around, if the statement ends in one."""
    statements = getattr(root, "statements", None)
    if statements:
        return leaves(statements[-1])
    return root if isinstance(root, Jump) and root.kind in ("break", "continue", "return") else None


def ends_early(loop: For | While | ForEach) -> bool:
    """Whether a `break` or a `return` may end the loop before its header does."""
    pending: list[tuple[Node, bool]] = [(loop.body, True)] if loop.body is not None else []
    while pending:
        node, breaks = pending.pop()
        if isinstance(node, Jump) and (node.kind == "return" or (breaks and node.kind == "break")):
            return True
        inner = breaks and not isinstance(node, (For, While, ForEach))
        pending += [(child, inner) for child in children(node)]
    return False


def parts(e: Expression) -> tuple[Expression, ...]:
    """Those that it is made of directly. Statements of lambdas are none."""
    match e:
        case Unary() | Cast():
            return (e.operand,)
        case Step():
            return (e.target,)
        case Binary():
            return (e.left, e.right)
        case Conditional():
            return (e.condition, e.then, e.other)
        case Assign():
            return (e.target, e.value)
        case Index():
            return (e.base, e.subscript)
        case Member():
            return (e.base,)
        case Call():
            return (e.function, *e.arguments)
        case Items():
            return e.parts
    return ()


def in_order(e: Expression) -> Iterator[Expression]:
    """All expressions of it; a binary one between its sides, others before their parts."""
    if isinstance(e, Binary):
        yield from in_order(e.left)
        yield e
        yield from in_order(e.right)
        return
    yield e
    for part in parts(e):
        yield from in_order(part)


def names(e: Expression) -> Iterator[str]:
    return (part.text for part in in_order(e) if isinstance(part, Name))


def same(one: object, other: object) -> bool:
    """Whether two expressions have the same words, wherever they stand."""
    if isinstance(one, Token) and isinstance(other, Token):
        return one.text == other.text
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is not type(other):
        return False
    if not isinstance(one, Expression):
        return one == other
    return all(same(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one))


def declarations_in(root: Node) -> Iterator[Declaration]:
    """All of a statement and those in it, in the order of the text."""
    return (node for node in nodes(root) if isinstance(node, Declaration))
