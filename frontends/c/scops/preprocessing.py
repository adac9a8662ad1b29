"""A source as the compiler sees it: included files that are found, conditionals, macros. Nothing runs.

Files in angle brackets are the system's and are not read unless a folder holds them. Macros that parameters set stay
names. The code of included files counts as made by the `#include`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tunepass.diagnostics import Source, TunepassError
from tunepass.files import read_bytes
from tunepass.frontends.c.scops.conditionals import holds
from tunepass.frontends.c.scops.macro_expansion import Expander, Macro, parse_macro
from tunepass.frontends.c.scops.tokens import Token, tokens
from tunepass.frontends.c.syntax.lexical import Directive, Scan, scan

HEADER_LIMIT = 4 << 20  # bytes
HEADERS_LIMIT = 200  # files, however often each is included
PREDEFINED = ("__STDC__ 1", "__STDC_VERSION__ 201710L", "__GNUC__ 12", "__x86_64__ 1", "__LP64__ 1", "__OPTIMIZE__ 1")


@dataclass(frozen=True, slots=True)
class Headers:
    """Where included files are looked for beside the source; `defines` are `-D`'s texts, `NAME` or `NAME=TEXT`."""

    folders: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()


@dataclass(slots=True)
class Unit:
    """What preprocessing leaves. `missing` are the included files in quotes that were not found."""

    tokens: list[Token] = field(default_factory=list)
    macros: dict[str, Macro] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


class Preprocessor:
    """`skipped` are regions of the source, ascending, whose code is left out: bodies of other functions."""

    def __init__(self, scanned: Scan, headers: Headers, fixed: frozenset[str], skipped: Sequence[tuple[int, int]]):
        self.scanned, self.headers, self.fixed, self.skipped = scanned, headers, fixed, skipped
        self.unit = Unit()
        self.read: set[Path] = set()
        for text in (*PREDEFINED, *(d.replace("=", " ", 1) if "=" in d else f"{d} 1" for d in headers.defines)):
            self._define(text)

    def run(self) -> Unit:
        folder = Path(self.scanned.source.name).parent
        self._file(self.scanned, folder, [t for t in tokens(self.scanned.statements) if not self._skips(t)], 0)
        return self.unit

    def _skips(self, token: Token) -> bool:
        at = bisect_right(self.skipped, (token.start, len(self.scanned.code))) - 1
        return at >= 0 and token.start < self.skipped[at][1]

    def _file(self, scanned: Scan, folder: Path, code: list[Token], depth: int) -> None:
        """The code between directives, expanded by the macros that hold there; dead branches are left out."""
        position = 0
        for live, directive in _live(scanned.directives, self.unit.macros):
            upto = position
            while upto < len(code) and code[upto].start < directive.start:
                upto += 1
            if live:
                self._expand(code[position:upto])
            position = upto
            if live and directive.kind == "define":
                self._define(directive.body)
            elif live and directive.kind == "undef":
                self.unit.macros.pop(directive.body.strip(), None)
            elif live and directive.kind == "include":
                self._include(scanned, directive, folder, depth)
            elif live:
                self._other(scanned, directive)
        self._expand(code[position:])

    def _expand(self, code: list[Token]) -> None:
        self.unit.tokens += Expander(self.unit.macros, self.fixed).expand(code)

    def _other(self, scanned: Scan, directive: Directive) -> None:
        """A directive that leaves no code, `#pragma` among them."""

    def _define(self, text: str) -> None:
        macro = parse_macro(text)
        if macro is not None:
            self.unit.macros[macro.name] = macro

    def _include(self, scanned: Scan, directive: Directive, folder: Path, depth: int) -> None:
        name, quoted = _included(scanned, directive)
        places = ([folder] if quoted else []) + [Path(f) for f in self.headers.folders]
        path = next((p / name for p in places if name and (p / name).is_file()), None)
        if path is None:
            self.unit.missing += [name] if quoted else []
            return
        path = path.resolve()
        if path in self.read or len(self.read) >= HEADERS_LIMIT:
            return
        self.read.add(path)
        try:
            text = read_bytes(path, HEADER_LIMIT).decode("utf-8", "replace")
            inner = scan(Source(str(path), text))
        except TunepassError:
            self.unit.missing.append(name)
            return
        before = len(self.unit.tokens)
        self._file(inner, path.parent, list(tokens(inner.statements)), depth + 1)
        here, end = directive.start, directive.start + len(directive.text)
        self.unit.tokens[before:] = [
            replace(t, start=here, end=end, made=True, macro=name) for t in self.unit.tokens[before:]
        ]


def _included(scanned: Scan, directive: Directive) -> tuple[str, bool]:
    """The file's name, and whether it stands in quotes; the scan emptied the string, so the source has it."""
    text = scanned.source.text[directive.start : directive.start + len(directive.text)]
    for opening, closing in (('"', '"'), ("<", ">")):
        start = text.find(opening)
        end = text.find(closing, start + 1)
        if 0 <= start < end:
            return text[start + 1 : end], opening == '"'
    return "", False


def _live(directives: Sequence[Directive], macros: Mapping[str, Macro]) -> Iterator[tuple[bool, Directive]]:
    """Every directive, and whether the code before it is alive; so is a `#define` then."""
    branches: list[tuple[bool, bool]] = []  # of each open `#if`: is this branch alive, was one before
    for directive in directives:
        yield all(alive for alive, _ in branches), directive
        outer = all(alive for alive, _ in branches[:-1])
        if directive.kind in ("if", "ifdef", "ifndef"):
            alive = all(alive for alive, _ in branches) and holds(directive.kind, directive.body, macros)
            branches.append((alive, alive))
        elif directive.kind == "elif" and branches:
            taken = branches[-1][1]
            alive = outer and not taken and holds("if", directive.body, macros)
            branches[-1] = (alive, taken or alive)
        elif directive.kind == "else" and branches:
            branches[-1] = (not branches[-1][1], True)
        elif directive.kind == "endif" and branches:
            branches.pop()
