"""Branches of `#if` over parameters inside functions, kept side by side.

The directives of such an `#if` become pragmas whose words are `if CONDITION`, `elif CONDITION`, `else` and `endif`, so
that all its branches are read and each stands between two of them. Other directives stay the compiler's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tunepass.frontends.cfamily.raw import Directive, RawText, Section
from tunepass.frontends.cfamily.tokens import Token, tokens

WORD = re.compile(r"[A-Za-z_]\w*")
CHAIN = frozenset({"if", "elif", "else", "endif"})
HARMLESS = CHAIN | {"ifdef", "ifndef", "pragma"}  # what a branch may have besides code
ONLY_IN_PREPROCESSOR = re.compile(r"\bdefined\b|\b__has_\w+")


@dataclass(slots=True)
class _Chain:
    """An `#if` with its other directives. `outside`: the token before it, the brackets around it."""

    directives: list[Directive]
    outside: Token | None
    brackets: tuple[str, ...]
    possible: bool  # it stands between statements of a function
    branches: list[list[Token]] = field(default_factory=lambda: [[]])


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


def alternatives(raw: RawText, symbols: frozenset[str]) -> list[tuple[str, ...]]:
    """The conditions of the other `#if`s that read `symbols`, one tuple for each; those of `guarded` are none."""
    reading = _reading(raw, symbols)
    chains = (c for c in _chains(raw) if not _is_guard(c, reading) and _reads(c, reading))
    listed = (tuple(d.body for d in c.directives if d.kind in ("if", "elif")) for c in chains)
    return [bodies for bodies in listed if not any(ONLY_IN_PREPROCESSOR.search(body) for body in bodies)]


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
    opened: list[_Chain] = []
    closed: list[_Chain] = []
    brackets: list[str] = []
    last: Token | None = None
    pragmas = {s.outer for s in raw.sections if s.outer is not None}
    parts: list[tuple[int, Directive | Section]] = [(d.start, d) for d in raw.directives]
    parts += [(s.tokens[0].start, s) for s in raw.sections if s.outer is None]
    for _, part in sorted(parts, key=lambda p: p[0]):
        if isinstance(part, Section):
            for token in part.tokens:
                _enter(brackets, token, last)
                last = token
            for chain in opened:
                chain.branches[-1] += part.tokens
        elif part.kind in ("if", "ifdef", "ifndef"):
            between = last is not None and last.at(";", "{", "}") and brackets[-1:] != ["("]
            possible = between and "function" in brackets and part.kind == "if"
            opened.append(_Chain([part], last, tuple(brackets), possible))
        elif part.kind in ("elif", "else", "endif") and opened:
            _continue(opened, closed, part)
            if part.kind != "endif":
                brackets = list(opened[-1].brackets)
                last = opened[-1].outside
        elif part.kind not in HARMLESS and (part.start, part.end) not in pragmas:
            for chain in opened:
                chain.possible = False
    return closed


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
        and _reads(chain, reading)
        and not any(ONLY_IN_PREPROCESSOR.search(body) for body in conditions)
        and all(_is_whole(branch) for branch in chain.branches)
    )


def _reads(chain: _Chain, reading: frozenset[str]) -> bool:
    return any(reading & set(WORD.findall(d.body)) for d in chain.directives if d.kind in ("if", "elif"))


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
