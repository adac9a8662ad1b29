"""Which `#if`s decide what a kernel's prototype or a nest is made of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tunepass.diagnostics import Span
from tunepass.frontends.cfamily.branches.alternatives import Alternative
from tunepass.frontends.cfamily.preprocessing.parametric import DEFINING, defined_name
from tunepass.frontends.cfamily.preprocessing.surroundings import AT_FILE_SCOPE, code_of, function_scopes
from tunepass.frontends.cfamily.syntax.words import ARITHMETIC, QUALIFIERS, STORAGE, TAGGED
from tunepass.frontends.cfamily.text.raw import RawText
from tunepass.frontends.cfamily.text.tokens import Token, names_in
from tunepass.frontends.cfamily.unit import Unit

AFTER_FORMALS = ("const", "noexcept", "override", "final")
KEYWORDS = QUALIFIERS | STORAGE | ARITHMETIC | TAGGED | {
    "if", "else", "for", "while", "do", "return", "break", "continue", "sizeof", "switch", "case", "default", "goto"
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class FileNames:
    """What the functions, macros and declarations of a file mention, in whatever branch they stand."""

    raw: RawText

    @cached_property
    def code(self) -> list[Token]:
        return code_of(self.raw)

    @cached_property
    def _scopes(self) -> list[tuple[int, int]]:
        return function_scopes(self.raw)

    def function_around(self, place: int) -> int:
        """Where the body of the function around the place opens."""
        before = bisect_right(self._scopes, place, key=lambda scope: scope[0])
        return self._scopes[before - 1][1] if before else AT_FILE_SCOPE

    @cached_property
    def functions(self) -> Mapping[int, tuple[str, set[str]]]:
        """By where the body opens: the name, and the names in the body."""
        found: dict[int, tuple[str, set[str]]] = {}
        for at, token in enumerate(self.code):
            function = self.function_around(token.start)
            if function == AT_FILE_SCOPE:
                continue
            if token.start == function:
                found[function] = (_name_before(self.code, at), set())
            elif is_own(token) and function in found:
                found[function][1].add(token.text)
        return found

    def mentioned(self) -> Iterator[tuple[set[str], set[str]]]:
        """(names, further names) of macros and declarations: what needs one of the first needs the others too."""
        for directive in self.raw.directives:
            if directive.kind == "define":
                yield {defined_name(directive)}, set(names_in(directive.body)) - KEYWORDS
        names: set[str] = set()
        for token in outer_tokens(self.code):
            if is_own(token):
                names.add(token.text)
            elif token.at(";"):
                yield names, names
                names = set()


@dataclass(frozen=True, eq=False)
class Relevance:
    """`own` is the source, `files` are that and its headers; `kernels` the names of its kernels, `loops` where pragmas
    stand before nests."""

    own: FileNames
    files: Sequence[FileNames]
    kernels: frozenset[str]
    loops: Sequence[Span]

    @classmethod
    def of(cls, unit: Unit, kernels: frozenset[str], loops: Sequence[Span]) -> Relevance:
        files = {placed.file: None for placed in unit.text.read_order}
        own = FileNames(unit.text.raw)
        return cls(own, [own, *(FileNames(file.raw) for file in files if not file.own)], kernels, loops)

    def __call__(self, alternative: Alternative) -> bool:
        if alternative.function != AT_FILE_SCOPE and alternative.file.own:
            if alternative.function in self._with_nests:
                return True
            return self.own.functions[alternative.function][0] in self._called
        start, end = alternative.chain.start, alternative.chain.directives[-1].start
        inside = [d for d in alternative.file.raw.directives if start <= d.start < end]
        names = {defined_name(d) for d in inside if d.kind in DEFINING}
        names |= {t.text for branch in alternative.branches for t in outer_tokens(branch) if is_own(t)}
        return bool(names & self._needed) or any(d.kind == "include" for d in inside)

    @cached_property
    def _with_nests(self) -> frozenset[int]:
        """Where the bodies of functions with nests open."""
        return frozenset(self.own.function_around(span.end) for span in self.loops) - {AT_FILE_SCOPE}

    @cached_property
    def _needed(self) -> frozenset[str]:
        """The names that prototypes and functions with nests are made of."""
        return self._closed({*self._heads(), *self._called}, bodies=False)

    @cached_property
    def _called(self) -> frozenset[str]:
        """Those that functions with nests are made of."""
        bodies = (self.own.functions[opening][1] for opening in self._with_nests if opening in self.own.functions)
        return self._closed(set().union(*bodies), bodies=True)

    def _closed(self, names: set[str], *, bodies: bool) -> frozenset[str]:
        mentioned = [pair for file in self.files for pair in file.mentioned()]
        if bodies:
            mentioned += [({name}, inside) for file in self.files for name, inside in file.functions.values()]
        while more := [further for these, further in mentioned if these & names and not further <= names]:
            names = names.union(*more)
        return frozenset(names)

    def _heads(self) -> Iterator[str]:
        """Of the kernels, in whatever branch they stand."""
        code = self.own.code
        for at, token in enumerate(code[:-1]):
            if token.text in self.kernels and code[at + 1].at("("):
                end = next((n for n in range(at, len(code)) if code[n].at("{", ";")), len(code))
                begin = next((n for n in range(at, -1, -1) if code[n].at("}", ";")), 0)
                yield token.text
                yield from (t.text for t in code[begin:end] if is_own(t))


def is_own(token: Token) -> bool:
    """A name, no word of the language."""
    return token.kind == "name" and token.text not in KEYWORDS


def _name_before(code: Sequence[Token], opening: int) -> str:
    """The function's whose body opens there."""
    at, depth = opening - 1, 0
    while at > 0 and code[at].at(*AFTER_FORMALS):
        at -= 1
    while at > 0:
        depth += code[at].at(")") - code[at].at("(")
        at -= 1
        if depth == 0:
            break
    return code[at].text


def outer_tokens(code: Sequence[Token]) -> Iterator[Token]:
    """Without the bodies of functions: braces after `)`."""
    depth, body = 0, 0
    for at, token in enumerate(code):
        if token.at("{"):
            depth += 1
            if not body and at and code[at - 1].at(")"):
                body = depth
        elif token.at("}"):
            if depth == body:
                body = 0
                yield Token("op", ";", token.start, token.end)
            depth -= 1
        elif not body:
            yield token
