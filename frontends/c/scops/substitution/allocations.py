"""Calls that give memory which nothing else reaches: allocations, and functions of the source that return theirs."""

from __future__ import annotations

from tunepass.frontends.c.scops.statements.occurrences import address_taken, nodes
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Call,
    Cast,
    Declarator,
    Expression,
    Index,
    Jump,
    Name,
    Number,
    Unary,
)
from tunepass.frontends.cfamily.unit import Function, Unit

EMPTY = frozenset({"NULL", "nullptr"})
KEEPS = frozenset({"free", "memset", "memcpy", "printf", "fprintf", "exit", "perror"})  # calls that store no pointer


def allocates(call: Call, unit: Unit) -> bool:
    """By its name, or by the body of the one function that the source defines under it."""
    if not isinstance(call.function, Name):
        return False
    name = call.function.text
    return "alloc" in name or _returns_allocation(unit, name)


def _returns_allocation(unit: Unit, name: str) -> bool:
    """Does every `return` give one local pointer that is only set to an allocation, and kept nowhere else?"""
    found = [f for f in unit.functions if f.name.text == name]
    if len(found) != 1:
        return False
    function = found[0]
    returned = [node.value for node in nodes(function.body) if isinstance(node, Jump) and node.kind == "return"]
    names = {_plain(e) for e in returned} - EMPTY - {"0"}
    return len(names) == 1 and None not in names and _is_kept(function, unit, str(names.pop()))


def _plain(e: Expression | None) -> str | None:
    while isinstance(e, Cast):
        e = e.operand
    return e.token.text if isinstance(e, Name | Number) else None


def _is_kept(function: Function, unit: Unit, name: str) -> bool:
    code = unit.tokens[function.opening : function.closing]
    if name in address_taken(code) or not any(d.name.text == name for d in _declared(function)):
        return False
    values: list[Expression | None] = [d.value for d in _declared(function) if d.name.text == name and d.value]
    for node in nodes(function.body):
        match node:
            case Assign(_, Name(token), value) if token.text == name:
                values.append(value)
            case Assign(_, _, value) | Declarator(value=value) if value is not None and _holds(value, name):
                return False
            case Call(called, arguments) if any(_holds(a, name) for a in arguments):
                if not (isinstance(called, Name) and called.text in KEEPS):
                    return False
    return bool(values) and all(_is_allocation(value) for value in values)


def _declared(function: Function) -> list[Declarator]:
    return [node for node in nodes(function.body) if isinstance(node, Declarator) and node.pointers[:1] == (True,)]


def _holds(e: Expression, name: str) -> bool:
    """Is the pointer itself, not what it reaches, a part of the value?"""
    inside = [node for node in nodes(e) if isinstance(node, Name) and node.text == name]
    followed = [
        node for node in nodes(e)
        if (isinstance(node, Index) and node.base == Name(inside[0].token))
        or (isinstance(node, Unary) and node.op.text == "*" and node.operand in inside)
    ] if len(inside) == 1 else []  # fmt: skip
    return bool(inside) and not followed


def _is_allocation(e: Expression | None) -> bool:
    while isinstance(e, Cast):
        e = e.operand
    if isinstance(e, Call):
        return isinstance(e.function, Name) and "alloc" in e.function.text
    return _plain(e) in EMPTY | {"0"}
