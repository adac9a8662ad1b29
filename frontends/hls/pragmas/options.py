"""The words of a pragma as options: `FACTOR=4`, `variable=a`, `cyclic`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.frontends.cfamily.text.tokens import Token

OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")


@dataclass(frozen=True, slots=True)
class Option:
    """`name`, in small letters, and the tokens after its `=`; None where it has none."""

    name: str
    token: Token
    value: tuple[Token, ...] | None = None

    @property
    def text(self) -> str:
        return "".join(t.text for t in self.value or ())

    @property
    def knob(self) -> Token | None:
        """NAME of `auto{NAME}`, or of AutoDSE's `auto{options: NAME=[1, 2]; default: 1}`."""
        value = self.value or ()
        if len(value) < 4 or not (value[0].at("auto") and value[1].at("{") and value[-1].at("}")):
            return None
        inside = value[2:-1]
        if len(inside) > 3 and inside[0].at("options") and inside[1].at(":") and inside[3].at("="):
            return inside[2] if inside[2].kind == "name" else None
        return inside[0] if len(inside) == 1 and inside[0].kind == "name" else None

    @property
    def stated(self) -> tuple[Token, ...]:
        """What follows NAME= in AutoDSE's form; empty in the other."""
        value = self.value or ()
        return value[6:-1] if len(value) > 6 and value[2].at("options") else ()


def options(words: Sequence[Token]) -> tuple[Option, ...]:
    """Of the words after the pragma's kind. `auto{NAME}` without a `NAME=` is an option called `auto`."""
    found: list[Option] = []
    at = 0
    while at < len(words):
        token, at = words[at], at + 1
        if token.at("auto") and at < len(words) and words[at].at("{"):
            value, at = _value(words, at - 1)
            found.append(Option("auto", token, value))
        elif at < len(words) and words[at].at("="):
            value, at = _value(words, at + 1)
            found.append(Option(token.text.lower(), token, value))
        elif token.kind != "op":
            found.append(Option(token.text.lower(), token))
    return tuple(found)


def _value(words: Sequence[Token], at: int) -> tuple[tuple[Token, ...], int]:
    """A term, with the operators and terms after it."""
    value: list[Token] = []
    depth, wants = 0, True
    while at < len(words):
        token = words[at]
        if token.at(*OPENING):
            depth += 1
        elif token.at(*CLOSING):
            depth -= 1
            wants = False
        elif depth == 0 and token.kind != "op":
            if not wants:
                break
            wants = False
        elif depth == 0:
            wants = True
        value.append(token)
        at += 1
    return tuple(value), at
