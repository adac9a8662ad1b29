"""What HLS sources have besides C: pragmas among statements, records, functions of templates."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.diagnostics import Source, Span
from tunepass.frontends.c.scops.tokens import Token
from tunepass.frontends.c.scops.tree import Declaration, Declarator, Expression, Place, Statement


@dataclass(frozen=True, kw_only=True)
class PragmaWords(Place):
    """A pragma among statements: its words after `#pragma`, macros expanded."""

    words: tuple[Token, ...]

    def span(self, source: Source) -> Span:
        return source.span(self.words[0].start, max(self.words[-1].end, self.words[0].end))


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsDeclarator(Declarator):
    """`reference`: another name for what it is bound to."""

    reference: bool = False


@dataclass(frozen=True, kw_only=True)
class ForEach(Place):
    """`for (auto x : array)`."""

    name: Token
    array: Expression
    body: Statement


@dataclass(frozen=True, slots=True)
class Attribute:
    """`name(argument, ...)` of an `__attribute__`."""

    name: Token
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    """`kind` is `typename`, or the words of a number's type."""

    kind: str
    name: str
    default: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A definition; `body` are its tokens, braces included. `record`: the class that it is a member of."""

    name: Token
    words: tuple[str, ...]
    formals: tuple[Declaration, ...]
    body: tuple[Token, ...]
    template: tuple[TemplateParameter, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    pragmas: tuple[PragmaWords, ...] = ()  # that stand before it
    record: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A struct or a class: its members that hold data."""

    name: str
    members: tuple[Declaration, ...]
    template: tuple[TemplateParameter, ...] = ()
    methods: tuple[Function, ...] = ()


@dataclass(slots=True)
class File:
    """What stands at file scope, headers included. Functions by name, in the order of the text."""

    source: Source
    functions: dict[str, list[Function]] = field(default_factory=dict)
    globals: list[Declaration] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    aliases: dict[str, Declaration] = field(default_factory=dict)  # of types, by the name that they declare
    numbers: dict[str, Expression] = field(default_factory=dict)  # enumerators
    pragmas: list[PragmaWords] = field(default_factory=list)  # all, those in functions too
    types: set[str] = field(default_factory=set)


HlsStatement = Statement | PragmaWords | ForEach
