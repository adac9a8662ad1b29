"""Loops that step several variables: `for (i = 0, j = n; i < n; i++, j--)`, with `j` as what it is of `i`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.lowering.forms import Forms
from tunepass.frontends.c.scops.lowering.rewriting import mapped, mapped_statement, names_in
from tunepass.frontends.c.scops.numbers.plain_text import plain_text
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.cfamily.constants.literals import literal
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Declaration,
    Expression,
    For,
    Items,
    Name,
    Number,
    Step,
)
from tunepass.frontends.cfamily.text.tokens import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Along(For):
    """`along` are the assignments that set the other variables, for who takes the loop as a whole."""

    along: tuple[Assign, ...]


def one_index(s: For, forms: Forms) -> For:
    """The loop with one index; as it is where another variable cannot be told from it."""
    starts, steps = _starts(s), _steps(s.advance)
    if starts is None or steps is None or len(starts) < 2 or s.first.made:
        return s
    index = next((name for name in starts if name in names_in(s.condition) and name in steps), None)
    if index is None or not set(steps) <= set(starts) or abs(steps[index]) != 1:
        return s
    others = {name: _follower(starts[name], steps.get(name, 0), index, starts[index], steps[index])
              for name in starts if name != index}  # fmt: skip
    if not all(_is_followed(name, s, forms) for name in others) or names_in(starts[index]) & set(starts):
        return s
    texts = {name: plain_text(value) for name, value in others.items()}
    if any(names_in(starts[name]) & set(starts) for name in others) or None in texts.values():
        return s
    for name, text in texts.items():
        for token in forms.places(name, s.body.start, s.body.end) or ():
            forms.edit(token.start, token.end, text or "")
    if not isinstance(s.begin, Declaration):
        forms.set_along[s.start] = tuple(others)
    return _followed(s, index, starts[index], others)


def _followed(s: For, index: str, start: Expression, others: Mapping[str, Expression]) -> For:
    def exchanged(e: Expression) -> Expression:
        return mapped(e, lambda inner: others.get(inner.text, inner) if isinstance(inner, Name) else inner)

    assert s.condition is not None
    begin: Declaration | Assign = Assign("=", Name(Token("name", index, s.start, s.start, True)), start)
    if isinstance(s.begin, Declaration):
        own = tuple(d for d in s.begin.declarators if d.name.text == index)
        begin = replace(s.begin, declarators=own)
    advance = next(e for e in _parts(s.advance) if index in names_in(e))
    declared = isinstance(s.begin, Declaration)
    along = (
        ()
        if declared
        else tuple(Assign("=", Name(Token("name", n, s.start, s.start, True)), v) for n, v in others.items())
    )
    return Along(
        begin=begin, condition=exchanged(s.condition), advance=advance, body=mapped_statement(s.body, exchanged),
        header_end=s.header_end, first=s.first, last=s.last, along=along,
    )  # fmt: skip


def _follower(start: Expression, step: int, index: str, first: Expression, by: int) -> Expression:
    """Its value by that of the index: `start + step * (index - first) / by`, where `by` is 1 or -1."""
    name = Name(Token("name", index, 0, 0))
    moved: Expression = name if _is_zero(first) else Binary("-", name, first)
    factor = step * by
    if factor == 0:
        return start
    if abs(factor) != 1:
        moved = Binary("*", Number(Token("number", str(abs(factor)), 0, 0)), moved)
    if _is_zero(start) and factor > 0:
        return moved
    return Binary("+" if factor > 0 else "-", start, moved)


def _is_zero(e: Expression) -> bool:
    return isinstance(e, Number) and e.token.text == "0"


def _is_followed(name: str, s: For, forms: Forms) -> bool:
    """Does only the loop's header set the variable, and only the loop read it?"""
    if forms.places(name, s.start, s.end) is None:
        return False
    effects = Effects.of(s.body)
    if name in effects.written | effects.declared:
        return False
    if isinstance(s.begin, Declaration):
        return True
    variable = forms.region.variables.get(name)
    if variable is None or not variable.integral or forms.is_pointed_to(name):
        return False
    inside = [t for t in forms.region.inside if t.text == name and not s.start <= t.start < s.end]
    return not inside


def _starts(s: For) -> dict[str, Expression] | None:
    """Each variable that the first clause sets, with its value."""
    match s.begin:
        case Declaration():
            found = {d.name.text: d.value for d in s.begin.declarators}
            if any(d.shape or d.reference or d.pointers for d in s.begin.declarators):
                return None
            return {name: value for name, value in found.items() if value is not None}
        case Items(parts):
            if all(isinstance(part, Assign) and part.op == "=" and isinstance(part.target, Name) for part in parts):
                return {p.target.text: p.value for p in parts if isinstance(p, Assign) and isinstance(p.target, Name)}
    return None


def _parts(e: Expression | None) -> tuple[Expression, ...]:
    return e.parts if isinstance(e, Items) else () if e is None else (e,)


def _steps(e: Expression | None) -> dict[str, int] | None:
    """By how much the last clause steps each variable."""
    steps: dict[str, int] = {}
    for part in _parts(e):
        match part:
            case Step(op, Name() as name):
                steps[name.text] = 1 if op.text == "++" else -1
            case Assign("+=" | "-=" as op, Name() as name, Number(token)) if (by := literal(token.text)) is not None:
                steps[name.text] = by if op == "+=" else -by
            case _:
                return None
    return steps
