"""A region's statements with loops as plain `for`, references resolved, and guards in the place of `continue`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.frontends.c.scops.lowering.followers import one_index
from tunepass.frontends.c.scops.lowering.forms import Forms
from tunepass.frontends.c.scops.lowering.guards import guarded
from tunepass.frontends.c.scops.lowering.initialisers import with_equal_signs
from tunepass.frontends.c.scops.lowering.loop_forms import as_for, counted_down, started
from tunepass.frontends.c.scops.lowering.references import referred
from tunepass.frontends.cfamily.syntax.tree import Block, Declaration, For, If, Jump, Statement, While


def plainer(statements: Sequence[Statement], end: int, forms: Forms) -> tuple[Statement, ...]:
    """`statements` stand one after the other, up to `end` in the source."""
    done: list[Statement] = []
    todo = list(statements)
    while todo:
        s = todo.pop(0)
        if isinstance(s, Declaration) and (later := referred(s, todo, end, forms)) is not None:
            todo = list(later)
            continue
        if isinstance(s, Declaration):
            s = with_equal_signs(s, forms)
        if isinstance(s, Jump) and s.kind == "label" and not forms.is_target(s.first.text):
            forms.edit(s.start, s.end, "")
            continue
        if isinstance(s, While):
            s = as_for(s, done, todo, forms)
        if isinstance(s, For):
            s = one_index(counted_down(started(s, done, todo, forms)), forms)
        done.append(_inside(s, forms))
    return tuple(done)


def _inside(s: Statement, forms: Forms) -> Statement:
    match s:
        case Block():
            return _block(s, forms)
        case For():
            return replace(s, body=_body(s.body, forms))
        case While():
            return replace(s, body=_inside(s.body, forms))
        case If():
            then, other = _branch(s.then, forms), None if s.other is None else _branch(s.other, forms)
            return replace(s, then=then, other=other)
    return s


def _branch(s: Statement, forms: Forms) -> Statement:
    """A branch or a body without braces: nothing stands before it in its own sequence."""
    if isinstance(s, Block):
        return _block(s, forms)
    forms.depth += 1
    (found,) = plainer([s], s.end, forms) or (s,)
    forms.depth -= 1
    return found


def _body(s: Statement, forms: Forms) -> Statement:
    found = _branch(s, forms)
    if isinstance(found, Block) and not found.first.made:
        return replace(found, statements=guarded(found.statements, forms))
    return found


def _block(s: Block, forms: Forms) -> Block:
    forms.depth += 1
    found = plainer(s.statements, s.end, forms)
    forms.depth -= 1
    return replace(s, statements=found)
