"""What names in a function mean: variables with their types, found in its head, before the scop and at file scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tunepass.frontends.c.scops.numbers.c_types import ELEMENT_BYTE
from tunepass.frontends.c.scops.statements.containers import contained
from tunepass.frontends.cfamily.declared import canonical_type, is_integral
from tunepass.frontends.cfamily.tree import (
    Block,
    Call,
    Cast,
    Declaration,
    Declarator,
    Expression,
    For,
    ForEach,
    If,
    Name,
    PragmaWords,
    Statement,
    While,
)
from tunepass.frontends.cfamily.unit import Function, Unit
from tunepass.frontends.cfamily.words import QUALIFIERS, STORAGE, TAGGED

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
    container: bool = False  # of the standard library; `element` and `shape` are those of what it holds

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
        known, held = self.type(words), contained(" ".join(_plain(words)))
        reference = (True,) if declarator.reference else ()
        pointers = (*declarator.pointers, *reference, *(known.pointers if known else ()))
        owned = pointers[:1] != (True,) and (held is None or held.owns)
        return Variable(
            name=declarator.name.text,
            element=held.element if held else self.element(words),
            shape=(*declarator.shape, *(known.shape if known else ()), *(held.extents if held else ())),
            pointers=pointers,
            scope=scope,
            static="static" in words or "extern" in words,
            constant="const" in words,
            volatile="volatile" in words or (known is not None and known.volatile),
            alone=scope in ("formal", "global") or declarator.restricted or owned or _allocates(declarator.value),
            container=held is not None or (known is not None and known.container),
        )  # fmt: skip


def _plain(words: Sequence[str]) -> list[str]:
    return [w for w in words if w not in QUALIFIERS | STORAGE]


def _allocates(value: Expression | None) -> bool:
    """Is this the result of an allocation, perhaps cast?"""
    while isinstance(value, Cast):
        value = value.operand
    return isinstance(value, Call) and isinstance(value.function, Name) and "alloc" in value.function.text


def _as_pointer(parameter: Declaration) -> Declaration:
    """A formal array is a pointer to its first row."""
    return replace(
        parameter,
        declarators=tuple(
            replace(d, pointers=(True, *d.pointers[1:]) if d.shape else d.pointers) for d in parameter.declarators
        ),
    )


def read_variables(unit: Unit, function: Function, place: int) -> Variables:
    """Those that are known at `place` in the function: at file scope, its formals, declared around and before."""
    variables = Variables()
    for alias in unit.aliases.values():
        variables.declare(
            alias if "typedef" in alias.words else replace(alias, words=("typedef", *alias.words)), "global"
        )
    for declaration in unit.globals:
        variables.declare(declaration, "global")
    variables.open()
    for parameter in function.formals:
        variables.declare(_as_pointer(parameter), "formal")
    _declare_before(function.body, place, variables)
    return variables


def _declare_before(s: Statement, place: int, variables: Variables) -> None:
    """The variables of the blocks and loops that are open at `place`."""
    match s:
        case Block():
            variables.open()
            for inner in s.statements:
                if inner.end > place and not isinstance(inner, PragmaWords):
                    _declare_before(inner, place, variables)
                    return
                if isinstance(inner, Declaration):
                    variables.declare(inner, "local")
        case For(begin=Declaration() as begin) if s.start < place:
            variables.open()
            variables.declare(begin, "local")
            _declare_before(s.body, place, variables)
        case For() | While() | ForEach() if s.start < place:
            _declare_before(s.body, place, variables)
        case If() if s.start < place:
            branch = s.then if s.then.end > place or s.other is None else s.other
            _declare_before(branch, place, variables)
