"""Where C statements end, and what may not stand in the body of a nest that is to be rewritten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

WORD = re.compile(r"[A-Za-z_]\w*")
BRACKETS = {"(": ")", "[": "]", "{": "}"}
DEPTH_LIMIT = 200
LEAVING = {
    "goto": "`goto` may leave the nest",
    "return": "`return` leaves the nest",
    "asm": "`asm` is opaque",
    "__asm__": "`__asm__` is opaque",
    "static": "a `static` variable would be copied with the body",
}
LABEL = re.compile(r"(?:\A|[;{}])\s*(?!default\b|case\b)([A-Za-z_]\w*)\s*:(?!:)")
ASSIGN = r"(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What is in the way, at [start, end) of the text."""

    message: str
    start: int
    end: int


def skip_space(code: str, at: int) -> int:
    while at < len(code) and code[at].isspace():
        at += 1
    return at


def closing(code: str, at: int) -> int:
    """The offset after the bracket that closes the one at `at`, or the end of the text."""
    stack: list[str] = []
    for found in re.compile(r"[()\[\]{}]").finditer(code, at):
        if found.group() in BRACKETS:
            stack.append(BRACKETS[found.group()])
        elif stack and found.group() == stack[-1]:
            stack.pop()
        if not stack:
            return found.end()
    return len(code)


def word_at(code: str, at: int) -> str:
    found = WORD.match(code, at)
    return found.group() if found else ""


class TooDeepError(Exception):
    """A statement inside more than DEPTH_LIMIT others."""

    def __init__(self, at: int):
        super().__init__(at)
        self.at = at


def statement_end(code: str, at: int, depth: int = 0) -> int:
    """The offset after the statement that begins at or after `at`; `code` has comments and strings blanked."""
    at = skip_space(code, at)
    if depth > DEPTH_LIMIT:
        raise TooDeepError(at)
    if at < len(code) and code[at] == "{":
        return closing(code, at)
    word = word_at(code, at)
    if word in ("for", "while", "switch", "if"):
        inner = statement_end(code, closing(code, skip_space(code, at + len(word))), depth + 1)
        following = skip_space(code, inner)
        if word == "if" and word_at(code, following) == "else":
            return statement_end(code, following + len("else"), depth + 1)
        return inner
    if word == "do":
        return _semicolon(code, statement_end(code, at + len(word), depth + 1))
    return _semicolon(code, at)


def _semicolon(code: str, at: int) -> int:
    while at < len(code):
        if code[at] == ";":
            return at + 1
        at = closing(code, at) if code[at] in BRACKETS else at + 1
    return len(code)


def obstacles(body: str) -> Iterator[Obstacle]:
    """What would not survive moving or copying `body`: jumps out of it, labels, static variables."""
    for found in WORD.finditer(body):
        if found.group() in LEAVING:
            yield Obstacle(LEAVING[found.group()], found.start(), found.end())
    for found in LABEL.finditer(body):
        yield Obstacle(f"label `{found.group(1)}` would be copied with the body", found.start(1), found.end(1))
    for word, inner in (("break", ("for", "while", "do", "switch")), ("continue", ("for", "while", "do"))):
        own = _without(body, inner)
        for found in re.finditer(rf"\b{word}\b", own):
            yield Obstacle(f"`{word}` leaves an iteration of the nest", found.start(), found.end())


def _without(body: str, words: tuple[str, ...]) -> str:
    """`body` with the statements that begin with one of `words` blanked: their breaks are their own."""
    at = 0
    pattern = re.compile(rf"\b(?:{'|'.join(words)})\b")
    while found := pattern.search(body, at):
        end = statement_end(body, found.start())
        body = body[: found.start()] + " " * (end - found.start()) + body[end:]
        at = end
    return body


def changes(code: str, name: str) -> Iterator[tuple[int, int]]:
    """Where `name` is assigned, stepped, or has its address taken."""
    word = re.escape(name)
    for found in re.finditer(rf"(?<![\w.])(?<!->)(?P<name>{word})\b\s*(?:{ASSIGN})", code):
        yield found.span("name")
    for found in re.finditer(rf"(?:\+\+|--)\s*(?P<name>{word})\b", code):
        yield found.span("name")
    for found in re.finditer(rf"(?P<before>\A|[^\s&])\s*&\s*(?P<name>{word})\b(?!\s*\[)", code):
        if not re.match(r"[\w)\]]", found["before"]):
            yield found.span("name")


def calls(code: str) -> Iterator[str]:
    """Names followed by `(` that are not keywords."""
    for found in re.finditer(r"\b([A-Za-z_]\w*)\s*\(", code):
        if found.group(1) not in ("if", "for", "while", "switch", "sizeof", "return", "do"):
            yield found.group(1)
