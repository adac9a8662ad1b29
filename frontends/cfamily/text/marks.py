"""Marks: identifiers put into a text before `cc -E`, which say afterwards where each token came from.

A section begins with a mark, so that its presence in the output says that it is active; a pragma's words stand between
two marks, as does every use of a macro. A name in a macro's arguments carries the number of its token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.frontends.cfamily.text.raw import RawText
from tunepass.frontends.cfamily.text.tokens import Token

PREFIX = "tunepass_mark_"
SECTION, PRAGMA, END, OPEN, CLOSE = (f"{PREFIX}{kind}_" for kind in "spqbe")
HIDDEN = f"{PREFIX}d_"  # a definition of a symbol, which is left out
ARGUMENT = re.compile(rf"{PREFIX}n(\d+)_")
BUILT_IN = frozenset({"__LINE__", "__FILE__", "__DATE__", "__TIME__", "__TIMESTAMP__", "__COUNTER__", "__BASE_FILE__",
                      "__INCLUDE_LEVEL__", "__has_include", "__has_attribute", "__has_builtin"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class MacroText:
    """A `#define` that the compiler reported. `parameters` is None of one that takes no arguments."""

    name: str
    parameters: tuple[str, ...] | None
    body: str


@dataclass(frozen=True, slots=True)
class MacroUse:
    """An outermost use of a macro: the active tokens [first, last]."""

    name: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ActiveTokens:
    """The tokens of the active sections in the order of the text; section `number` has [starts[number], ...)."""

    tokens: tuple[Token, ...]
    starts: Mapping[int, int]

    @classmethod
    def of(cls, raw: RawText, active: frozenset[int] | None = None) -> ActiveTokens:
        """`active`: the numbers of the sections that count; None: all."""
        tokens: list[Token] = []
        starts: dict[int, int] = {}
        for number, section in enumerate(raw.sections):
            if active is None or number in active:
                starts[number] = len(tokens)
                tokens += section.tokens
        return cls(tuple(tokens), starts)


def uses_of(active: ActiveTokens, macros: Mapping[str, Sequence[MacroText]], symbols: frozenset[str]) -> list[MacroUse]:
    """The outermost uses of macros. A macro that takes arguments is used only where `(` follows."""
    uses: list[MacroUse] = []
    at, tokens = 0, active.tokens
    while at < len(tokens):
        token = tokens[at]
        known = macros.get(token.text, ()) if token.kind == "name" and token.text not in symbols else ()
        if not known and token.text not in BUILT_IN:
            at += 1
            continue
        last = at
        called = token.text.startswith("__has_") or any(m.parameters is not None for m in known)
        if at + 1 < len(tokens) and tokens[at + 1].at("(") and (called or _ends_in_call(known, macros)):
            last = closing(tokens, at + 1)
        elif called and all(m.parameters is not None for m in known):
            at += 1
            continue
        uses.append(MacroUse(token.text, at, last))
        at = last + 1
    return uses


def _ends_in_call(known: Sequence[MacroText], macros: Mapping[str, Sequence[MacroText]], depth: int = 8) -> bool:
    """Whether the bracket after the use may belong to what it becomes: `#define CALL F`, `F` with arguments."""
    words = [found for macro in known if (found := re.findall(r"\w+$", macro.body))]
    inner = [macros.get(word[0], ()) for word in words]
    if any(m.parameters is not None for several in inner for m in several):
        return True
    return depth > 0 and any(_ends_in_call(several, macros, depth - 1) for several in inner if several)


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The index of the bracket that closes the one at `opening`; the last index where none does."""
    depth = 0
    for at in range(opening, len(tokens)):
        depth += tokens[at].at("(") - tokens[at].at(")")
        if depth == 0:
            return at
    return len(tokens) - 1


@dataclass(frozen=True, slots=True)
class MarkedText:
    """Writes the text for the compiler, line by line as it was."""

    raw: RawText
    symbols: frozenset[str]

    def sections_marked(self) -> str:
        """Sections and pragmas marked, macros untouched."""
        return self._written(self._section_marks({}))

    def uses_marked(self, active: ActiveTokens, uses: Sequence[MacroUse], renamed: frozenset[str]) -> str:
        """Uses too; names in their arguments that are no macros (`renamed`) are numbered."""
        inside = {n for use in uses for n in range(use.first + 1, use.last + 1)}
        inserted: dict[int, list[tuple[int, str]]] = {}
        for number, use in enumerate(uses):
            first, last = active.tokens[use.first], active.tokens[use.last]
            inserted.setdefault(first.start, []).append((1, f" {OPEN}{number}_ "))
            inserted.setdefault(last.end, []).append((0, f" {CLOSE}{number}_ "))
            for n in range(use.first + 1, use.last):
                token = active.tokens[n]
                if token.kind == "name" and token.text in renamed:
                    inserted.setdefault(token.end, []).append((0, f"{PREFIX}n{n}_"))
        covered = {number for number, start in active.starts.items() if start in inside}
        return self._written(self._section_marks(inserted, covered))

    def _section_marks(
        self, inserted: dict[int, list[tuple[int, str]]], covered: set[int] | frozenset[int] = frozenset()
    ) -> dict[int, list[tuple[int, str]]]:
        for number, section in enumerate(self.raw.sections):
            if section.outer is None and number not in covered:
                inserted.setdefault(section.tokens[0].start, []).insert(0, (0, f" {SECTION}{number}_ "))
        return inserted

    def _written(self, inserted: Mapping[int, Sequence[tuple[int, str]]]) -> str:
        """The text with insertions, pragmas between marks, and without directives that would hide symbols or lines."""
        pieces: list[str] = []
        position = 0
        replaced = sorted([*self._pragmas(inserted), *self._dropped()])
        spots = sorted(inserted)
        at = 0
        for start, end, text in [*replaced, (len(self.raw.text), len(self.raw.text), "")]:
            while at < len(spots) and spots[at] <= start:
                pieces += [self.raw.text[position : spots[at]], *(t for _, t in sorted(inserted[spots[at]]))]
                position = spots[at]
                at += 1
            while at < len(spots) and spots[at] < end:
                at += 1
            pieces += [self.raw.text[position:start], text]
            position = end
        return "".join(pieces)

    def _pragmas(self, inserted: Mapping[int, Sequence[tuple[int, str]]]) -> list[tuple[int, int, str]]:
        replaced = []
        for number, section in enumerate(self.raw.sections):
            if section.outer is None:
                continue
            start, end = section.outer
            placed = not self.raw.text.startswith("_Pragma", start)  # else all words have the operator's place
            words = [
                "".join([*(t for k, t in sorted(inserted.get(w.start, ())) if k), w.text,
                         *(t for k, t in sorted(inserted.get(w.end, ())) if not k)])
                if placed else w.text
                for w in section.tokens
            ]  # fmt: skip
            lines = "\n" * self.raw.text.count("\n", start, end)
            replaced.append((start, end, f" {PRAGMA}{number}_ {' '.join(words)} {END}{number}_ {lines}"))
        return replaced

    def _dropped(self) -> list[tuple[int, int, str]]:
        replaced = []
        for directive in self.raw.directives:
            name = (re.match(r"[\w$]*", directive.body) or re.match("", "")).group()  # type: ignore[union-attr]
            hides = directive.kind in ("define", "undef") and name in self.symbols
            if hides or directive.kind == "line" or directive.kind.isdecimal():
                lines = "\n" * self.raw.text.count("\n", directive.start, directive.end)
                trace = f"#define {HIDDEN}{directive.start}_" if hides and directive.kind == "define" else ""
                replaced.append((directive.start, directive.end, trace + lines))
        return replaced
