"""Tokens of a pragma, or of a line of another language, and a cursor over them; an expression inside is handed out as
text with its place."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

from tunepass.diagnostics import Source, SourceError, Span, TunepassError

Kind = Literal["name", "number", "string", "op", "end"]

TOKEN = re.compile(
    r"""
      (?P<space>\s+|/\*.*?\*/)
    | (?P<number>0[xX][0-9a-fA-F]+|(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<name>[^\W\d]\w*)
    | (?P<string>"(?:\\.|[^"\\])*")
    | (?P<op>\.\.|//|\*\*|<<|>>|==|!=|<=|>=|[^\s"])
    | (?P<open>")
    """,
    re.VERBOSE | re.DOTALL,
)
INT_LIMIT = 2**63
DIGIT_LIMIT = 40  # digits of an integer literal; 64 bits need 19
ESCAPE = re.compile(r"\\(.)")
ESCAPES = {"n": "\n", "t": "\t"}
PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class PragmaToken:
    kind: Kind
    text: str
    start: int  # in the source
    end: int


@dataclass(frozen=True, slots=True)
class ExpressionText:
    """An expression's text and where it starts in the source: expr's parser puts its spans there."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def explained(error: TunepassError, text: ExpressionText, what: str) -> SourceError:
    """The expression's own diagnostic; where `//` was meant as a comment after `what`, say what it is."""
    first = error.diagnostics[0]
    slashes = text.text.find("//")
    if slashes >= 0 and first.span and first.span.start > text.start + slashes:
        first = replace(first, hint=f"`//` divides here; a comment after {what} is written /* … */")
    return SourceError([first])


class Cursor:
    """Reads the tokens of `text`, which begins at `start` of the source, from left to right; every error points there.

    `whole` is what the text is in: a directive, a comment. `unit` is what users call it. With `bare_words` a
    categorical's values need no quotes.
    """

    def __init__(
        self,
        source: Source,
        text: str,
        start: int,
        *,
        whole: tuple[int, int] | None = None,
        unit: str = "pragma",
        bare_words: bool = False,
    ):
        self.source = source
        self.base = start
        self.whole = whole or (start, start + len(text))
        self.unit = unit
        self.bare_words = bare_words
        self.text = re.sub(r"/\*.*?\*/", lambda m: " " * len(m.group()), text)
        self.position = 0
        self.next = self._read()
        self.last = self.next  # the token taken last

    def _read(self) -> PragmaToken:
        while self.position < len(self.text):
            match = TOKEN.match(self.text, self.position)
            assert match is not None  # every character begins one of the alternatives
            self.position = match.end()
            if match.lastgroup == "space":
                continue
            start, end = self.base + match.start(), self.base + match.end()
            if match.lastgroup == "open":
                raise SourceError('this string is not closed: `"` expected', self.source.span(start, end))
            return PragmaToken(match.lastgroup, match.group(), start, end)  # type: ignore[arg-type]
        end = self.base + len(self.text.rstrip())
        return PragmaToken("end", "", end, end)

    def take(self) -> PragmaToken:
        self.last = self.next
        self.next = self._read()
        return self.last

    def at(self, *texts: str) -> bool:
        return self.next.kind in ("op", "name") and self.next.text in texts

    @property
    def shown(self) -> str:
        """The next token, for a message."""
        return f"the end of the {self.unit}" if self.next.kind == "end" else f"`{self.next.text}`"

    def accept(self, text: str) -> PragmaToken | None:
        return self.take() if self.at(text) else None

    def expect(self, text: str, after: str, hint: str | None = None) -> PragmaToken:
        if not self.at(text):
            self.fail(f"expected `{text}` {after}, found {self.shown}", hint)
        return self.take()

    def name(self, what: str, hint: str | None = None) -> PragmaToken:
        if self.next.kind != "name":
            self.fail(f"expected {what}, found {self.shown}", hint)
        return self.take()

    def string(self, what: str, hint: str | None = None) -> str:
        if self.next.kind != "string":
            self.fail(f"expected {what}, found {self.shown}", hint)
        return unquoted(self.take().text)

    def integer(self, what: str) -> int:
        token = self.next
        value = self.number(what)
        if not isinstance(value, int):
            self.fail(f"{what} must be an integer, found `{token.text}`", token=token)
        return value

    def number(self, what: str, hint: str | None = None) -> int | float:
        """A number with an optional sign."""
        negative = self.accept("-") is not None
        if self.next.kind != "number":
            self.fail(f"expected {what}, found {self.shown}", hint)
        token = self.take()
        value = number(token.text)
        if value is None:
            self.fail(f"{what} must be finite and fit 64 bits", token=token)
        return -value if negative else value

    def expression(self, stops: str, what: str) -> ExpressionText:
        """The text up to one of `stops` outside any bracket (or up to the end), which is not consumed."""
        start, depth, last = self.next, [""], self.next.start
        while self.next.kind != "end":
            text = self.next.text if self.next.kind == "op" else ""
            if len(depth) == 1 and text and text in stops:
                break
            if text in PAIRS:
                depth.append(PAIRS[text])
            elif text and text == depth[-1]:
                depth.pop()
            last = self.next.end
            self.take()
        if last == start.start:
            self.fail(f"expected {what}, found {self.shown}")
        return ExpressionText(self.text[start.start - self.base : last - self.base], start.start)

    def finish(self, after: str, hint: str | None = None) -> None:
        """Nothing but a comment may follow."""
        if self.next.kind != "end" and not self.at("//"):
            self.fail(f"expected the end of the {self.unit} after {after}, found {self.shown}", hint)

    def span(self, first: PragmaToken, last: PragmaToken | None = None) -> Span:
        return self.source.span(first.start, (last or first).end)

    def fail(self, message: str, hint: str | None = None, token: PragmaToken | None = None) -> NoReturn:
        raise SourceError(message, self.span(token or self.next), hint)


def number(text: str) -> int | float | None:
    """A numeric literal's value; None if it does not fit 64 bits (a double, for a real)."""
    if text.isdigit() or text[:2] in ("0x", "0X"):
        value = int(text, 16 if text[1:2] in ("x", "X") else 10) if len(text) <= DIGIT_LIMIT else INT_LIMIT
        return value if value < INT_LIMIT else None
    real = float(text)
    return real if math.isfinite(real) else None


def unquoted(text: str) -> str:
    """A string literal's value."""
    return ESCAPE.sub(lambda m: ESCAPES.get(m.group(1), m.group(1)), text[1:-1])
