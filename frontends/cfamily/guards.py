"""Branches of `#if` over parameters inside functions, kept side by side.

The directives of such an `#if` become pragmas whose words are `if CONDITION`, `elif CONDITION`, `else` and `endif`, so
that all its branches are read and each stands between two of them. Other directives stay the compiler's.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.frontends.cfamily.chains import Chain, chains
from tunepass.frontends.cfamily.raw import Directive, RawText, Section
from tunepass.frontends.cfamily.tokens import Token, tokens

WORD = re.compile(r"[A-Za-z_]\w*")
GUARD = frozenset({"if", "elif", "else", "endif"})
HARMLESS = GUARD | {"ifdef", "ifndef", "pragma"}  # what a branch may have besides code
ONLY_IN_PREPROCESSOR = re.compile(r"\bdefined\b|\b__has_\w+")


AT_FILE_SCOPE = -1


@dataclass(frozen=True, slots=True)
class _Surroundings:
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


@dataclass(frozen=True, slots=True)
class _Placed:
    """A chain with what stands before it and the code of its branches; what is inside another is part of that too."""

    chain: Chain
    before: _Surroundings
    branches: tuple[tuple[Token, ...], ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """An `#if` that reads parameters, with the conditions and the code of its branches; `#ifdef X` is `defined(X)`.

    `around` is the place in the list of the alternative that it stands in, and in which branch. `function` is where the
    body of the function around it opens, or AT_FILE_SCOPE.
    """

    directives: tuple[Directive, ...]
    conditions: tuple[str, ...]
    branches: tuple[tuple[Token, ...], ...]
    around: tuple[int, int] | None
    function: int

    @property
    def end(self) -> int:
        return self.directives[-1].end


def guarded(raw: RawText, symbols: frozenset[str]) -> RawText:
    """`raw` with directives as pragmas: those of `#if`s that read `symbols` and have whole statements as branches."""
    reading = _reading(raw, symbols)
    chosen = [d for placed in _placed(raw, reading) if _is_guard(raw, placed, reading) for d in placed.chain.directives]
    if not chosen:
        return raw
    sections = [*raw.sections, *(_section(raw.text, d) for d in chosen)]
    sections.sort(key=lambda s: s.outer[0] if s.outer else s.tokens[0].start)
    left = tuple(d for d in raw.directives if d not in chosen)
    return replace(raw, sections=tuple(sections), directives=left)


def alternatives(raw: RawText, symbols: frozenset[str]) -> list[Alternative]:
    """The `#if`s that read `symbols`, in the order of the text; those that `guarded` turned into pragmas are none."""
    reading = _reading(raw, symbols)
    placed = _placed(raw, reading)
    places: dict[int, int] = {}  # of those that read, by their place among all
    found: list[Alternative] = []
    for number, one in enumerate(placed):
        if _reads(one.chain, reading):
            places[number] = len(found)
            around = _around(placed, number, places)
            found.append(
                Alternative(one.chain.directives, one.chain.conditions, one.branches, around, one.before.function)
            )
    return found


def function_scopes(raw: RawText) -> list[tuple[int, int]]:
    """(place, where the body of the function around what follows opens, or AT_FILE_SCOPE), in the order of the text."""
    scopes: list[tuple[int, int]] = []
    for start, surroundings in _followed(raw):
        if surroundings.function != (scopes[-1][1] if scopes else AT_FILE_SCOPE):
            scopes.append((start, surroundings.function))
    return scopes


def _around(placed: Sequence[_Placed], number: int, places: Mapping[int, int]) -> tuple[int, int] | None:
    around = placed[number].chain.around
    while around is not None and around[0] not in places:
        around = placed[around[0]].chain.around
    return None if around is None else (places[around[0]], around[1])


def _section(text: str, directive: Directive) -> Section:
    start = text.index(directive.kind, directive.start)
    return Section(tuple(tokens(text, start, directive.end)), (directive.start, directive.end))


def _reading(raw: RawText, symbols: frozenset[str]) -> frozenset[str]:
    """The symbols and the macros whose texts have one."""
    found = set(symbols)
    bodies = [WORD.findall(d.body) for d in raw.directives if d.kind == "define"]
    while more := {words[0] for words in bodies if words and words[0] not in found and found & set(words[1:])}:
        found |= more
    return frozenset(found)


def _placed(raw: RawText, reading: frozenset[str]) -> list[_Placed]:
    """Every `#if`; none where no condition has one of the names."""
    listed = chains(raw.directives)
    if not any(_reads(chain, reading) for chain in listed):
        return []
    before = dict(_followed(raw))
    code = _code(raw)
    starts = [token.start for token in code]
    return [
        _Placed(
            chain,
            before[chain.start],
            tuple(
                tuple(code[bisect_left(starts, head.end) : bisect_left(starts, end)]) for head, end in chain.branches()
            ),
        )
        for chain in listed
    ]


def _code(raw: RawText) -> list[Token]:
    return [token for section in raw.sections if section.outer is None for token in section.tokens]


def _followed(raw: RawText) -> Iterator[tuple[int, _Surroundings]]:
    """By their places: what stands before each `#if`, at which its other branches begin too, and after the braces
    that open and close functions."""
    opening = {head.start: chain.start for chain in chains(raw.directives) for head in chain.heads}
    at_opening: dict[int, _Surroundings] = {}
    last: Token | None = None
    brackets: tuple[str, ...] = ()
    function = AT_FILE_SCOPE
    parts: list[tuple[int, Token | None]] = [(token.start, token) for token in _code(raw)]
    parts += [(start, None) for start in opening]
    for start, token in sorted(parts, key=lambda part: part[0]):
        if token is None:
            here = at_opening.setdefault(opening[start], _Surroundings(last, brackets, function))
            last, brackets, function = here.last, here.brackets, here.function
            yield start, here
        elif token.at("(", ")", "{", "}"):
            brackets = _entered(brackets, token, last)
            if ("function" in brackets) != (function != AT_FILE_SCOPE):
                function = start if function == AT_FILE_SCOPE else AT_FILE_SCOPE
                yield start, _Surroundings(token, brackets, function)
        last = token or last


def _entered(brackets: tuple[str, ...], token: Token, last: Token | None) -> tuple[str, ...]:
    """Follows brackets; the braces of a function are told from others by the `)` before them."""
    if token.at("("):
        return (*brackets, "(")
    if token.at("{"):
        return (*brackets, "function" if last is not None and last.at(")", "const", "noexcept") else "{")
    return brackets[:-1]


def _is_guard(raw: RawText, placed: _Placed, reading: frozenset[str]) -> bool:
    chain = placed.chain
    return (
        chain.closed
        and placed.before.between_statements
        and all(d.kind in GUARD for d in chain.directives)
        and _reads(chain, reading)
        and not any(ONLY_IN_PREPROCESSOR.search(text) for text in chain.conditions)
        and all(_is_whole(branch) for branch in placed.branches)
        and _is_harmless(raw, chain)
    )


def _is_harmless(raw: RawText, chain: Chain) -> bool:
    pragmas = {s.outer for s in raw.sections if s.outer is not None}
    inside = (d for d in raw.directives if chain.start <= d.start < chain.directives[-1].start)
    return all(d.kind in HARMLESS or (d.start, d.end) in pragmas for d in inside)


def _reads(chain: Chain, reading: frozenset[str]) -> bool:
    return chain.closed and any(reading & set(WORD.findall(condition)) for condition in chain.conditions)


def _is_whole(branch: Sequence[Token]) -> bool:
    """Is it no statement's part?"""
    if not branch:
        return True
    depth = 0
    for token in branch:
        depth += token.at("(", "{", "[") - token.at(")", "}", "]")
        if depth < 0:
            return False
    return depth == 0 and branch[-1].at(";", "}") and not branch[0].at("else", ")", ",")
