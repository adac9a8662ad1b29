"""`if (c) continue;` as a condition on what follows it in the loop's body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.frontends.c.scops.lowering.forms import Forms
from tunepass.frontends.c.scops.numbers.headers import leaving
from tunepass.frontends.cfamily.syntax.tree import Block, Declaration, If, Jump, Statement


def guarded(statements: Sequence[Statement], forms: Forms) -> tuple[Statement, ...]:
    """A loop's body with the rest of it in the other branch of each `if` that ends in `continue`."""
    for place, s in enumerate(statements):
        jump = _skips(s)
        if not isinstance(s, If) or jump is None:
            continue
        rest = guarded(statements[place + 1 :], forms)
        then = Block(statements=_others(s.then), first=s.then.first, last=s.then.last)
        if not rest:
            forms.edit(jump.start, jump.end, ";")
            return (*statements[:place], replace(s, then=then))
        _write(s, jump, rest[-1].end, forms)
        other = Block(statements=rest, first=rest[0].first, last=rest[-1].last)
        whole = If(condition=s.condition, then=then, other=other, first=s.first, last=rest[-1].last)
        return (*statements[:place], whole)
    return tuple(statements)


def _write(s: If, jump: Jump, end: int, forms: Forms) -> None:
    whole = (s.start, end)
    if isinstance(s.then, Block):
        forms.edit(jump.start, jump.end, "")
        forms.edit(s.end, s.end, " else {", whole)
    else:
        forms.edit(jump.start, jump.end, "; else {", whole)
    forms.edit(end, end, " }", whole)


def _skips(s: Statement) -> Jump | None:
    """The `continue` that ends the one branch of an `if`, where nothing else leaves that."""
    if not isinstance(s, If) or s.other is not None or s.first.made:
        return None
    match s.then:
        case Jump(kind="continue"):
            return s.then if not s.then.first.made else None
        case Block(statements=(*before, Jump(kind="continue") as jump)):
            plain = not jump.first.made and not any(isinstance(b, Declaration) or leaving(b) for b in before)
            return jump if plain else None
    return None


def _others(s: Statement) -> tuple[Statement, ...]:
    return s.statements[:-1] if isinstance(s, Block) else ()
