"""Is what a local variable holds after a region read later? Decided on the function's tree, by what reads first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from tunepass.frontends.c.scops.numbers.headers import leaving
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.cfamily.syntax.tree import (
    Block,
    Declaration,
    Evaluated,
    Expression,
    For,
    ForEach,
    If,
    Jump,
    PragmaWords,
    Statement,
    Tried,
    While,
)

First = Literal["reads", "sets", "neither"]
"""What code does first to a variable; `sets`: always, or nothing runs after it."""


PLACES = ("label", "case")
KNOWN = frozenset({"break", "continue", "return", "throw", "goto", *PLACES})


def path_to(s: Statement, place: int) -> Iterator[tuple[Statement, Statement]]:
    """(statement, the one inside it that contains `place`), from the outside in."""
    for inner in _parts(s):
        if inner.start <= place < inner.end and not isinstance(inner, PragmaWords):
            yield s, inner
            yield from path_to(inner, place)
            return


def is_live_after(body: Block, start: int, end: int, name: str) -> bool:
    """May the value that the local variable `name` has after [start, end) of the function's body be read?"""
    if has_labels(body) and _after_places(body, name):
        return True
    for around, inside in reversed(list(path_to(body, start))):
        if isinstance(around, Block):
            first = _sequence([s for s in around.statements if s.start >= max(end, inside.end)], name)
            if first != "neither":
                return first == "reads"
        elif isinstance(around, For | While | ForEach) and _again(around, name) == "reads":
            return True
        elif isinstance(around, Evaluated) and any(_first(block, name) == "reads" for block in _parts(around)[1:]):
            return True  # by a handler
    return False


def _parts(s: Statement) -> Sequence[Statement]:
    match s:
        case Block(statements=statements):
            return statements
        case For(body=body) | While(body=body) | ForEach(body=body):
            return (body,)
        case If(then=then, other=other):
            return (then,) if other is None else (then, other)
        case Evaluated(expression=Tried(blocks=blocks)):
            return blocks
    return ()


def has_labels(s: Statement) -> bool:
    """Is there a label, which a `goto` may lead to?"""
    return (isinstance(s, Jump) and s.kind == "label") or any(has_labels(inner) for inner in _parts(s))


def _has_places(s: Statement) -> bool:
    """Is there a label or a `case`, from which code may run without what stands before it?"""
    return _is_place(s) or any(_has_places(inner) for inner in _parts(s))


def _is_place(s: Statement) -> bool:
    return isinstance(s, Jump) and s.kind in PLACES


def _after_places(s: Statement, name: str) -> bool:
    """Is the variable read before it is set on a way from a label or a `case` in `s` to its end?"""
    inside = _parts(s)
    if not isinstance(s, Block):
        again = isinstance(s, For | While | ForEach) and _has_places(s) and _again(s, name) == "reads"
        return again or any(_after_places(inner, name) for inner in inside)
    begins = [n for n, inner in enumerate(inside) if _has_places(inner)]
    ways = any(_sequence(inside[n if _is_place(inside[n]) else n + 1 :], name) == "reads" for n in begins)
    return ways or any(_after_places(inner, name) for inner in inside)


def _again(s: For | While | ForEach, name: str) -> First:
    """Of the loop's next iterations; a `switch` has none."""
    if isinstance(s, While) and s.kind == "switch":
        return "neither"
    if isinstance(s, For):
        parts = [_expression(s.advance, name), _expression(s.condition, name), _first(s.body, name)]
        return _one_after_other(parts)
    return _first(s, name)


def _one_after_other(parts: Sequence[First]) -> First:
    return next((part for part in parts if part != "neither"), "neither")


def _sequence(statements: Sequence[Statement], name: str) -> First:
    certain = True  # nothing has left the loop around
    for s in statements:
        first = _first(s, name)
        if first == "reads" or (first == "sets" and certain):
            return first
        certain = certain and leaving(s, frozenset({"return", "throw"})) is None
        if isinstance(s, Declaration) and any(d.name.text == name for d in s.declarators):
            return "sets"
    return "neither"


def _first(s: Statement, name: str) -> First:
    match s:
        case Block():
            first = _sequence(s.statements, name)
            declared = any(isinstance(d, Declaration) and _declares(d, name) for d in s.statements)
            return "neither" if first == "sets" and declared else first
        case Evaluated():
            return _expression(s.expression, name)
        case Declaration():
            return _one_after_other([_expression(d.value, name) for d in s.declarators])
        case If():
            branches = {_first(s.then, name), _first(s.other, name) if s.other else "neither"}
            one: First = "reads" if "reads" in branches else "sets" if branches == {"sets"} else "neither"
            return _one_after_other([_expression(s.condition, name), one])
        case For():
            return _loop(s, name)
        case While(kind="switch"):
            read = _expression(s.condition, name) == "reads" or _after_places(s.body, name)
            return "reads" if read else "neither"
        case While():
            inside = _one_after_other([_expression(s.condition, name), _first(s.body, name)])
            return "reads" if inside == "reads" or _first(s.body, name) == "reads" else "neither"
        case ForEach():
            return "reads" if "reads" in (_expression(s.array, name), _first(s.body, name)) else "neither"
        case Jump():
            if s.kind not in KNOWN:
                return "reads"  # what an `asm` does cannot be read
            first = _expression(s.value, name)
            return first if first != "neither" else "sets" if s.kind == "return" else "neither"
    return "neither"


def _declares(s: Declaration, name: str) -> bool:
    return any(d.name.text == name for d in s.declarators)


def _loop(s: For, name: str) -> First:
    begin = s.begin
    if isinstance(begin, Declaration):
        if _declares(begin, name):
            return "reads" if any(_expression(d.value, name) == "reads" for d in begin.declarators) else "neither"
        head = _first(begin, name)
    else:
        head = _expression(begin, name)
    inside = [_expression(s.condition, name), _first(s.body, name), _expression(s.advance, name)]
    if head != "neither":
        return head
    return "reads" if _one_after_other(inside) == "reads" else "neither"


def _expression(e: Expression | None, name: str) -> First:
    effects = Effects()
    effects.expression(e)
    if effects.unknown and any("begins with" in reason for reason in effects.unknown):
        return "reads"  # a part that cannot be read
    for effect in effects.found:
        if effect.root.text == name:
            return "reads" if effect.read or effect.subscripts or not effect.certain else "sets"
    return "neither"
