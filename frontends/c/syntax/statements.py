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


DECLARATION = re.compile(
    r"\s*(?:for\s*\()?\s*(?:(?!return\b|else\b|goto\b|case\b|throw\b)[A-Za-z_][\w:]*[\s*&]+)+(?P<names>[A-Za-z_]\w*\s*(?:[=,\[({].*)?)\Z",
    re.DOTALL,
)


def declares(code: str, name: str) -> bool:
    """Is this name declared by one of the statements, also after others: `const int w = a->w, h = a->h;`?"""
    for statement in re.split(r"[;{}]", code):
        match = DECLARATION.match(statement) if re.search(rf"\b{name}\b", statement) else None
        if match and any(re.match(rf"[\s*&]*{name}\b", part) for part in _parts(match["names"])):
            return True
    return False


def _parts(text: str) -> Iterator[str]:
    """What commas outside of brackets separate."""
    depth, start = 0, 0
    for match in re.finditer(r"[()\[\],]", text):
        depth += (match.group() in "([") - (match.group() in ")]")
        if match.group() == "," and not depth:
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]


def skip_space(code: str, offset: int) -> int:
    while offset < len(code) and code[offset].isspace():
        offset += 1
    return offset


def closing(code: str, offset: int) -> int:
    """The offset after the bracket that closes the one at `offset`, or the end of the text."""
    stack: list[str] = []
    for bracket in re.compile(r"[()\[\]{}]").finditer(code, offset):
        if bracket.group() in BRACKETS:
            stack.append(BRACKETS[bracket.group()])
        elif stack and bracket.group() == stack[-1]:
            stack.pop()
        if not stack:
            return bracket.end()
    return len(code)


def word_at(code: str, offset: int) -> str:
    match = WORD.match(code, offset)
    return match.group() if match else ""


class TooDeepError(Exception):
    """A statement inside more than DEPTH_LIMIT others."""

    def __init__(self, offset: int):
        super().__init__(offset)
        self.offset = offset


def statement_end(code: str, offset: int, depth: int = 0) -> int:
    """The offset after the statement that begins at or after `offset`; `code` has comments and strings blanked."""
    offset = skip_space(code, offset)
    if depth > DEPTH_LIMIT:
        raise TooDeepError(offset)
    if offset < len(code) and code[offset] == "{":
        return closing(code, offset)
    word = word_at(code, offset)
    if word in ("for", "while", "switch", "if"):
        inner = statement_end(code, closing(code, skip_space(code, offset + len(word))), depth + 1)
        following = skip_space(code, inner)
        if word == "if" and word_at(code, following) == "else":
            return statement_end(code, following + len("else"), depth + 1)
        return inner
    if word == "do":
        return _semicolon(code, statement_end(code, offset + len(word), depth + 1))
    return _semicolon(code, offset)


def _semicolon(code: str, offset: int) -> int:
    while offset < len(code):
        if code[offset] == ";":
            return offset + 1
        offset = closing(code, offset) if code[offset] in BRACKETS else offset + 1
    return len(code)


def obstacles(body: str) -> Iterator[Obstacle]:
    """What would not survive moving or copying `body`: jumps out of it, labels, static variables."""
    for match in WORD.finditer(body):
        if match.group() in LEAVING:
            yield Obstacle(LEAVING[match.group()], match.start(), match.end())
    for match in LABEL.finditer(body):
        yield Obstacle(f"label `{match.group(1)}` would be copied with the body", match.start(1), match.end(1))
    for word, inner in (("break", ("for", "while", "do", "switch")), ("continue", ("for", "while", "do"))):
        own = _without(body, inner)
        for match in re.finditer(rf"\b{word}\b", own):
            yield Obstacle(f"`{word}` leaves an iteration of the nest", match.start(), match.end())


def _without(body: str, words: tuple[str, ...]) -> str:
    """`body` with the statements that begin with one of `words` blanked: their breaks are their own."""
    offset = 0
    pattern = re.compile(rf"\b(?:{'|'.join(words)})\b")
    while match := pattern.search(body, offset):
        end = statement_end(body, match.start())
        body = body[: match.start()] + " " * (end - match.start()) + body[end:]
        offset = end
    return body


def changes(code: str, name: str) -> Iterator[tuple[int, int]]:
    """Where `name` is assigned, stepped, or has its address taken."""
    word = re.escape(name)
    for match in re.finditer(rf"(?<![\w.])(?<!->)(?P<name>{word})\b\s*(?:{ASSIGN})", code):
        yield match.span("name")
    for match in re.finditer(rf"(?:\+\+|--)\s*(?P<name>{word})\b", code):
        yield match.span("name")
    for match in re.finditer(rf"(?P<before>\A|[^\s&])\s*&\s*(?P<name>{word})\b(?!\s*\[)", code):
        if not re.match(r"[\w)\]]", match["before"]):
            yield match.span("name")


def calls(code: str) -> Iterator[str]:
    """Names followed by `(` that are not keywords."""
    for match in re.finditer(r"\b([A-Za-z_]\w*)\s*\(", code):
        if match.group(1) not in ("if", "for", "while", "switch", "sizeof", "return", "do"):
            yield match.group(1)
