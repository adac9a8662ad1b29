"""Branches of `#if` over parameters inside functions, kept side by side.

The directives of such an `#if` become pragmas whose words are `if CONDITION`, `elif CONDITION`, `else` and `endif`, so
that all its branches are read and each stands between two of them. Other directives stay the compiler's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tunepass.frontends.cfamily.preprocessing.chains import Chain, chains
from tunepass.frontends.cfamily.preprocessing.surroundings import FileCode
from tunepass.frontends.cfamily.text.raw import Directive, RawText, Section
from tunepass.frontends.cfamily.text.tokens import Token, tokens

WORD = re.compile(r"[A-Za-z_]\w*")
GUARD = frozenset({"if", "elif", "else", "endif"})
HARMLESS = GUARD | {"ifdef", "ifndef", "pragma"}  # what a branch may have besides code
ONLY_IN_PREPROCESSOR = re.compile(r"\bdefined\b|\b__has_\w+")


def guarded(raw: RawText, symbols: frozenset[str]) -> RawText:
    """`raw` with directives as pragmas: those of `#if`s that read `symbols` and have whole statements as branches."""
    reading = _reading(raw, symbols)
    code = FileCode(raw)
    guards = [chain for chain in chains(raw.directives) if _reads(chain, reading) and _is_guard(chain, code)]
    chosen = [directive for chain in guards for directive in chain.directives]
    if not chosen:
        return raw
    sections = [*raw.sections, *(_section(raw.text, d) for d in chosen)]
    sections.sort(key=lambda s: s.outer[0] if s.outer else s.tokens[0].start)
    left = tuple(d for d in raw.directives if d not in chosen)
    return replace(raw, sections=tuple(sections), directives=left)


def _section(text: str, directive: Directive) -> Section:
    return Section(tuple(tokens(text, directive.kind_start, directive.end)), (directive.start, directive.end))


def _reading(raw: RawText, symbols: frozenset[str]) -> frozenset[str]:
    """The symbols and the macros whose texts have one."""
    found = set(symbols)
    bodies = [WORD.findall(d.body) for d in raw.directives if d.kind == "define"]
    while more := {words[0] for words in bodies if words and words[0] not in found and found & set(words[1:])}:
        found |= more
    return frozenset(found)


def _is_guard(chain: Chain, code: FileCode) -> bool:
    return (
        all(d.kind in GUARD for d in chain.directives)
        and not any(ONLY_IN_PREPROCESSOR.search(text) for text in chain.conditions)
        and code.before(chain).between_statements
        and all(_is_whole(branch) for branch in code.branches(chain))
        and _is_harmless(code.raw, chain)
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
