"""What names in a function mean: variables with their types, found in its head, before the scop and at file scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tunepass.frontends.c.scops.c_types import ELEMENT_BYTE
from tunepass.frontends.c.scops.expressions import QUALIFIERS, STORAGE, TAGGED, SyntaxFault
from tunepass.frontends.c.scops.statements import StatementParser
from tunepass.frontends.c.scops.tokens import Token
from tunepass.frontends.c.scops.tree import Call, Cast, Declaration, Declarator, Expression, Name
from tunepass.frontends.c.syntax.definitions import canonical_type, is_integral

Scope = Literal["formal", "local", "global", "inner"]
POINTER_BYTE = 8


@dataclass(frozen=True, slots=True)
class Variable:
    """`shape` in the order of subscripting: an array's extent, None where it has none or is a pointer's.

    `alone`: memory that no other name reaches, by assumption of formals and globals.
    """

    name: str
    element: str  # C type, canonical
    shape: tuple[Expression | None, ...]
    pointers: tuple[bool, ...]
    scope: Scope
    static: bool = False
    constant: bool = False
    alone: bool = True
    volatile: bool = False

    @property
    def integral(self) -> bool:
        return not self.shape and (is_integral(self.element) or self.element.startswith("enum "))

    @property
    def unsigned(self) -> bool:
        return self.element.startswith(("unsigned", "uint", "size_t"))

    @property
    def element_byte(self) -> int:
        return ELEMENT_BYTE.get(self.element, POINTER_BYTE)


Types = Mapping[str, Variable]
"""What each typedef's name stands for."""


class Variables:
    """Names by scope; inner ones hide outer ones until their block closes."""

    def __init__(self) -> None:
        self.types: dict[str, Variable] = {}
        self.scopes: list[dict[str, Variable]] = [{}]

    def open(self) -> None:
        self.scopes.append({})

    def close(self) -> None:
        if len(self.scopes) > 1:
            self.scopes.pop()

    def get(self, name: str) -> Variable | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def declare(self, declaration: Declaration, scope: Scope) -> list[Variable]:
        """The variables of a declaration; functions are none, and a typedef's names become types."""
        made: list[Variable] = []
        for declarator in declaration.declarators:
            if not declarator.name.text or declarator.parameters is not None:
                continue
            variable = self.variable(declaration.words, declarator, scope)
            if "typedef" in declaration.words:
                self.types[variable.name] = variable
                continue
            self.scopes[-1][variable.name] = variable
            made.append(variable)
        return made

    def type(self, words: Sequence[str]) -> Variable | None:
        """What a typedef's name among the words stands for."""
        plain = _plain(words)
        return self.types.get(plain[0]) if len(plain) == 1 else None

    def element(self, words: Sequence[str]) -> str:
        """The C type that a declaration's words name, without qualifiers."""
        known, plain = self.type(words), _plain(words)
        if known is not None:
            return known.element
        tagged = bool(plain) and plain[0] in TAGGED
        return " ".join(plain) if tagged else canonical_type(" ".join(plain)) or "int"

    def variable(self, words: Sequence[str], declarator: Declarator, scope: Scope) -> Variable:
        known = self.type(words)
        pointers = (*declarator.pointers, *(known.pointers if known else ()))
        return Variable(
            name=declarator.name.text,
            element=self.element(words),
            shape=(*declarator.shape, *(known.shape if known else ())),
            pointers=pointers,
            scope=scope,
            static="static" in words or "extern" in words,
            constant="const" in words,
            volatile="volatile" in words or (known is not None and known.volatile),
            alone=scope in ("formal", "global") or declarator.restricted or pointers[:1] != (True,)
            or _allocates(declarator.value),
        )  # fmt: skip


def _plain(words: Sequence[str]) -> list[str]:
    return [w for w in words if w not in QUALIFIERS | STORAGE]


def _allocates(value: Expression | None) -> bool:
    """Is this the result of an allocation, perhaps cast?"""
    while isinstance(value, Cast):
        value = value.operand
    return isinstance(value, Call) and isinstance(value.function, Name) and "alloc" in value.function.text


def read_variables(outside: Sequence[Token], head: Sequence[Token], before: Sequence[Token]) -> Variables:
    """Those at file scope (`outside`), in the function's head, and in its body up to the scop."""
    variables = Variables()
    for declaration in _declarations(outside, variables, nested=False):
        variables.declare(declaration, "global")
    variables.open()
    parser = StatementParser(head, frozenset(variables.types))
    try:
        parser._words()
        parameters = parser._declarator().parameters or ()
    except SyntaxFault:
        parameters = ()
    for parameter in parameters:
        variables.declare(_as_pointer(parameter), "formal")
    for declaration in _declarations(before, variables, nested=True):
        variables.declare(declaration, "local")
    return variables


def _as_pointer(parameter: Declaration) -> Declaration:
    """A formal array is a pointer to its first row."""
    return replace(
        parameter,
        declarators=tuple(
            replace(d, pointers=(True, *d.pointers[1:]) if d.shape else d.pointers) for d in parameter.declarators
        ),
    )


def _declarations(code: Sequence[Token], variables: Variables, nested: bool) -> Iterator[Declaration]:
    """What parses as a declaration where a statement begins; where `nested`, braces open and close scopes."""
    parser = StatementParser(code, frozenset(variables.types))
    while parser.next.kind != "end":
        token = parser.next
        position = parser.position
        if nested and token.at("{", "}"):
            variables.open() if token.at("{") else variables.close()
            parser.take()
            continue
        if token.at("for") and parser.peek().at("("):
            parser.take()
            parser.take()
            position = parser.position
        if parser.starts_declaration() or parser.next.at("struct", "union", "enum"):
            try:
                yield parser.declaration()
                continue
            except SyntaxFault:
                parser.position, parser.depth = position, 0
        _skip_statement(parser)


def _skip_statement(parser: StatementParser) -> None:
    """To the token after the next `;` or to the next brace."""
    while parser.next.kind != "end":
        if parser.take().at(";") or parser.next.at("{", "}"):
            return
