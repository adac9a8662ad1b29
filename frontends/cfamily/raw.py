"""A source's text in sections: runs of code and pragmas between the preprocessor's directives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tunepass.frontends.cfamily.tokens import TOKEN, Token, tokens

DIRECTIVE = re.compile(
    r"(?:[ \t]|/\*(?:[^*]|\*(?!/))*\*/|\\\r?\n)*#(?:[ \t]|/\*(?:[^*]|\*(?!/))*\*/|\\\r?\n)*(?P<kind>\w*)"
)
CONTINUATION = re.compile(r"\\\r?\n")
COMMENT = re.compile(r"/\*.*?\*/|//(?:\\\r?\n|[^\n])*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Directive:
    """[start, end) of `#kind body`, continued lines included; `body` has no comments and no continuations."""

    kind: str
    body: str
    start: int
    end: int


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

    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "directive":
            close()
            directive = _directive(match.group(), match.start())
            directives.append(directive)
            if directive.kind == "pragma":
                sections.append(_pragma(text, directive))
        elif kind in ("name", "number", "op"):
            code.append(Token(kind, match.group(), match.start(), match.end()))  # type: ignore[arg-type]
        elif kind == "text":
            code.append(Token("text", re.sub(r"\\\r?\n", "", match.group()), match.start(), match.end()))
        elif kind in ("raw", "mark"):
            code.append(Token("text", match.group(), match.start(), match.end()))
        if len(code) >= 4 and code[-1].text == ")" and code[-4].text == "_Pragma":
            written = code[-4:]
            del code[-4:]
            close()
            sections.append(_operator(written))
    close()
    return RawText(text, tuple(sections), tuple(directives))


def _directive(text: str, start: int) -> Directive:
    head = DIRECTIVE.match(text)
    assert head is not None
    body = CONTINUATION.sub(" ", text[head.end() :])
    return Directive(head["kind"], COMMENT.sub(" ", body).strip(), start + text.index("#"), start + len(text))


def _pragma(text: str, directive: Directive) -> Section:
    start = text.index("pragma", directive.start) + len("pragma")
    return Section(tuple(tokens(text, start, directive.end)), (directive.start, directive.end))


def _operator(written: list[Token]) -> Section:
    """`_Pragma("words")`; each word has the place of the whole operator."""
    start, end = written[0].start, written[-1].end
    text = written[2].text.strip('"').replace('\\"', '"').replace("\\\\", "\\")
    words = tuple(Token(t.kind, t.text, start, end) for t in tokens(text))
    return Section(words, (start, end))
