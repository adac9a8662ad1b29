"""Where brackets close among words, and what stands between separators."""

from __future__ import annotations

from collections.abc import Sequence

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(OPENING.values())


def closing(words: Sequence[str], opening: int) -> int:
    """The index of the bracket that closes the one at `opening`; the end where none does."""
    depth = 0
    for at in range(opening, len(words)):
        depth += (words[at] in OPENING) - (words[at] in CLOSING)
        if depth == 0:
            return at
    return len(words) - 1


def split(words: Sequence[str], at: str = ",") -> list[list[str]]:
    """The parts between separators that stand in no brackets."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in words:
        depth += (word in OPENING) - (word in CLOSING)
        if word == at and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def statement_end(words: Sequence[str], at: int, end: int) -> int:
    """The index of the `;` that ends the statement at `at`."""
    depth = 0
    for i in range(at, end):
        depth += (words[i] in OPENING) - (words[i] in CLOSING)
        if words[i] == ";" and depth == 0:
            return i
    return end


def opening(words: Sequence[str], closed: int) -> int:
    """The index of the `(` that the `)` at `closed` closes; -1 where none does."""
    depth = 0
    for at in range(closed, -1, -1):
        depth += (words[at] == ")") - (words[at] == "(")
        if depth == 0:
            return at
    return -1


def is_unary(words: Sequence[str], at: int) -> bool:
    """Whether the `*` or `&` there has no left operand."""
    before = words[at - 1] if at else ";"
    return before == "return" or not (before[:1].isalnum() or before[:1] == "_" or before in (")", "]"))
