"""Tokens of C code as they stand in the source, and as macros leave them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["name", "number", "text", "op", "end"]

TOKEN = re.compile(
    r"""
      (?P<name>(?:::\s*)?[A-Za-z_$]\w*(?:\s*::\s*[A-Za-z_$]\w*)*)
    | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    | (?P<text>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)
    | (?P<op>\.\.\.|<<=|>>=|->|\+\+|--|&&|\|\||<<|>>|\#\#|[-+*/%&|^=!<>]=|[^\s\\])
    """,
    re.VERBOSE,
)
STANDARD = re.compile(r"\A(?:::\s*)?(?:std\s*::\s*)?|\s+")


@dataclass(frozen=True, slots=True)
class Token:
    """[start, end) is its place in the source; of a token that a macro's text `made`, the place of the macro's use."""

    kind: Kind
    text: str
    start: int
    end: int
    made: bool = False
    hidden: frozenset[str] = frozenset()  # macros that it came from and that it may not start again
    macro: str = ""  # whose use in the source made it
    within: tuple[int, int] | None = None  # the use of a macro in the source of which it is an argument's part

    def at(self, *texts: str) -> bool:
        return self.kind in ("op", "name") and self.text in texts


def tokens(code: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of `code[start:end]`, which has comments and directives blanked; offsets are those in `code`. A
    qualified name is one token, without its `std::`: `std::size_t` is `size_t`."""
    for match in TOKEN.finditer(code, start, len(code) if end is None else end):
        text = match.group()
        if ":" in text and match.lastgroup == "name":
            text = STANDARD.sub("", text)
        yield Token(match.lastgroup, text, match.start(), match.end())  # type: ignore[arg-type]
