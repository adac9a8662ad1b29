"""BodyTokens of a nest's body, which is C text without comments and directives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "name", "op", "end"]

TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFlLuU]*)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<op><<=|>>=|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^=!<>]=|\S)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class BodyToken:
    kind: Kind
    text: str
    start: int  # in the source
    end: int


class BodyTokens:
    """A cursor; `start` is where `text` begins in the source."""

    def __init__(self, text: str, start: int):
        self._tokens = [
            BodyToken(m.lastgroup, m.group(m.lastgroup), start + m.start(m.lastgroup), start + m.end())  # type: ignore[arg-type]
            for m in TOKEN.finditer(text)
            if m.lastgroup
        ]
        end = start + len(text)
        self._tokens.append(BodyToken("end", "", end, end))
        self._at = 0

    @property
    def next(self) -> BodyToken:
        return self._tokens[self._at]

    @property
    def following(self) -> BodyToken:
        """The token after the next one."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def take(self) -> BodyToken:
        token = self.next
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def at(self, *texts: str) -> bool:
        return self.next.kind in ("op", "name") and self.next.text in texts

    def accept(self, *texts: str) -> BodyToken | None:
        return self.take() if self.at(*texts) else None
