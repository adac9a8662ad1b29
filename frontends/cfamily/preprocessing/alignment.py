"""Tokens of preprocessed text beside those of the source: every token gets its range in the user's text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from tunepass.frontends.cfamily.preprocessing.output import Chunk, Output, pragma_lines
from tunepass.frontends.cfamily.preprocessing.symbols import Symbols
from tunepass.frontends.cfamily.text.marks import (
    ARGUMENT,
    CLOSE,
    END,
    OPEN,
    PRAGMA,
    PREFIX,
    SECTION,
    ActiveTokens,
    MacroUse,
)
from tunepass.frontends.cfamily.text.raw import RawText
from tunepass.frontends.cfamily.text.tokens import Kind, Token, tokens, words_of

INCLUDED_LIMIT = 400_000  # characters of included files that are read; the rest is left to the compiler
MARK = re.compile(rf"(?P<kind>{PREFIX}[spqbe]_)(?P<number>\w+)_\Z")


class MisalignedError(Exception):
    """The marked text does not give what the unmarked one does; `place` is an offset of the source."""

    def __init__(self, place: int):
        super().__init__(place)
        self.place = place


@dataclass(frozen=True, slots=True)
class PragmaTokens:
    """A pragma's words after `pragma`; it stands before the token of index `before`. [start, end) is the directive."""

    words: tuple[Token, ...]
    before: int
    start: int
    end: int
    made: bool = False


@dataclass(slots=True)
class Aligned:
    """The active code with ranges, the pragmas among it, and the sections that are active."""

    tokens: list[Token] = field(default_factory=list)
    pragmas: list[PragmaTokens] = field(default_factory=list)
    active: set[int] = field(default_factory=set)
    skipped: set[str] = field(default_factory=set)  # included files whose text is too long


@dataclass(slots=True)
class Aligner:
    raw: RawText
    symbols: Symbols
    active: ActiveTokens
    uses: list[MacroUse]
    result: Aligned = field(default_factory=Aligned)
    position: int = 0  # of the next active token
    use: MacroUse | None = None
    words: list[Token] | None = None  # of the pragma that is open: line markers may stand inside
    opened: str = ""  # its section

    def read(self, output: Output) -> Aligned:
        """The main file's tokens and those of included files that are not the system's, in the compiler's order.

        Raises MisalignedError where a token of the main file has no place in the source.
        """
        self._skip_long(output)
        for chunk in output.chunks:
            if not chunk.file:
                self.run(chunk.text)
            elif not chunk.system and chunk.file not in self.result.skipped:
                self._include(chunk)
        return self.result

    def _skip_long(self, output: Output) -> None:
        """A file is read whole or not at all: its parts open and close brackets of each other."""
        lengths: Counter[str] = Counter()
        for chunk in output.chunks:
            if chunk.file and not chunk.system:
                lengths[chunk.file] += len(chunk.text)
        left = INCLUDED_LIMIT
        for file, length in lengths.items():
            if length > left:
                self.result.skipped.add(file)
            else:
                left -= length

    def _include(self, chunk: Chunk) -> None:
        """Tokens of an included file: made by the directive that includes it, or by the one that includes that."""
        start, end = self._directive()
        position = 0
        for match in pragma_lines(chunk.text):
            self.result.tokens += self._included(chunk, position, match.start(), start, end)
            words = tuple(self._included(chunk, match.start(1), match.end(1), start, end))
            self.result.pragmas.append(PragmaTokens(words, len(self.result.tokens), start, end, True))
            position = match.end()
        self.result.tokens += self._included(chunk, position, len(chunk.text), start, end)

    def _included(self, chunk: Chunk, first: int, last: int, start: int, end: int) -> list[Token]:
        file, words = chunk.file, words_of(chunk.text[first:last])
        if self.symbols.values:
            words = [("name", name) if (name := self._named(*word)) else word for word in words]
        return [Token(kind, text, start, end, True, file) for kind, text in words]

    def _named(self, kind: Kind, text: str) -> str:
        """The parameter whose value this is."""
        return self.symbols.named(text) if kind == "number" else ""

    def _directive(self) -> tuple[int, int]:
        """The first `#include` after the last token of the main file."""
        after = self.active.tokens[self.position - 1].end if self.position else 0
        included = [d for d in self.raw.directives if d.kind.startswith(("include", "import"))]
        found = next((d for d in included if d.start >= after), None)
        return (found.start, found.end) if found else (after, after)

    def run(self, text: str) -> Aligned:
        """`text` is a part of the main file's output."""
        for token in tokens(text):
            match = MARK.match(token.text) if token.text.startswith(PREFIX) else None
            if match is None:
                self._add(token, self.words)
                continue
            kind, number = match["kind"], match["number"]
            if kind == SECTION:
                self._enter(int(number))
            elif kind == PRAGMA:
                self.words, self.opened = [], number
                if number != "m":
                    self._enter(int(number))
            elif kind == END and self.words is not None:
                self._close_pragma(self.words, self.opened)
                self.words = None
            elif kind == OPEN:
                self.use = self.uses[int(number)]
            elif kind == CLOSE:
                self.position = self.uses[int(number)].last + 1
                self.use = None
        return self.result

    def _enter(self, number: int) -> None:
        self.result.active.add(number)
        if self.use is None:
            self.position = self.active.starts.get(number, self.position)

    def _close_pragma(self, words: list[Token], number: str) -> None:
        here = len(self.result.tokens)
        outer = self.raw.sections[int(number)].outer if number != "m" else None
        if outer is None:
            start, end = self._range() if self.use else (0, 0)
            self.result.pragmas.append(PragmaTokens(tuple(words), here, start, end, True))
        else:
            self.result.pragmas.append(PragmaTokens(tuple(words), here, *outer))
            if self.use is None:
                self.position = self.active.starts[int(number)] + len(self.raw.sections[int(number)].tokens)

    def _range(self) -> tuple[int, int]:
        assert self.use is not None
        return self.active.tokens[self.use.first].start, self.active.tokens[self.use.last].end

    def _add(self, token: Token, words: list[Token] | None) -> None:
        target = self.result.tokens if words is None else words
        name = self._named(token.kind, token.text)
        if name and self.symbols.is_negative(name) and target and target[-1].text == "-":
            target.pop()
        if self.use is not None:
            target.append(self._made(token, name))
            return
        if self.position >= len(self.active.tokens):
            raise MisalignedError(len(self.raw.text))
        written = self.active.tokens[self.position]
        if token.text == "-" and self.symbols.is_negative(written.text):
            target.append(token)  # the sign of a symbol's value, taken back with the number
            return
        if written.text != (name or token.text):
            if words is None:
                raise MisalignedError(written.start)
            target.append(replace(token, start=written.start, end=written.end, made=True, macro=written.text))
            return
        target.append(written)
        self.position += 1

    def _made(self, token: Token, name: str) -> Token:
        """A token between the marks of a use: an argument's own word, or the macro's."""
        assert self.use is not None
        start, end = self._range()
        if name:
            return Token("name", name, start, end, True, self.use.name)
        match = ARGUMENT.search(token.text)
        if match is None:
            return Token(token.kind, token.text, start, end, True, self.use.name)
        argument = self.active.tokens[int(match[1])]
        if token.text == argument.text + match.group():
            return replace(argument, within=(start, end))
        return Token(token.kind, ARGUMENT.sub("", token.text), start, end, True, self.use.name)
