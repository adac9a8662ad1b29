"""How a source uses a macro: it asks whether the macro is defined, or it uses the macro's value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Source, Span
from tunepass.frontends.cfamily.annotated import Annotated, annotated
from tunepass.frontends.cfamily.chains import CLOSING, CONDITIONS, chains, condition_of
from tunepass.frontends.cfamily.directives import LONGEST
from tunepass.frontends.cfamily.parametric import DEFINING, defined_inside, defined_name
from tunepass.frontends.cfamily.preprocess import Preprocessed
from tunepass.frontends.cfamily.raw import Directive
from tunepass.frontends.cfamily.tokens import tokens


@dataclass(frozen=True, slots=True)
class MacroUses:
    """`existence_tests` are the directives that ask whether it is defined, without those around its own `#define`.

    `valued` are uses of its value; `changed` its definitions and those that take it away.
    """

    existence_tests: tuple[Span, ...] = ()
    valued: tuple[Span, ...] = ()
    changed: tuple[Span, ...] = ()

    @property
    def only_existence(self) -> bool:
        return bool(self.existence_tests) and not self.valued


def files_of(text: Annotated, read: Preprocessed, names: Iterable[str]) -> list[Annotated]:
    """The source, and those of its own headers that have one of the names."""
    sources = {placed.file.source.name: placed.file.source for placed in read.read_order if not placed.file.own}
    searched = list(names)
    return [text, *(annotated(source) for source in sources.values() if _has_any(source, searched))]


def _has_any(source: Source, names: Sequence[str]) -> bool:
    return len(source.text) <= LONGEST and any(name in source.text for name in names)


def macro_uses(name: str, files: Iterable[Annotated]) -> MacroUses:
    existence_tests: list[Span] = []
    valued: list[Span] = []
    changed: list[Span] = []
    for file in files:
        around_definition = set(_around_definitions(name, file))
        for directive in file.directives:
            line = _line(file.source, directive)
            if directive.kind in DEFINING and defined_name(directive) == name:
                changed.append(line)
            asks, uses = _mentions(name, directive)
            if asks and id(directive) not in around_definition:
                existence_tests.append(line)
            if uses:
                valued.append(line)
        valued += [file.source.span(t.start, t.end) for t in file.code if t.kind == "name" and t.text == name]
    return MacroUses(tuple(existence_tests), tuple(valued), tuple(changed))


def _around_definitions(name: str, file: Annotated) -> Iterator[int]:
    """The directives of chains that define the macro inside, or take it away."""
    listed = chains(file.directives)
    for chain, inside in zip(listed, defined_inside(listed, file.directives)):
        if name in inside:
            yield from (id(directive) for directive in chain.directives)


def _mentions(name: str, directive: Directive) -> tuple[bool, bool]:
    """(It asks if the macro is defined, it uses the macro's value)."""
    if directive.kind == CLOSING or name not in directive.body:
        return False, False
    body = condition_of(directive) if directive.kind in CONDITIONS else directive.body
    words = [token.text for token in tokens(body)]
    if directive.kind in DEFINING:
        words = words[1:]
    before = [words[max(0, at - 2) : at] for at, word in enumerate(words) if word == name]
    asks = [ahead[-1:] == ["defined"] or ahead == ["defined", "("] for ahead in before]
    return any(asks), not all(asks)


def _line(source: Source, directive: Directive) -> Span:
    first = source.text[directive.start : directive.end].split("\n", 1)[0]
    return source.span(directive.start, directive.start + len(first.rstrip()))
