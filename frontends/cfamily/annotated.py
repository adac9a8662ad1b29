"""A source before its compiler is asked: tunepass's pragmas, directives and code outside `#if 0`."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.cfamily.preprocessing.chains import chains
from tunepass.frontends.cfamily.text.lexemes import SPLICE, lexemes
from tunepass.frontends.cfamily.text.raw import Directive, read_raw
from tunepass.frontends.cfamily.text.tokens import Token, names_in, spaced, tokens

OWN = "tunepass"
COMMENT_PRAGMA = re.compile(rf"(?://|/\*)\s*{OWN}:")
DEFINING = frozenset({"define", "ifndef", "ifdef", "undef"})


@dataclass(frozen=True, slots=True)
class PragmaText:
    """The text after `tunepass` (or `tunepass:`), blanked to one line; `start` is where it begins in the source.

    [outer_start, outer_end) is the whole directive or comment.
    """

    text: str
    start: int
    outer_start: int
    outer_end: int


@dataclass(frozen=True)
class Annotated:
    """What the text itself says. `directives` are all but tunepass's pragmas, whatever their conditions are."""

    source: Source
    pragmas: tuple[PragmaText, ...]
    directives: tuple[Directive, ...]
    code: tuple[Token, ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """The identifiers of code, and of directives other than those that define or test a macro's existence."""
        found = {token.text for token in self.code if token.kind == "name"}
        for directive in self.directives:
            found.update(names_in(directive.body)[directive.kind in DEFINING :])
        return frozenset(found)

    @property
    def includes_own(self) -> bool:
        """Whether it includes files in quotes, whose code may use a macro too."""
        return any(d.kind == "include" and '"' in d.body for d in self.directives)


def annotated(source: Source) -> Annotated:
    """Text in strings, in other comments and under `#if 0` holds no pragma and uses no macro."""
    raw = read_raw(source.text)
    dead = _dead_regions(raw.directives, len(source.text))

    starts = [first for first, _ in dead]

    def alive(start: int) -> bool:
        """Regions are in order and apart: the last that begins before `start` decides."""
        before = bisect_right(starts, start)
        return not before or start >= dead[before - 1][1]

    live = [directive for directive in raw.directives if alive(directive.start)]
    own = [directive for directive in live if _first_word(directive) == OWN]
    pragma_starts = {directive.start for directive in own}
    _check_spelling(source, live)
    pragmas = [*(_pragma(source, directive) for directive in own), *_comment_pragmas(source)]
    pragmas.sort(key=lambda pragma: pragma.start)
    for section in raw.sections:
        if section.outer is not None and alive(section.outer[0]):
            check_is_directive(source, section.tokens, *section.outer)
    sections = (section for section in raw.sections if section.outer is None)
    return Annotated(
        source,
        tuple(pragma for pragma in pragmas if alive(pragma.start)),
        tuple(directive for directive in live if directive.start not in pragma_starts),
        tuple(token for section in sections for token in section.tokens if alive(token.start)),
    )


def check_is_directive(source: Source, words: Sequence[Token], start: int, end: int) -> None:
    """Raises SourceError for a pragma of tunepass's, these words, that `_Pragma` makes in [start, end)."""
    if words and words[0].text == OWN and source.text[start : start + 1] not in ("#", "%"):
        message = "tunepass reads its pragmas from lines `#pragma`, not from `_Pragma`"
        hint = f"write `#pragma {spaced(words)}`"
        raise SourceError(message, source.span(start, end), hint)


def _first_word(directive: Directive) -> str:
    """Of a pragma."""
    first = next(tokens(directive.body), None) if directive.kind == "pragma" else None
    return first.text if first is not None else ""


def _pragma(source: Source, directive: Directive) -> PragmaText:
    start = next(tokens(source.text, directive.kind_end, directive.end)).end
    text = _one_line(source, start, directive.end)
    return PragmaText(text, start, directive.start, directive.end)


def _comment_pragmas(source: Source) -> Iterator[PragmaText]:
    text = source.text
    for kind, _, start, end in lexemes(text):
        head = COMMENT_PRAGMA.match(text, start) if kind == "comment" else None
        if head is not None:
            block = text[start : start + 2] == "/*"
            body = _one_line(source, head.end(), end - 2 * block, undecorated=block)
            yield PragmaText(body, head.end(), start, end)


def _one_line(source: Source, start: int, end: int, *, undecorated: bool = False) -> str:
    """`source.text[start:end]` with blanks in the place of line ends."""
    text = source.text[start:end]
    for splice in SPLICE.finditer(source.text, start, end):
        if any(token.start < splice.start() and splice.end() < token.end for token in tokens(source.text, start, end)):
            message, hint = "a line of this pragma ends inside a word", "write the word on one line"
            raise SourceError(message, source.span(splice.start(), splice.start() + 1), hint)
    text = SPLICE.sub(lambda match: " " * len(match.group()), _undecorated(text) if undecorated else text)
    return re.sub(r"[\r\n]", " ", text)


def _undecorated(body: str) -> str:
    """A block comment's text; where every later line begins with `*`, these stars are the comment's border."""
    first, *rest = body.split("\n")
    if all(not line.strip() or line.lstrip().startswith("*") for line in rest):
        rest = [line.replace("*", " ", 1) for line in rest]
    return "\n".join([first, *rest])


def _dead_regions(directives: Sequence[Directive], end: int) -> list[tuple[int, int]]:
    """The texts under `#if 0`, up to its `#else`, `#elif` or `#endif`."""
    branches = (next(chain.branches()) for chain in chains(directives))
    dead = ((head, last) for head, last in branches if head.kind == "if" and head.body in ("0", "(0)"))
    regions: list[tuple[int, int]] = []
    for first, last in sorted((head.end, last if last >= 0 else end) for head, last in dead):
        if not regions or last > regions[-1][1]:  # else it is inside the one before
            regions.append((first, last))
    return regions


def _check_spelling(source: Source, directives: Sequence[Directive]) -> None:
    """A misspelt `#pragma tunepass` would be ignored by every compiler, and by us: the worst of failures."""
    for directive in directives:
        word = _first_word(directive)
        close = difflib.get_close_matches(word.lower(), [OWN], cutoff=0.8) if word[:3].lower() == OWN[:3] else []
        if close and word != OWN:
            first = next(tokens(source.text, directive.kind_end, directive.end))
            raise SourceError(f"unknown pragma `{word}`", source.span(first.start, first.end), f"did you mean `{OWN}`?")
