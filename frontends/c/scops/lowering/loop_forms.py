"""Loops over an index in another form than `for (i = 0; i < n; i++)`, as loops of that form.

`while` and `do` loops whose last statement steps an index that is set before them, `for` without a first clause or with
several variables, and indices that count down to zero: `for (i = n; i-- > 0;)`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.lowering.forms import Forms, mentions
from tunepass.frontends.c.scops.lowering.rewriting import names_in
from tunepass.frontends.c.scops.numbers.headers import DoLoop, Downwards, WrapsBelowZero, leaving
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.updates import key
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Block,
    Cast,
    Declaration,
    Evaluated,
    Expression,
    For,
    Jump,
    Name,
    Number,
    Statement,
    Step,
    While,
)
from tunepass.frontends.cfamily.text.tokens import Token


@dataclass(frozen=True, slots=True)
class _Start:
    """Where an index is set before its loop: `place` among the statements before it, None outside of the region."""

    begin: Declaration | Assign
    text: str
    place: int | None


def as_for(s: While, earlier: list[Statement], later: Sequence[Statement], forms: Forms) -> For | While:
    """A `while` or `do` as a `for`; what set its index is taken from `earlier`."""
    if s.kind not in ("while", "do") or s.first.made or not isinstance(s.body, Block) or s.body.first.made:
        return s
    if s.kind == "while" and (index := _post_decremented(s.condition)):
        start = _start(index, earlier, later, forms)
        return _counting_down(s, start, earlier, forms) if start is not None else s
    step = s.body.statements[-1] if s.body.statements else None
    if not isinstance(step, Evaluated) or step.first.made or leaving(s.body) is not None:
        return s
    stepped = _stepped(step.expression)
    if stepped is None or stepped not in names_in(s.condition):
        return s
    if s.kind == "do" and any(isinstance(inner, Declaration) for inner in s.body.statements):
        return s
    start = _start(stepped, earlier, later, forms)
    if start is None or step.expression is None:
        return s
    return _written(s, step, step.expression, start, earlier, forms)


def _written(
    s: While, step: Evaluated, advance: Expression, start: _Start, earlier: list[Statement], forms: Forms
) -> For:
    assert isinstance(s.body, Block)
    body = replace(s.body, statements=s.body.statements[:-1])
    forms.edit(step.start, step.end, "") if s.kind == "while" else None
    _take(start, earlier, forms)
    if s.kind == "do":
        forms.edit(s.start, s.start, f"{start.text}; ")
        return DoLoop(begin=start.begin, condition=s.condition, advance=advance, body=body,
                      header_end=s.first.end, first=s.first, last=s.last)  # fmt: skip
    opening, close = forms.bracket(s.first)
    condition, stepping = forms.source(opening.end, close.start), forms.source(step.start, step.last.start)
    forms.edit(s.start, close.end, f"for ({start.text}; {condition}; {stepping})")
    return For(begin=start.begin, condition=s.condition, advance=advance, body=body, header_end=close.end,
               first=s.first, last=s.last)  # fmt: skip


def _counting_down(s: While, start: _Start, earlier: list[Statement], forms: Forms) -> For | While:
    opening, close = forms.bracket(s.first)
    _take(start, earlier, forms)
    forms.edit(s.start, close.end, f"for ({start.text}; {forms.source(opening.end, close.start)};)")
    loop = For(begin=start.begin, condition=s.condition, advance=None, body=s.body, header_end=close.end,
               first=s.first, last=s.last)  # fmt: skip
    return counted_down(loop)


def started(s: For, earlier: list[Statement], later: Sequence[Statement], forms: Forms) -> For:
    """A `for` without a first clause, with what sets its index before it."""
    if s.begin is not None or s.first.made:
        return s
    index = _stepped(s.advance) or _post_decremented(s.condition)
    start = _start(index, earlier, later, forms) if index is not None else None
    if start is None:
        return s
    opening, _ = forms.bracket(s.first)
    _take(start, earlier, forms)
    forms.edit(opening.end, opening.end, start.text)
    return replace(s, begin=start.begin)


def _take(start: _Start, earlier: list[Statement], forms: Forms) -> None:
    """The statement that sets the index is now a part of the loop."""
    if start.place is not None:
        taken = earlier.pop(start.place)
        forms.edit(taken.start, taken.end, "")


def _start(index: str, earlier: Sequence[Statement], later: Sequence[Statement], forms: Forms) -> _Start | None:
    """The last statement before the loop that sets the index, if nothing between them has to do with it."""
    if forms.is_pointed_to(index):
        return None
    between: list[Statement] = []
    inside: list[tuple[int | None, Statement]] = list(enumerate(earlier))
    outside: list[tuple[int | None, Statement]] = [] if forms.depth else [(None, s) for s in forms.before]
    for place, s in reversed([*outside, *inside]):
        found = _setting(s, index)
        if found is not None:
            begin, value = found
            changed = Effects.of(*between)
            if names_in(value) & (changed.written | changed.declared) or s.first.made:
                return None
            if isinstance(begin, Declaration) and place is not None and any(mentions(a, index) for a in later):
                return None
            if isinstance(begin, Declaration) and place is None:
                begin = Assign("=", Name(begin.declarators[0].name), value)
            named = s.declarators[0].name if isinstance(s, Declaration) and place is None else s
            return _Start(begin, forms.source(named.start, s.last.start), place)
        if mentions(s, index) or _jumps(s):
            return None
        between.append(s)
    return None


def _setting(s: Statement, index: str) -> tuple[Declaration | Assign, Expression] | None:
    match s:
        case Evaluated(expression=Assign("=", Name() as name, value) as set_) if name.text == index:
            return (set_, value) if index not in names_in(value) else None
        case Declaration() if len(s.declarators) == 1 and s.declarators[0].name.text == index:
            d = s.declarators[0]
            plain = d.value is not None and not d.shape and not d.reference and d.parameters is None
            return (s, d.value) if plain and d.value is not None else None
    return None


def _jumps(s: Statement) -> bool:
    """Can control come from elsewhere, or go there?"""
    return isinstance(s, Jump) or leaving(s) is not None


def _stepped(e: Expression | None) -> str | None:
    """The variable that an expression steps."""
    match e:
        case Step(_, Name() as name):
            return name.text
        case Assign("+=" | "-=", Name() as name, _):
            return name.text
        case Assign("=", Name() as name, Binary("+" | "-", left, right)) if name.text in names_in(left) | names_in(
            right
        ):
            return name.text
    return None


def _post_decremented(e: Expression | None) -> str | None:
    """`i--`, `i-- > 0`, `i-- != 0`; the decrement's place is told by the condition's tokens."""
    match e:
        case Step(op, Name() as name) if op.text == "--" and name.token.start < op.start:
            return name.text
        case Binary(">" | "!=", Step() as step, Number(token)) if token.text == "0":
            return _post_decremented(step)
    return None


def counted_down(s: For) -> For:
    """`for (i = n; i-- > 0;)` as `for (i = n - 1; i >= 0; i--)`, and likewise `for (u = n - 1; u < n; u--)` of an index
    that wraps below zero."""
    index = _post_decremented(s.condition) if s.advance is None else None
    if index is not None:
        begin = _moved(s.begin, index)
        return s if begin is None else _down(s, begin, index)
    match s.advance, s.condition:
        case Step(op, Name() as name), Binary("<", Name() as left, end) if op.text == "--" and left.text == name.text:
            value = _value(s.begin, name.text)
            less = isinstance(value, Binary) and value.op == "-" and _is_one(value.right)
            if less and isinstance(value, Binary) and _plain_key(value.left) == _plain_key(end) is not None and s.begin:
                return _down(s, s.begin, name.text, wraps=True)
    return s


def _plain_key(e: Expression) -> Hashable:
    while isinstance(e, Cast):
        e = e.operand
    return key(e)


def _down(s: For, begin: Declaration | Expression, index: str, wraps: bool = False) -> For:
    name = Name(Token("name", index, s.start, s.start, True))
    zero = Number(Token("number", "0", s.start, s.start))
    loop = WrapsBelowZero if wraps else Downwards
    return loop(
        begin=begin, condition=Binary(">=", name, zero), advance=Step(Token("op", "--", s.start, s.start), name),
        body=s.body, header_end=s.header_end, first=s.first, last=s.last,
    )  # fmt: skip


def _value(begin: Declaration | Expression | None, index: str) -> Expression | None:
    match begin:
        case Declaration(declarators=(declarator,)) if declarator.name.text == index:
            return declarator.value
        case Assign("=", Name() as name, value) if name.text == index:
            return value
    return None


def _moved(begin: Declaration | Expression | None, index: str) -> Declaration | Expression | None:
    """With one less for the index to start at."""
    value = _value(begin, index)
    if value is None:
        return None
    less = Binary("-", value, Number(Token("number", "1", 0, 0)))
    match begin:
        case Declaration(declarators=(declarator,)):
            return replace(begin, declarators=(replace(declarator, value=less),))
        case Assign(op, target, _):
            return Assign(op, target, less)
    return None


def _is_one(e: Expression) -> bool:
    return isinstance(e, Number) and e.token.text == "1"
