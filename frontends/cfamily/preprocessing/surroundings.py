"""What stands around the `#if`s of a text: brackets, functions, and the code of their branches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tunepass.frontends.cfamily.preprocessing.chains import Chain, chains
from tunepass.frontends.cfamily.text.raw import RawText
from tunepass.frontends.cfamily.text.tokens import Token

AT_FILE_SCOPE = -1


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands before a place: the last token, the brackets around it, where the function around it opens."""

    last: Token | None = None
    brackets: tuple[str, ...] = ()
    function: int = AT_FILE_SCOPE

    @property
    def between_statements(self) -> bool:
        return (
            self.last is not None
            and self.last.at(";", "{", "}")
            and self.brackets[-1:] != ("(",)
            and ("function" in self.brackets)
        )


@dataclass(frozen=True, eq=False)
class FileCode:
    """The code of a file by the branches of its `#if`s."""

    raw: RawText

    @cached_property
    def _tokens(self) -> list[Token]:
        return code_of(self.raw)

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self._tokens]

    @cached_property
    def _before(self) -> Mapping[int, Surroundings]:
        return dict(surroundings(self.raw))

    def before(self, chain: Chain) -> Surroundings:
        return self._before[chain.start]

    def branches(self, chain: Chain) -> tuple[tuple[Token, ...], ...]:
        """The code of each; what is inside another `#if` is part of that too."""
        ends = ((bisect_left(self._starts, head.end), bisect_left(self._starts, end)) for head, end in chain.branches())
        return tuple(tuple(self._tokens[first:last]) for first, last in ends)


def function_scopes(raw: RawText) -> list[tuple[int, int]]:
    """(place, where the body of the function around what follows opens, or AT_FILE_SCOPE), in the order of the text."""
    scopes: list[tuple[int, int]] = []
    for start, here in surroundings(raw):
        if here.function != (scopes[-1][1] if scopes else AT_FILE_SCOPE):
            scopes.append((start, here.function))
    return scopes


def code_of(raw: RawText) -> list[Token]:
    return [token for section in raw.sections if section.outer is None for token in section.tokens]


def surroundings(raw: RawText) -> Iterator[tuple[int, Surroundings]]:
    """By their places: what stands before each `#if`, at which its other branches begin too, and after the braces
    that open and close functions."""
    opening = {head.start: chain.start for chain in chains(raw.directives) for head in chain.heads}
    at_opening: dict[int, Surroundings] = {}
    last: Token | None = None
    brackets: tuple[str, ...] = ()
    function = AT_FILE_SCOPE
    parts: list[tuple[int, Token | None]] = [(token.start, token) for token in code_of(raw)]
    parts += [(start, None) for start in opening]
    for start, token in sorted(parts, key=lambda part: part[0]):
        if token is None:
            here = at_opening.setdefault(opening[start], Surroundings(last, brackets, function))
            last, brackets, function = here.last, here.brackets, here.function
            yield start, here
        elif token.at("(", ")", "{", "}"):
            brackets = _entered(brackets, token, last)
            if ("function" in brackets) != (function != AT_FILE_SCOPE):
                function = start if function == AT_FILE_SCOPE else AT_FILE_SCOPE
                yield start, Surroundings(token, brackets, function)
        last = token or last


def _entered(brackets: tuple[str, ...], token: Token, last: Token | None) -> tuple[str, ...]:
    """Follows brackets; the braces of a function are told from others by the `)` before them."""
    if token.at("("):
        return (*brackets, "(")
    if token.at("{"):
        return (*brackets, "function" if last is not None and last.at(")", "const", "noexcept") else "{")
    return brackets[:-1]
