"""A source's text in sections: runs of code and pragmas between the preprocessor's directives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tunepass.frontends.cfamily.text.lexemes import HASH, SPACE, lexemes, with_letters
from tunepass.frontends.cfamily.text.tokens import Token, tokens

DIRECTIVE = re.compile(rf"(?:{SPACE})*(?P<hash>{HASH})(?:{SPACE})*(?P<kind>\w*)")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
TEXT_OR_COMMENT = re.compile(rf'(?P<text>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|{COMMENT.pattern}', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Directive:
    """[start, end) of `#kind body`, continued lines included; `body` has no comments and no continuations.

    [kind_start, kind_end) is the word after `#`."""

    kind: str
    body: str
    start: int
    end: int
    kind_start: int
    kind_end: int


@dataclass(frozen=True, slots=True)
class Section:
    """Tokens between two directives, or a pragma's words: those after `pragma`, all active together or not at all.

    `outer` is the range of the whole pragma; None of code.
    """

    tokens: tuple[Token, ...]
    outer: tuple[int, int] | None = None


@dataclass(frozen=True)
class RawText:
    """What one pass over the text finds; nothing is expanded or decided here."""

    text: str
    sections: tuple[Section, ...]
    directives: tuple[Directive, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """Every identifier of code, active or not."""
        return frozenset(t.text for s in self.sections if s.outer is None for t in s.tokens if t.kind == "name")


@lru_cache(maxsize=2)  # pragmas are read first, then the same text is preprocessed
def read_raw(text: str) -> RawText:
    sections: list[Section] = []
    directives: list[Directive] = []
    code: list[Token] = []

    def close() -> None:
        if code:
            sections.append(Section(tuple(code)))
            code.clear()

    for kind, word, start, end in lexemes(text):
        if kind == "directive":
            close()
            directive = _directive(text, word, start, end)
            directives.append(directive)
            if directive.kind == "pragma":
                sections.append(_pragma(text, directive))
        elif kind != "comment":
            code.append(Token(kind, word, start, end))  # type: ignore[arg-type]
        if len(code) >= 4 and code[-1].text == ")" and code[-4].text == "_Pragma":
            written = code[-4:]
            del code[-4:]
            close()
            sections.append(_operator(written))
    close()
    return RawText(text, tuple(sections), tuple(directives))


def _directive(text: str, joined: str, start: int, end: int) -> Directive:
    """`joined` is `text[start:end]` without line splices."""
    head, written = DIRECTIVE.match(joined), DIRECTIVE.match(text, start)
    assert head is not None and written is not None
    kind_end = written.end("kind")
    if written["kind"] != head["kind"]:  # a splice stands in it
        kind_end = next(tokens(text, written.start("kind"), end)).end
    body = TEXT_OR_COMMENT.sub(lambda match: match["text"] or " ", with_letters(joined[head.end() :])).strip()
    return Directive(head["kind"], body, written.start("hash"), end, written.start("kind"), kind_end)


def _pragma(text: str, directive: Directive) -> Section:
    return Section(tuple(tokens(text, directive.kind_end, directive.end)), (directive.start, directive.end))


def _operator(written: list[Token]) -> Section:
    """`_Pragma("words")`; each word has the place of the whole operator."""
    start, end = written[0].start, written[-1].end
    text = written[2].text.strip('"').replace('\\"', '"').replace("\\\\", "\\")
    words = tuple(Token(t.kind, t.text, start, end) for t in tokens(text))
    return Section(words, (start, end))
