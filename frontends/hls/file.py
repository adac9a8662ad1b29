"""A source for synthesis as the reader of C gives it, with what synthesis asks of functions, types and pragmas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath

from tunepass.compilers.finding import compiler_at
from tunepass.compilers.options import PREPROCESSING, is_named, kept
from tunepass.diagnostics import Diagnostic, Severity, Source
from tunepass.frontends.cfamily.preprocessing.alignment import PragmaTokens
from tunepass.frontends.cfamily.preprocessing.symbols import MacroValue
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.refusals import unread_headers
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.feed import PRIMITIVE
from tunepass.frontends.cfamily.syntax.tree import Declaration, Expression, Record
from tunepass.frontends.cfamily.text.tokens import Token, tokens
from tunepass.frontends.cfamily.unit import Function, Unit
from tunepass.frontends.hls.pragmas.known import FAMILIES, HEADERS
from tunepass.frontends.hls.types import KNOWN_TYPES, TYPE_TEMPLATES, base_of
from tunepass.ir.hls import HlsDialect

MACRO_DEPTH = 8  # of macros in macros
SHOWN_HEADERS = 4


@dataclass(frozen=True, eq=False)
class HlsFile:
    """Functions by name, in the order of the text, headers' included."""

    unit: Unit
    parsed: dict[str, Expression] = field(default_factory=dict)  # templates' arguments by their text

    @classmethod
    def read(cls, source: Source, words: Sequence[str], symbols: Mapping[str, MacroValue]) -> HlsFile:
        """`symbols` are the macros that parameters set. A tool for synthesis is not started: a C compiler gets its
        words about headers and macros. Asserts are left out as in synthesis."""
        stated = kept(words, lambda word, value: is_named(word, value, PREPROCESSING))
        command = (words[0], "-DNDEBUG", *words[1:]) if compiler_at(words[:1]) == 0 else ("-DNDEBUG", *stated)
        return cls(read(source, command, "opencl" if Path(source.name).suffix == ".cl" else "hls", symbols))

    @property
    def source(self) -> Source:
        return self.unit.source

    @cached_property
    def functions(self) -> Mapping[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.unit.functions:
            if not function.record:
                found.setdefault(base_of(function.name.text), []).append(function)
        return found

    @cached_property
    def methods(self) -> Mapping[str, list[Function]]:
        """By the class that they are members of."""
        found: dict[str, list[Function]] = {}
        for function in self.unit.functions:
            if function.record:
                found.setdefault(base_of(function.record), []).append(function)
        return found

    @cached_property
    def pragmas(self) -> tuple[PragmaTokens, ...]:
        """Those that synthesis reads, in functions too."""
        return tuple(p for p in self.unit.pragmas if p.words and p.words[0].text.upper() in FAMILIES)

    @property
    def globals(self) -> Sequence[Declaration]:
        return self.unit.globals

    @property
    def aliases(self) -> Mapping[str, Declaration]:
        return self.unit.aliases

    def record(self, name: str) -> Record | None:
        return self.unit.record(name)

    def is_type(self, text: str) -> bool:
        base = base_of(text)
        named = text in PRIMITIVE or text in KNOWN_TYPES or text.endswith("_t") or base in self.aliases
        return named or self.record(base) is not None or (base in TYPE_TEMPLATES and "<" in text)

    def expression(self, words: Sequence[Token]) -> Expression:
        """Raises SyntaxFault where the words are no expression."""
        return parse_expression(self._expanded(words, MACRO_DEPTH), self.unit.types, self.unit.cxx)

    def expression_of(self, text: str) -> Expression:
        if text not in self.parsed:
            self.parsed[text] = self.expression(list(tokens(text)))
        return self.parsed[text]

    def _expanded(self, words: Sequence[Token], depth: int) -> list[Token]:
        """Macros without arguments in place: the compiler leaves those of headers' pragmas as they are."""
        expanded: list[Token] = []
        for token in words:
            defined = self.unit.text.macros.get(token.text, ()) if token.kind == "name" and depth else ()
            symbol = token.text in self.unit.text.symbols.names
            if not defined or symbol or defined[-1].parameters is not None:
                expanded.append(token)
                continue
            inner = [Token(t.kind, t.text, token.start, token.end, True) for t in tokens(defined[-1].body)]
            expanded += self._expanded(inner, depth - 1)
        return expanded

    def dialect_of(self, function: Function) -> HlsDialect:
        """By the pragmas of the file and the function's own words."""
        if self.unit.dialect == "opencl" or {"__kernel", "kernel"} & set(function.words):
            return "intel"
        return "merlin" if any(p.words[0].text.upper() == "ACCEL" for p in self.pragmas) else "vitis"

    def warnings(self) -> list[Diagnostic]:
        """A note about headers that are not here and whose declarations are unknown."""
        unknown = [name for name in self.unit.text.missing if PurePath(name).name not in HEADERS]
        if not unknown:
            return unread_headers(self.unit)
        shown = ", ".join(f"`{name}`" for name in unknown[:SHOWN_HEADERS])
        more = f" and {len(unknown) - SHOWN_HEADERS} more" if len(unknown) > SHOWN_HEADERS else ""
        message = f"headers are not here, and their declarations are unknown: {shown}{more}"
        start = self.source.text.find(unknown[0])
        span = self.source.span(start, start + len(unknown[0])) if start >= 0 else None
        missing = Diagnostic(message, span, "name their folder with -I after `--`", Severity.WARNING)
        return [missing, *unread_headers(self.unit)]
