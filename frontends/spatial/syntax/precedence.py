"""Infix operators in a row, grouped by their precedence (Scala Language Specification 2.12, §6.12.3)."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import Span
from tunepass.frontends.spatial.syntax import nodes as n

# By an operator's first character, loosest first; letters are looser than these, other characters tighter.
_LEVELS = ("|", "^", "&", "=!", "<>", ":", "+-", "*/%")
_LEVEL_OF = {character: level for level, characters in enumerate(_LEVELS, 1) for character in characters}


def grouped(operands: Sequence[n.Node], operators: Sequence[str]) -> n.Node:
    """The tree of `operands[0] operators[0] operands[1] …`."""
    complete, waiting = [operands[0]], list[str]()
    for operator, operand in zip(operators, operands[1:]):
        while waiting and _binds_first(waiting[-1], operator):
            _join(complete, waiting.pop())
        waiting.append(operator)
        complete.append(operand)
    while waiting:
        _join(complete, waiting.pop())
    return complete[0]


def _level(operator: str) -> int:
    first = operator[0]
    return 0 if first.isalpha() or first in "`_" else _LEVEL_OF.get(first, len(_LEVELS) + 1)


def _binds_first(left: str, right: str) -> bool:
    """In `a left b right c`, does `left` take b? Operators that begin with a colon group to the right."""
    return _level(left) > _level(right) or (_level(left) == _level(right) and left[0] != ":")


def _join(complete: list[n.Node], operator: str) -> None:
    right, left = complete.pop(), complete.pop()
    span = Span(left.span.source, left.span.start, right.span.end)
    complete.append(n.Infix(span, operator, left, right))
