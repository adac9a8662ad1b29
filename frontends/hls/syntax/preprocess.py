"""An HLS source as its compiler sees it: preprocessed, its pragmas in their places among the tokens.

A pragma becomes the tokens `#pragma`, those of its text with macros expanded, and `#end`. Names that parameters set
stay names. Qualified names and templates' arguments become one token each: `hls::stream<int>`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from tunepass.frontends.c.scops.macro_expansion import Expander
from tunepass.frontends.c.scops.preprocessing import Headers, Preprocessor, Unit
from tunepass.frontends.c.scops.tokens import Token, tokens
from tunepass.frontends.c.syntax.lexical import Directive, Scan

PRAGMA, END = "#pragma", "#end"
FAMILIES = frozenset({"ACCEL", "HLS", "AP", "UNROLL", "IVDEP", "II", "LOOP_COALESCE", "MAX_CONCURRENCY"})
"""The first words, in capitals, of pragmas that are read; others change nothing."""
TEMPLATES = frozenset(
    {"ap_int", "ap_uint", "ap_fixed", "ap_ufixed", "ac_int", "ac_fixed", "ap_axis", "ap_axiu", "stream", "vector"}
    | {"array", "complex", "pair", "tuple", "numeric_limits", "stream_of_blocks", "pipe", "burst_maxi", "istream"}
    | {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "min", "max", "qdma_axis", "ostream", "print"}
)
LONGEST = 400  # tokens of a template's arguments


class HlsPreprocessor(Preprocessor):
    """Keeps the pragmas that synthesis reads. `pragmas` counts them."""

    def _other(self, scanned: Scan, directive: Directive) -> None:
        if directive.kind != "pragma":
            return
        start = directive.text.find("pragma") + len("pragma")
        words = [
            replace(t, start=t.start + directive.start, end=t.end + directive.start)
            for t in tokens(directive.text, start)
            if t.text != "\\"
        ]
        if not words or words[0].text.upper() not in FAMILIES:
            return
        first = Token("op", PRAGMA, directive.start + directive.text.find("#"), words[0].start)
        kept = [words[0], *Expander(self.unit.macros, self.fixed).expand(words[1:])]
        last = Token("op", END, words[-1].end, words[-1].end)
        self.unit.tokens += [first, *kept, last]


def preprocess(scanned: Scan, headers: Headers, fixed: frozenset[str]) -> Unit:
    """The tokens folded."""
    unit = HlsPreprocessor(scanned, headers, fixed, ()).run()
    declared = declared_templates(unit.tokens)
    unit.tokens = list(fold(list(split(unit.tokens, declared)), declared))
    return unit


def declared_templates(code: Sequence[Token]) -> frozenset[str]:
    """The names of functions and classes after `template <...>`."""
    found: set[str] = set()
    for at, token in enumerate(code):
        if not (token.at("template") and at + 1 < len(code) and code[at + 1].at("<")):
            continue
        end = closing_angle(code, at + 1)
        for following in range(end + 1, min(end + LONGEST, len(code) - 1)):
            if code[following].kind == "name" and code[following + 1].at("(", "{", ":", ";"):
                found.add(code[following].text)
                break
            if code[following].at(";", "{", "}"):
                break
    return frozenset(found)


def closing_angle(code: Sequence[Token], opening: int) -> int:
    """Where the `<` there closes; -1 where it does not as a template's would."""
    depth = brackets = 0
    for at in range(opening, min(opening + LONGEST, len(code))):
        token = code[at]
        if token.kind != "op":
            continue
        brackets += token.at("(", "[") - token.at(")", "]")
        if brackets < 0 or token.at(";", "{", "}", "&&", "||", PRAGMA):
            return -1
        if brackets == 0:
            depth += token.at("<") - token.at(">") - 2 * token.at(">>")
            if depth <= 0:
                return at
    return -1


def is_template(name: str, declared: Collection[str]) -> bool:
    last = name.rpartition("::")[2]
    return last in TEMPLATES or last in declared or name.startswith(("std::", "hls::"))


def split(code: Sequence[Token], declared: Collection[str]) -> Iterator[Token]:
    """The tokens with each `>>` that closes two templates as two."""
    ends: set[int] = set()
    for at, token in enumerate(code):
        if not (token.at("<") and at and code[at - 1].kind == "name"):
            continue
        if is_template(code[at - 1].text, declared) or (at > 1 and code[at - 2].at(".", "->") and _called(code, at)):
            end = closing_angle(code, at)
            if end >= 0:
                ends |= {inside for inside in range(at, end + 1) if code[inside].at(">>")}
    for at, token in enumerate(code):
        if at in ends:
            yield replace(token, text=">")
            yield replace(token, text=">")
        else:
            yield token


def _called(code: Sequence[Token], opening: int) -> bool:
    """Whether `<...>` is followed by a call, as of a method's template."""
    end = closing_angle(code, opening)
    return (
        0 <= end < len(code) - 1
        and code[end + 1].at("(")
        and not any(t.at("(", "+", "-", "<=") for t in code[opening:end])
    )


def fold(code: Sequence[Token], declared: Collection[str]) -> Iterator[Token]:
    """`a::b` and `name<...>` of templates as one name."""
    at = 0
    while at < len(code):
        token = code[at]
        if token.kind == "name" and not token.at("template", "operator"):
            token, at = _folded(code, at, declared)
            yield token
        else:
            global_name = token.at(":") and at + 2 < len(code) and code[at + 1].at(":") and code[at + 2].kind == "name"
            if global_name and not (at and code[at - 1].kind in ("name", "number")):
                at += 2
                continue
            yield token
            at += 1


def _folded(code: Sequence[Token], at: int, declared: Collection[str]) -> tuple[Token, int]:
    """The name that begins there with all that belongs to it, and what follows."""
    first, name, at = at, code[at], at + 1
    while at < len(code):
        method = first > 0 and code[first - 1].at(".", "->", "template")
        if code[at].at("<") and (is_template(name.text, declared) or (method and _called(code, at))):
            end = closing_angle(code, at)
            if end < 0:
                break
            inside = " ".join(t.text for t in fold(code[at + 1 : end], declared))
            name = replace(name, text=f"{name.text}<{inside}>", end=max(name.end, code[end].end))
            at = end + 1
        elif at + 2 < len(code) and code[at].at(":") and code[at + 1].at(":") and code[at + 2].kind == "name":
            name = replace(name, text=f"{name.text}::{code[at + 2].text}", end=max(name.end, code[at + 2].end))
            at += 3
        else:
            break
    return name, at
