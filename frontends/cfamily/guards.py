"""Branches of `#if` over parameters inside functions, kept side by side.

The directives of such an `#if` become pragmas whose words are `if CONDITION`, `elif CONDITION`, `else` and `endif`, so
that all its branches are read and each stands between two of them. Other directives stay the compiler's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tunepass.frontends.cfamily.raw import Directive, RawText, Section
from tunepass.frontends.cfamily.tokens import Token, tokens

WORD = re.compile(r"[A-Za-z_]\w*")
OPENING = frozenset({"if", "ifdef", "ifndef"})
FURTHER = frozenset({"elif", "elifdef", "elifndef", "else"})
CHAIN = frozenset({"if", "elif", "else", "endif"})
HARMLESS = CHAIN | {"ifdef", "ifndef", "pragma"}  # what a branch may have besides code
ONLY_IN_PREPROCESSOR = re.compile(r"\bdefined\b|\b__has_\w+")


AT_FILE_SCOPE = -1


@dataclass(slots=True)
class _Chain:
    """An `#if` with its other directives. `outside`: the token before it, the brackets around it."""

    directives: list[Directive]
    outside: Token | None
    brackets: tuple[str, ...]
    possible: bool  # it stands between statements of a function
    function: int  # where the function around it opens
    around: tuple[_Chain, int] | None  # the `#if` around it, and in which branch of that it stands
    branches: list[list[Token]] = field(default_factory=lambda: [[]])


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
    chosen = [d for chain in _chains(raw) if _is_guard(chain, reading) for d in chain.directives] if reading else []
    if not chosen:
        return raw
    sections = [*raw.sections, *(_section(raw.text, d) for d in chosen)]
    sections.sort(key=lambda s: s.outer[0] if s.outer else s.tokens[0].start)
    left = tuple(d for d in raw.directives if d not in chosen)
    return replace(raw, sections=tuple(sections), directives=left)


def alternatives(raw: RawText, symbols: frozenset[str]) -> list[Alternative]:
    """The `#if`s that read `symbols`, in the order of the text; those that `guarded` turned into pragmas are none."""
    reading = _reading(raw, symbols)
    if not any(reading & set(WORD.findall(d.body)) for d in raw.directives if d.kind in OPENING | FURTHER):
        return []
    chains = sorted((c for c in _chains(raw) if _reads(c, reading)), key=lambda c: c.directives[0].start)
    places = {id(chain): place for place, chain in enumerate(chains)}
    return [
        Alternative(
            directives=tuple(chain.directives),
            conditions=_conditions(chain),
            branches=tuple(map(tuple, chain.branches)),
            around=_around(chain, places),
            function=chain.function,
        )
        for chain in chains
    ]


def function_scopes(raw: RawText) -> list[tuple[int, int]]:
    """(place, where the body of the function around what follows opens, or AT_FILE_SCOPE), in the order of the text."""
    return _structure(raw)[1]


def _conditions(chain: _Chain) -> tuple[str, ...]:
    def text(directive: Directive) -> str:
        if directive.kind.endswith("def"):
            name = directive.body.split()[0] if directive.body else "0"
            return f"{'!' if directive.kind.endswith('ndef') else ''}defined({name})"
        return directive.body

    return tuple(text(d) for d in chain.directives if d.kind not in ("else", "endif"))


def _around(chain: _Chain, places: Mapping[int, int]) -> tuple[int, int] | None:
    around = chain.around
    while around is not None and id(around[0]) not in places:
        around = around[0].around
    return None if around is None else (places[id(around[0])], around[1])


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


def _chains(raw: RawText) -> list[_Chain]:
    """Every `#if` that is closed, with its branches' tokens; those inside another are also part of its branch."""
    return _structure(raw)[0]


def _structure(raw: RawText) -> tuple[list[_Chain], list[tuple[int, int]]]:
    opened: list[_Chain] = []
    closed: list[_Chain] = []
    brackets: list[str] = []
    scopes: list[tuple[int, int]] = []
    last: Token | None = None
    function = AT_FILE_SCOPE
    pragmas = {s.outer for s in raw.sections if s.outer is not None}
    parts: list[tuple[int, Directive | Section]] = [(d.start, d) for d in raw.directives]
    parts += [(s.tokens[0].start, s) for s in raw.sections if s.outer is None]
    for _, part in sorted(parts, key=lambda p: p[0]):
        if isinstance(part, Section):
            for token in part.tokens:
                _enter(brackets, token, last)
                last = token
                function = _follow(scopes, function, brackets, token)
            for chain in opened:
                chain.branches[-1] += part.tokens
        elif part.kind in OPENING:
            between = last is not None and last.at(";", "{", "}") and brackets[-1:] != ["("]
            possible = between and "function" in brackets and part.kind == "if"
            around = (opened[-1], len(opened[-1].branches) - 1) if opened else None
            opened.append(_Chain([part], last, tuple(brackets), possible, function, around))
        elif part.kind in (*FURTHER, "endif") and opened:
            _continue(opened, closed, part)
            if part.kind != "endif":
                brackets, last = list(opened[-1].brackets), opened[-1].outside
                function = opened[-1].function
                scopes.append((part.start, function))
        elif part.kind not in HARMLESS and (part.start, part.end) not in pragmas:
            for chain in opened:
                chain.possible = False
    return closed, scopes


def _follow(scopes: list[tuple[int, int]], function: int, brackets: Sequence[str], token: Token) -> int:
    """The function around what follows the token."""
    inside = "function" in brackets
    if inside == (function != AT_FILE_SCOPE):
        return function
    scopes.append((token.start, token.start if inside else AT_FILE_SCOPE))
    return scopes[-1][1]


def _continue(opened: list[_Chain], closed: list[_Chain], directive: Directive) -> None:
    chain = opened[-1]
    chain.directives.append(directive)
    if directive.kind == "endif":
        closed.append(opened.pop())
    else:
        chain.branches.append([])


def _enter(brackets: list[str], token: Token, before: Token | None) -> None:
    """Follows brackets; the braces of a function are told from others by the `)` before them."""
    if token.at("("):
        brackets.append("(")
    elif token.at("{"):
        brackets.append("function" if before is not None and before.at(")", "const", "noexcept") else "{")
    elif token.at(")", "}") and brackets:
        brackets.pop()


def _is_guard(chain: _Chain, reading: frozenset[str]) -> bool:
    conditions = [d.body for d in chain.directives if d.kind in ("if", "elif")]
    return (
        chain.possible
        and all(d.kind in CHAIN for d in chain.directives)
        and _reads(chain, reading)
        and not any(ONLY_IN_PREPROCESSOR.search(body) for body in conditions)
        and all(_is_whole(branch) for branch in chain.branches)
    )


def _reads(chain: _Chain, reading: frozenset[str]) -> bool:
    return any(reading & set(WORD.findall(condition)) for condition in _conditions(chain))


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
