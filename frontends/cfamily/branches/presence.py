"""How a source uses a macro: it asks whether the macro is defined, or it uses the macro's value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import Source, Span
from tunepass.frontends.cfamily.annotated import Annotated, annotated
from tunepass.frontends.cfamily.preprocessing.chains import CLOSING, CONDITIONS, chains, condition_of
from tunepass.frontends.cfamily.preprocessing.directives import LONGEST
from tunepass.frontends.cfamily.preprocessing.parametric import DEFINING, defined_inside, defined_name
from tunepass.frontends.cfamily.preprocessing.preprocess import Preprocessed
from tunepass.frontends.cfamily.text.raw import Directive
from tunepass.frontends.cfamily.text.tokens import tokens


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


def macro_uses(names: Iterable[str], files: Iterable[Annotated]) -> dict[str, MacroUses]:
    """The uses of each name, in one pass over the files."""
    collected = {name: _Collected() for name in names}
    for file in files:
        around_definitions = _around_definitions(file)
        for directive in file.directives:
            line = _line(file.source, directive)
            defined = defined_name(directive) if directive.kind in DEFINING else ""
            if defined in collected:
                collected[defined].changed.append(line)
            for name, (asks, uses) in _mentions(directive).items():
                if name not in collected:
                    continue
                if asks and id(directive) not in around_definitions.get(name, ()):
                    collected[name].existence_tests.append(line)
                if uses:
                    collected[name].valued.append(line)
        for token in file.code:
            if token.kind == "name" and token.text in collected:
                collected[token.text].valued.append(file.source.span(token.start, token.end))
    return {name: each.uses for name, each in collected.items()}


@dataclass(slots=True)
class _Collected:
    existence_tests: list[Span] = field(default_factory=list)
    valued: list[Span] = field(default_factory=list)
    changed: list[Span] = field(default_factory=list)

    @property
    def uses(self) -> MacroUses:
        return MacroUses(tuple(self.existence_tests), tuple(self.valued), tuple(self.changed))


def _around_definitions(file: Annotated) -> dict[str, set[int]]:
    """By macro, the directives of chains that define it inside, or take it away."""
    around: dict[str, set[int]] = {}
    listed = chains(file.directives)
    for chain, inside in zip(listed, defined_inside(listed, file.directives)):
        for name in inside:
            around.setdefault(name, set()).update(id(directive) for directive in chain.directives)
    return around


def _mentions(directive: Directive) -> dict[str, tuple[bool, bool]]:
    """By name: (it asks if the macro is defined, it uses the macro's value)."""
    if directive.kind == CLOSING:
        return {}
    body = condition_of(directive) if directive.kind in CONDITIONS else directive.body
    words = list(tokens(body))
    if directive.kind in DEFINING:
        words = words[1:]
    mentions: dict[str, tuple[bool, bool]] = {}
    for at, word in enumerate(words):
        if word.kind == "name":
            before = [each.text for each in words[max(0, at - 2) : at]]
            is_test = before[-1:] == ["defined"] or before == ["defined", "("]
            asks, uses = mentions.get(word.text, (False, False))
            mentions[word.text] = (asks or is_test, uses or not is_test)
    return mentions


def _line(source: Source, directive: Directive) -> Span:
    first = source.text[directive.start : directive.end].split("\n", 1)[0]
    return source.span(directive.start, directive.start + len(first.rstrip()))
